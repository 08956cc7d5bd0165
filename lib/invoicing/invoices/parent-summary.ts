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

/** A child's invoice that its parent pays, with what decides whether it joins a summary (§12). */
export interface ChildInvoice {
  readonly invoice: Invoice;
  readonly hasCharge: boolean;
  readonly isNew: boolean;
}

/** Which of the children's invoices, in the order of their creation, join the parent's open summary (rule 1). */
interface Joining {
  readonly opens: boolean;
  readonly joining: readonly Invoice[];
}

/** Rule 1: an open summary takes every new invoice. None is opened for an invoice that only gives credit or repairs. */
export function joinSummary(
  changed: readonly ChildInvoice[],
  open: { readonly currency: Currency } | null,
): Joining {
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
    // A parent without a currency takes the first invoice's; one invoice has one currency.
    if (invoice.currency === currency) joining.push(invoice);
  }
  return { opens, joining };
}

type Contribution = Pick<Invoice, 'id' | 'accountId'> & { readonly contributedAmount: Decimal };

/** The total of a child's invoices in a DRAFT summary, as an item (rule 2). */
interface ChildTotal {
  readonly childAccountId: Uuid;
  readonly amount: Decimal;
}

/** Rule 2: one total per child, over all of its invoices that are linked to the summary. */
export function childTotals(contributions: readonly Contribution[]): readonly ChildTotal[] {
  return [...Map.groupBy(contributions, ({ accountId }) => accountId)].map(([childAccountId, own]) => ({
    childAccountId,
    amount: sum(own.map(({ contributedAmount }) => contributedAmount)),
  }));
}

/** The item changes of a DRAFT summary, and the change of its amount. */
interface SummaryItems {
  readonly added: readonly NewInvoiceItem[];
  readonly changed: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[];
  readonly difference: Decimal;
}

/**
 * Brings the PARENT_SUMMARY items of a DRAFT summary to the totals; the items of other children stay as they are. What was
 * adjusted of an item is at most what the item is: else the parent would get credit for a debt that nobody has paid.
 */
export function summaryItems(
  totals: readonly ChildTotal[],
  items: readonly InvoiceItem[],
  made: { readonly nextId: () => Uuid; readonly externalKeyOf: (childAccountId: Uuid) => string },
): SummaryItems {
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

/** The reduced adjustments of the item, by this total, newest first. */
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

/** A decrease of a child's invoice that its COMMITTED, unpaid summary follows (rule 4). */
interface Decrease {
  readonly childInvoice: Invoice;
  readonly amount: Decimal;
}

/** The effects of changed linked invoices on a COMMITTED summary (rules 4 and 5). */
interface CommittedEffects {
  readonly decreases: readonly Decrease[];
  /** Invoices whose decrease becomes credit of their own accounts, since the summary is paid. */
  readonly credited: readonly Invoice[];
}

/** Rules 4 and 5; increases are not forwarded, and a summary that is VOID follows nothing. */
export function effectsOnCommitted(summary: Invoice, linked: readonly Invoice[]): CommittedEffects {
  if (summary.status !== InvoiceStatus.COMMITTED) return { decreases: [], credited: [] };
  const decreased = linked.flatMap((childInvoice) => {
    const amount = (childInvoice.contributedAmount ?? ZERO).minus(contributionOf(childInvoice));
    return amount.greaterThan(0) ? [{ childInvoice, amount }] : [];
  });
  return isSettled(summary)
    ? { decreases: [], credited: decreased.map(({ childInvoice }) => childInvoice) }
    : { decreases: decreased, credited: [] };
}

/** The ITEM_ADJ items of decreases, each at most what remains of its child's item, and what remains afterwards. */
export function adjustSummary(
  decreases: readonly Decrease[],
  items: readonly InvoiceItem[],
  made: {
    readonly nextId: () => Uuid;
    readonly externalKeyOf: (childAccountId: Uuid) => string;
    /** Local date of the parent. */
    readonly today: LocalDate;
  },
): {
  readonly added: readonly NewInvoiceItem[];
  readonly repairable: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
} {
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
  return {
    added,
    repairable: [...itemOf.values()]
      .filter(({ id }) => touched.has(id))
      .map(({ id, repairable }) => ({ id, repairable })),
  };
}

function isSummaryItem({ itemType }: InvoiceItem): boolean {
  return itemType === InvoiceItemType.PARENT_SUMMARY;
}

function atLeastZero(amount: Decimal): Decimal {
  return amount.isNegative() ? ZERO : amount;
}

type Linked = Partial<Pick<Invoice, 'parentInvoiceId'>>;

/** The balance of the parent's invoice that decides that of this one (§1.4 rule 6); null = it is not linked. */
export function parentBalanceOf(
  { parentInvoiceId }: Linked,
  parents: ReadonlyMap<Uuid, Invoice>,
): Decimal | null {
  const parent = parentInvoiceId == null ? undefined : parents.get(parentInvoiceId);
  return parent === undefined ? null : balanceOf(parent);
}

/** The amount that an invoice adds to the parent's summary, credit included (§12, v). */
export function contributionOf({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): Decimal {
  // The child never pays an invoice of the parent's, so the billed amount is owed.
  return status === InvoiceStatus.VOID ? ZERO : rawBalance;
}

/** Whether the parent has paid the summary, so that decreases are the child's (§12 rule 5). */
export function isSettled({ status, rawBalance }: Pick<Invoice, 'status' | 'rawBalance'>): boolean {
  return status === InvoiceStatus.COMMITTED && !rawBalance.greaterThan(0);
}

type Contributing = Pick<Invoice, 'status' | 'rawBalance'> & Partial<Pick<Invoice, 'contributedAmount'>>;

/** The decrease of the invoice since it joined the summary that the parent has settled (§12 rule 5). */
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
  // Below 0: given credit used on it.
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
    // Beyond its contribution, it is returned given credit.
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

const DAY_MS = 86_400_000;

/** The next time at that UTC time of day (milliseconds since midnight): today, or tomorrow if it is past. */
export function parentCommitTime(now: Instant, timeOfDayMs: number): Instant {
  const today = addMilliseconds(startOfDay(localDateOf(now, UTC), UTC), timeOfDayMs);
  return today > now ? today : addMilliseconds(today, DAY_MS);
}

/** The entry that commits a summary invoice (§12 rule 3). */
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
