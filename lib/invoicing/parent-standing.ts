import type { Uuid } from '../ids/index.ts';
import { type Decimal, ZERO } from '../money/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { balanceOf } from './invoice-amounts.ts';
import { type Invoice, InvoiceStatus } from './model.ts';

type Linked = Partial<Pick<Invoice, 'parentInvoiceId'>>;

/** The parents' invoices that these are linked to, by id; one statement, none where nothing is linked. */
export async function loadParentInvoices(
  session: ReadSession,
  invoices: readonly Linked[],
): Promise<ReadonlyMap<Uuid, Invoice>> {
  const ids = new Set(invoices.flatMap(({ parentInvoiceId }) => parentInvoiceId ?? []));
  if (ids.size === 0) return new Map();
  return new Map((await session.invoices.findByIds([...ids])).map((invoice) => [invoice.id, invoice]));
}

/** The balance of the parent's invoice that decides that of this one (invoicing.md §1.4 rule 6); null = it is not linked. */
export function parentBalanceOf(
  { parentInvoiceId }: Linked,
  parents: ReadonlyMap<Uuid, Invoice>,
): Decimal | null {
  const parent = parentInvoiceId == null ? undefined : parents.get(parentInvoiceId);
  return parent === undefined ? null : balanceOf(parent);
}

/** What an invoice adds to the parent's summary: all it bills, credit included (invoicing.md §12, v). */
export function contributionOf({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): Decimal {
  // A parent's invoice is never paid by the child, so what is owed is what is billed.
  return status === InvoiceStatus.VOID ? ZERO : rawBalance;
}

/** Whether the parent has paid the summary, so that decreases are the child's (invoicing.md §12 rule 5). */
export function isSettled({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): boolean {
  return status === InvoiceStatus.COMMITTED && !rawBalance.greaterThan(0);
}

/**
 * What account credit sees of an invoice that is linked to a summary (invoicing.md §10 rule 5); null = its own balance,
 * while the summary is a DRAFT.
 */
export function creditStandIn(
  invoice: Pick<Invoice, 'status' | 'rawBalance'> & Partial<Pick<Invoice, 'contributedAmount'>>,
  summary: Invoice,
): Decimal | null {
  if (summary.status === InvoiceStatus.DRAFT || invoice.contributedAmount == null) return null;
  const decrease = invoice.contributedAmount.minus(contributionOf(invoice));
  return isSettled(summary) && decrease.greaterThan(0) ? decrease.negated() : ZERO;
}
