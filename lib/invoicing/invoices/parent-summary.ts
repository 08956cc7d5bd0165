import {
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  type NewNotification,
  QueueName,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, sum, ZERO } from '../../values/money/index.ts';
import {
  addMilliseconds,
  type Instant,
  type LocalDate,
  localDateOf,
  startOfDay,
  UTC,
} from '../../values/time/index.ts';
import { balanceOf } from './invoice-amounts.ts';
import { afterAdjustment, itemAdjustment, type NewInvoiceItem, plainItem } from './new-item.ts';

/**
 * An invoice of a child that its parent pays, with the data that determines whether the invoice joins a summary (§12).
 */
export interface ChildInvoice {
  readonly invoice: Invoice;
  readonly hasCharge: boolean;
  readonly isNew: boolean;
}

/**
 * Returns the new invoices that join the parent's open summary (rule 1), in creation order. An invoice with only
 * credit or repairs does not open a summary.
 */
export function joinSummary(changed: readonly ChildInvoice[], open: { readonly currency: Currency } | null) {
  const joining: Invoice[] = [];
  let opens = false;
  let currency = open?.currency ?? null;
  for (const { invoice, hasCharge, isNew } of changed) {
    const isCandidate =
      isNew && invoice.parentInvoiceId === null && invoice.status === InvoiceStatus.COMMITTED;
    if (!isCandidate) continue;
    if (currency === null) {
      const contribution = contributionOf(invoice);
      opens = contribution.greaterThan(0) || (contribution.isZero() && hasCharge);
      if (!opens) continue;
      currency = invoice.currency;
    }
    // A parent without a currency uses the currency of the first invoice.
    // An invoice has only one currency.
    if (invoice.currency === currency) joining.push(invoice);
  }
  return { opens, joining };
}

type Contribution = Pick<Invoice, 'id' | 'accountId'> & { readonly contributedAmount: Decimal };

/** The total of a child's invoices in a DRAFT summary. It has the same form as an item. */
interface ChildTotal {
  readonly childAccountId: Uuid;
  readonly amount: Decimal;
}

/** Returns one total per child, the sum of its contributions to the summary (rule 2). */
export function childTotals(contributions: readonly Contribution[]): readonly ChildTotal[] {
  return [...Map.groupBy(contributions, ({ accountId }) => accountId)].map(([childAccountId, own]) => ({
    childAccountId,
    amount: sum(own.map(({ contributedAmount }) => contributedAmount)),
  }));
}

/**
 * Returns the item changes that set the PARENT_SUMMARY items of a DRAFT summary to the totals, and the change of the
 * summary's amount. Items of other children do not change. Adjustments of an item never exceed its amount; otherwise
 * the parent would get credit for an unpaid debt.
 */
export function summaryItems(
  totals: readonly ChildTotal[],
  items: readonly InvoiceItem[],
  made: { readonly nextId: () => Uuid; readonly externalKeyOf: (childAccountId: Uuid) => string },
) {
  const itemOf = new Map(items.filter(isSummaryItem).map((item) => [item.childAccountId, item]));
  const added: NewInvoiceItem[] = [];
  const changed: Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[] = [];
  let difference = ZERO;
  for (const { childAccountId, amount } of totals) {
    const item = itemOf.get(childAccountId);
    difference = difference.plus(amount.minus(item?.amount ?? ZERO));
    if (item === undefined) {
      added.push(
        plainItem({
          id: made.nextId(),
          itemType: InvoiceItemType.PARENT_SUMMARY,
          childAccountId,
          description: `${made.externalKeyOf(childAccountId)} summary`.slice(0, MAX_DESCRIPTION_LENGTH),
          amount,
          repairable: amount,
        }),
      );
    } else if (!item.amount.equals(amount)) {
      const left = amount.minus(item.amount.minus(item.repairable));
      const lowered = left.isNegative() ? loweredAdjustments(item, items, left.negated()) : [];
      changed.push({ id: item.id, amount, repairable: atLeastZero(left) }, ...lowered);
      if (left.isNegative()) difference = difference.minus(left);
    }
  }
  return { added, changed, difference };
}

/** Reduces the item's adjustments by `by` in total, the newest adjustment first. Returns the changed adjustments. */
function loweredAdjustments({ id: itemId }: InvoiceItem, items: readonly InvoiceItem[], by: Decimal) {
  let left = by;
  const newestFirst = items
    .filter(({ itemType, linkedItemId }) => itemType === InvoiceItemType.ITEM_ADJ && linkedItemId === itemId)
    .toReversed();
  return newestFirst.flatMap(({ id, amount, repairable }) => {
    const less = left.lessThan(amount.negated()) ? left : amount.negated();
    if (less.isZero()) return [];
    left = left.minus(less);
    return [{ id, amount: amount.plus(less), repairable }];
  });
}

const MAX_DESCRIPTION_LENGTH = 255;

/**
 * Returns the decreases that change an unpaid COMMITTED summary. If the summary is paid, returns the decreases that are
 * credited to the child (rules 4 and 5).
 */
export function effectsOnCommitted(summary: Invoice, linked: readonly Invoice[]) {
  if (summary.status !== InvoiceStatus.COMMITTED) return { decreases: [], credited: [] };
  const decreased = linked.flatMap((childInvoice) => {
    const amount = (childInvoice.contributedAmount ?? ZERO).minus(contributionOf(childInvoice));
    return amount.greaterThan(0) ? [{ childInvoice, amount }] : [];
  });
  const isPaid = isSettled(summary);
  return {
    decreases: isPaid ? [] : decreased,
    credited: isPaid ? decreased.map(({ childInvoice }) => childInvoice) : [],
  };
}

/**
 * Returns the ITEM_ADJ items of decreases and the new remainders. An ITEM_ADJ item never exceeds the remainder of the
 * child's summary item.
 */
export function adjustSummary(
  decreases: readonly { readonly childInvoice: Invoice; readonly amount: Decimal }[],
  items: readonly InvoiceItem[],
  made: {
    readonly nextId: () => Uuid;
    readonly externalKeyOf: (childAccountId: Uuid) => string;
    /** Local date of the parent. */
    readonly today: LocalDate;
  },
) {
  const itemOf = new Map(items.filter(isSummaryItem).map((item) => [item.childAccountId, item]));
  const added: NewInvoiceItem[] = [];
  for (const { childInvoice, amount: decrease } of decreases) {
    const item = itemOf.get(childInvoice.accountId);
    const amount = item === undefined || decrease.lessThan(item.repairable) ? decrease : item.repairable;
    if (item === undefined || amount.isZero()) continue;
    const description = `Adjustment for account ${made.externalKeyOf(childInvoice.accountId)}`;
    added.push(
      itemAdjustment(item, {
        id: made.nextId(),
        amount,
        date: made.today,
        description: description.slice(0, MAX_DESCRIPTION_LENGTH),
      }),
    );
    itemOf.set(childInvoice.accountId, { ...item, ...afterAdjustment(item, amount) });
  }
  const touched = new Set(added.map(({ linkedItemId }) => linkedItemId));
  const touchedItems = [...itemOf.values()].filter(({ id }) => touched.has(id));
  return { added, repairable: touchedItems.map(({ id, repairable }) => ({ id, repairable })) };
}

function isSummaryItem({ itemType }: InvoiceItem): boolean {
  return itemType === InvoiceItemType.PARENT_SUMMARY;
}

function atLeastZero(amount: Decimal): Decimal {
  return amount.isNegative() ? ZERO : amount;
}

/**
 * Returns the balance of the linked parent invoice, or null if there is no link. It determines the balance of this
 * invoice (§1.4 rule 6).
 */
export function parentBalanceOf(
  { parentInvoiceId }: Partial<Pick<Invoice, 'parentInvoiceId'>>,
  parents: ReadonlyMap<Uuid, Invoice>,
): Decimal | null {
  const parent = parentInvoiceId == null ? undefined : parents.get(parentInvoiceId);
  return parent === undefined ? null : balanceOf(parent);
}

/** Returns the amount that an invoice adds to the parent's summary, including credit (§12, v). */
export function contributionOf({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): Decimal {
  // The child never pays an invoice that its parent pays, so the whole billed amount is owed.
  return status === InvoiceStatus.VOID ? ZERO : rawBalance;
}

/** Returns true if the parent has paid the summary, in which case decreases are credited to the child (§12 rule 5). */
export function isSettled({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): boolean {
  return status === InvoiceStatus.COMMITTED && !rawBalance.greaterThan(0);
}

type Contributing = Pick<Invoice, 'status' | 'rawBalance'> & Partial<Pick<Invoice, 'contributedAmount'>>;

/**
 * Returns the decrease of the invoice since it joined the summary (§12 rule 5). Returns 0 if the parent has not settled
 * the summary.
 */
export function settledDecrease(invoice: Contributing, summary: Invoice): Decimal {
  if (invoice.contributedAmount == null || !isSettled(summary)) return ZERO;
  return atLeastZero(invoice.contributedAmount.minus(atLeastZero(contributionOf(invoice))));
}

/**
 * Returns the balance that account credit uses for an invoice in a summary (§10 rule 5). Returns null while the summary
 * is a DRAFT, because the invoice's own balance applies.
 * @param creditable Maximum decrease that may become credit (`creditableOf`); null means unlimited.
 */
export function creditStandIn(
  invoice: Contributing,
  summary: Invoice,
  creditable: Decimal | null = null,
): Decimal | null {
  if (summary.status === InvoiceStatus.DRAFT || invoice.contributedAmount == null) return null;
  const decrease = settledDecrease(invoice, summary);
  const credited = creditable?.lessThan(decrease) ? creditable : decrease;
  // A negative balance is credit that was given to the account and used on the invoice.
  const given = invoice.rawBalance.isNegative() ? invoice.rawBalance : ZERO;
  return given.minus(credited);
}

/**
 * Returns the part of a child's invoice decreases that may become the child's credit. This is the parent's payment for
 * these invoices, minus adjustments of the parent's item and minus credit that the child already got. A summary that
 * was settled by adjusting its items, as when the parent is closed, was not paid.
 * @param item the child's PARENT_SUMMARY item; undefined if it has none.
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
    // Credit beyond the contribution was given to the invoice earlier, so it is only returned.
    return contributedAmount?.lessThan(credit) ? contributedAmount : credit;
  });
  return atLeastZero(item.repairable.minus(sum(credited)));
}

/**
 * Returns true if the parent has paid the whole item of the child, so that repairs benefit the child (§10 rule 8). For
 * an adjusted item, only §12 rule 5 determines the paid amount.
 * @param item The child's PARENT_SUMMARY item; undefined if none exists.
 */
export function isPaidWhole(
  summary: Pick<Invoice, 'status' | 'rawBalance'>,
  item: Pick<InvoiceItem, 'amount' | 'repairable'> | undefined,
): boolean {
  return isSettled(summary) && item?.repairable.equals(item.amount) === true;
}

const DAY_MS = 86_400_000;

/**
 * Returns the next instant with the given UTC time of day, in milliseconds since midnight. The instant is tomorrow if
 * that time has already passed today.
 */
export function parentCommitTime(now: Instant, timeOfDayMs: number): Instant {
  const today = addMilliseconds(startOfDay(localDateOf(now, UTC), UTC), timeOfDayMs);
  return today > now ? today : addMilliseconds(today, DAY_MS);
}

/** Returns the queue entry that commits a summary invoice (§12 rule 3). */
export function parentCommitEntry(
  summary: { readonly id: Uuid; readonly accountRecordId: number },
  effectiveDate: Instant,
): NewNotification {
  return {
    queueName: QueueName.PARENT_INVOICE_COMMIT,
    accountRecordId: summary.accountRecordId,
    effectiveDate,
    payload: { invoiceId: summary.id },
    uniqueKey: `parent-commit:${summary.id}`,
  };
}
