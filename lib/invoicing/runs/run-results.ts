import { type ActivityPorts, ofAccount, showDone } from '../../runtime/index.ts';
import type { RunResult } from './run-accounts.ts';

/** What a run of an account came to; after `failed` it comes again, or whoever asked for it was told. */
export type RunOutcome = 'invoiced' | 'nothing' | 'stopped' | 'parked' | 'failed';

const outcomes: readonly RunOutcome[] = ['invoiced', 'nothing', 'stopped', 'parked', 'failed'];

/** Counts the runs of this node that were committed since it was opened. */
export class RunCounts {
  readonly #counts = new Map<RunOutcome, number>(outcomes.map((outcome) => [outcome, 0]));

  /** @param parked the results whose accounts were parked. */
  add(results: readonly RunResult[], parked: readonly RunResult[] = []): void {
    for (const result of results) {
      const outcome = parked.includes(result) ? 'parked' : outcomeOf(result);
      if (outcome !== null) this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    }
  }

  list(): readonly { readonly outcome: RunOutcome; readonly count: number }[] {
    return [...this.#counts].map(([outcome, count]) => ({ outcome, count }));
  }
}

/** Null: the run is made again at once. */
function outcomeOf(result: RunResult): RunOutcome | null {
  switch (result.kind) {
    case 'done':
      return result.invoiceIds.length > 0 ? 'invoiced' : 'nothing';
    case 'changed':
      return null;
    default:
      return result.kind;
  }
}

/** Shows the invoices that were committed, each in the trace of whoever has caused its run. */
export function showInvoices(ports: ActivityPorts, results: readonly RunResult[]): void {
  if (ports.tracer === undefined) return;
  for (const result of results) {
    if (result.kind !== 'done') continue;
    const { account, invoiceIds } = result;
    for (const invoiceId of invoiceIds) {
      const attributes = { 'billwright.account.id': account.id, 'billwright.invoice.id': invoiceId };
      ofAccount(ports, account.recordId, () =>
        showDone(ports, { name: 'invoice', kind: 'INTERNAL', attributes }),
      );
    }
  }
}
