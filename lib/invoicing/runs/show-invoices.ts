import { type ActivityPorts, ofAccount, showDone } from '../../runtime/index.ts';
import type { RunResult } from './run-accounts.ts';

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
