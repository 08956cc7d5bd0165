import type { Logger } from '../../ports/index.ts';
import type { Account } from '../../records/index.ts';
import { type ActivityPorts, ofAccount, showDone } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export type RunResult =
  | {
      readonly account: Account;
      readonly kind: 'done';
      /** Ids of the run's invoices. The list is empty if there is nothing to invoice. */
      readonly invoiceIds: readonly Uuid[];
      /** Subscriptions that were not billed because their events are damaged. */
      readonly skipped: readonly Uuid[];
    }
  | FailedRun
  /** A plugin aborted or postponed the run. */
  | { readonly account: Account; readonly kind: 'stopped' }
  /** The account changed after plugins or usage sources were called, so they must be called again. */
  | { readonly account: Account; readonly kind: 'changed' };

export interface FailedRun {
  readonly account: Account;
  readonly kind: 'failed';
  readonly error: unknown;
  /** True if the run was evaluated completely, in which case the account's next due entries are stored (§8.6). */
  readonly isWorkedOut: boolean;
  /** True if a later run may succeed, in which case the account is not parked. Defaults to false. */
  readonly isRetried?: boolean;
}

const outcomes = ['invoiced', 'nothing', 'stopped', 'parked', 'failed'] as const;

/** The outcome of a run. A `failed` run is either repeated or reported to its caller. */
type RunOutcome = (typeof outcomes)[number];

/** Counts the committed runs of this node since the engine was opened. */
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

/** Returns the outcome, or null for a run that is repeated immediately. */
function outcomeOf(result: RunResult) {
  if (result.kind === 'changed') return null;
  if (result.kind !== 'done') return result.kind;
  return result.invoiceIds.length > 0 ? 'invoiced' : 'nothing';
}

/** Adds the committed invoices to the trace. Each invoice is recorded under the entry or call that caused its run. */
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

/** Warns the operator about subscriptions that runs have skipped (subscriptions §19.2 rule 2). */
export function warnOfSkipped(
  ports: { readonly logger: Logger } & ActivityPorts,
  results: readonly RunResult[],
): void {
  for (const result of results) {
    if (result.kind !== 'done' || result.skipped.length === 0) continue;
    const facts = { accountId: result.account.id, subscriptionIds: result.skipped };
    const message = 'the invoice run skips subscriptions whose events do not begin with their start';
    ofAccount(ports, result.account.recordId, () => ports.logger.warn(facts, message));
  }
}
