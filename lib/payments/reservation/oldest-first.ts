import type { AutoPayHold, Invoice } from '../../records/index.ts';

/** The holds in the order in which they are released: the oldest invoice first (§9.3). */
export function oldestFirst(
  holds: readonly AutoPayHold[],
  invoices: readonly Invoice[],
): readonly AutoPayHold[] {
  const order = invoices
    .toSorted((a, b) => a.invoiceDate - b.invoiceDate || a.invoiceNumber - b.invoiceNumber)
    .map(({ id }) => id);
  return holds.toSorted((a, b) => order.indexOf(a.invoiceId) - order.indexOf(b.invoiceId));
}
