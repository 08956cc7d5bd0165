import type { Invoice } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { balanceOf, isUnpaid } from '../invoices/invoice-amounts.ts';
import { parentBalanceOf } from '../invoices/parent-standing.ts';

type Summaries = ReadonlyMap<Uuid, Invoice>;
type Dated = Pick<Invoice, 'id' | 'invoiceDate' | 'invoiceNumber'>;

/** By date, then number: the order in which invoices are paid, by credit or otherwise. */
export function byAge(a: Dated, b: Dated): number {
  return a.invoiceDate - b.invoiceDate || a.invoiceNumber - b.invoiceNumber;
}

/**
 * The order in which an account's credit is made and spent (§10 rule 3): first the invoices that the transaction has
 * touched, in the order given; then all unpaid invoices by age. Each comes once.
 */
export function creditOrder<I extends Dated>(candidates: readonly I[], unpaid: readonly I[]): readonly I[] {
  const known = new Set(candidates.map(({ id }) => id));
  const others = unpaid.filter(({ id }) => !known.has(id));
  return [...candidates, ...[...candidates, ...others].sort(byAge)];
}

/** The invoices that account credit is offered to, by age (§10 rule 5): invoices in a committed summary get none. */
export function creditableInvoices(open: readonly Invoice[], summaries: Summaries): readonly Invoice[] {
  const isFree = ({ parentInvoiceId }: Invoice): boolean =>
    parentInvoiceId === null || (summaries.get(parentInvoiceId)?.status ?? 'DRAFT') === 'DRAFT';
  return open.filter((invoice) => isUnpaid(invoice) && isFree(invoice)).sort(byAge);
}

/** The unpaid invoices, by age (§1.4 rule 9); an invoice that a parent pays is among them if its summary is unpaid. */
export function unpaidInvoices(open: readonly Invoice[], summaries: Summaries): readonly Invoice[] {
  return open.filter((invoice) => isOwed(invoice, summaries)).sort(byAge);
}

/** Whether the invoice is unpaid (rule 9), by its own account or by the parent. */
export function isOwed(invoice: Invoice, summaries: Summaries): boolean {
  const parentBalance = parentBalanceOf(invoice, summaries);
  return balanceOf(invoice).greaterThan(0) && (parentBalance === null || parentBalance.greaterThan(0));
}
