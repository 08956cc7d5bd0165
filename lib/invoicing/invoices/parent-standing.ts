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
  const decrease = invoice.contributedAmount.minus(atLeastZero(contributionOf(invoice)));
  return atLeastZero(decrease);
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
  const credited = creditable?.lessThan(decrease) ? creditable : decrease;
  // Below 0 is what was used on it of credit that the child was given.
  const given = invoice.rawBalance.isNegative() ? invoice.rawBalance : ZERO;
  return given.minus(credited);
}

/**
 * How much of the decreases of a child's invoices may become its credit: what the parent has paid for them, less what it
 * got back by an adjustment of its item and what the child already got as credit. A summary may also be settled by the
 * adjustment of its items, as when the parent is closed; then nobody has paid.
 * @param item the child's PARENT_SUMMARY item; undefined = there is none.
 * @param linked the child's invoices that contribute to the summary, with their items.
 */
export function creditableOf(
  item: Pick<InvoiceItem, 'repairable'> | undefined,
  linked: readonly {
    readonly invoice: Pick<Invoice, 'contributedAmount'>;
    readonly items: readonly Pick<InvoiceItem, 'itemType' | 'amount'>[];
  }[],
): Decimal {
  if (item === undefined) return ZERO;
  const credited = linked.map(({ invoice: { contributedAmount }, items }) => {
    const made = items.filter(
      ({ itemType, amount }) => itemType === InvoiceItemType.CBA_ADJ && amount.greaterThan(0),
    );
    const credit = sum(made.map(({ amount }) => amount));
    // More than it has contributed is given credit that has come back.
    return contributedAmount?.lessThan(credit) ? contributedAmount : credit;
  });
  return atLeastZero(item.repairable.minus(sum(credited)));
}

/**
 * Whether the parent has paid all that the child's item of the summary stands for, so that what is repaired of it is the
 * child's (§10 rule 8). Where some of the item was adjusted, only rule 5 of §12 tells how much was paid.
 * @param item the child's PARENT_SUMMARY item; undefined = there is none.
 */
export function isPaidWhole(
  summary: Pick<Invoice, 'status' | 'rawBalance'>,
  item: Pick<InvoiceItem, 'amount' | 'repairable'> | undefined,
): boolean {
  return isSettled(summary) && item?.repairable.equals(item.amount) === true;
}

function atLeastZero(amount: Decimal): Decimal {
  return amount.isNegative() ? ZERO : amount;
}
