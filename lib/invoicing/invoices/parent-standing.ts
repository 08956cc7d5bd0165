import { type Invoice, type InvoiceItem, InvoiceItemType, InvoiceStatus } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum, ZERO } from '../../values/money/index.ts';
import { balanceOf } from './invoice-amounts.ts';

type Linked = Partial<Pick<Invoice, 'parentInvoiceId'>>;

/** The balance of the parent's invoice that decides that of this one (§1.4 rule 6); null = it is not linked. */
export function parentBalanceOf(
  { parentInvoiceId }: Linked,
  parents: ReadonlyMap<Uuid, Invoice>,
): Decimal | null {
  const parent = parentInvoiceId == null ? undefined : parents.get(parentInvoiceId);
  return parent === undefined ? null : balanceOf(parent);
}

/** What an invoice adds to the parent's summary: all that it bills, credit included (§12, v). */
export function contributionOf({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): Decimal {
  // The child never pays an invoice of the parent's, so what is owed is what is billed.
  return status === InvoiceStatus.VOID ? ZERO : rawBalance;
}

/** Whether the parent has paid the summary, so that decreases are the child's (§12 rule 5). */
export function isSettled({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): boolean {
  return status === InvoiceStatus.COMMITTED && !rawBalance.greaterThan(0);
}

type Contributing = Pick<Invoice, 'status' | 'rawBalance'> & Partial<Pick<Invoice, 'contributedAmount'>>;

/** By how much the invoice is less than when it joined the summary that the parent has settled since (§12 rule 5). */
export function settledDecrease(invoice: Contributing, summary: Invoice): Decimal {
  if (invoice.contributedAmount == null || !isSettled(summary)) return ZERO;
  const decrease = invoice.contributedAmount.minus(contributionOf(invoice));
  return decrease.greaterThan(0) ? decrease : ZERO;
}

/**
 * How account credit sees the balance of an invoice that is linked to a summary (§10 rule 5); null = as its own balance,
 * while the summary is a DRAFT.
 * @param creditable how much of a decrease may become credit (`creditableOf`); null = all of it.
 */
export function creditStandIn(
  invoice: Contributing,
  summary: Invoice,
  creditable: Decimal | null = null,
): Decimal | null {
  if (summary.status === InvoiceStatus.DRAFT || invoice.contributedAmount == null) return null;
  const decrease = settledDecrease(invoice, summary);
  return (creditable?.lessThan(decrease) ? creditable : decrease).negated();
}

/**
 * How much of the decreases of a child's invoices may become its credit: what the parent has paid for them, less what it
 * got back by an adjustment of its item and what the child already got as credit. A summary may also be settled by the
 * adjustment of its items, as when the parent is closed; then nobody has paid.
 * @param item the child's PARENT_SUMMARY item; undefined = there is none.
 * @param linked the items of the child's invoices that contribute to the summary.
 */
export function creditableOf(
  item: Pick<InvoiceItem, 'repairable'> | undefined,
  linked: readonly Pick<InvoiceItem, 'itemType' | 'amount'>[],
): Decimal {
  if (item === undefined) return ZERO;
  // No such invoice owes its customer anything by itself, so all credit that it has made came of this rule.
  const credits = linked.filter(
    ({ itemType, amount }) => itemType === InvoiceItemType.CBA_ADJ && amount.greaterThan(0),
  );
  const left = item.repairable.minus(sum(credits.map(({ amount }) => amount)));
  return left.isNegative() ? ZERO : left;
}
