import { type Invoice, type InvoiceItem, InvoiceItemType, InvoiceStatus } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, sum, ZERO } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { afterAdjustment, itemAdjustment } from './item-adjustment.ts';
import type { NewInvoiceItem } from './new-item.ts';
import { plainItem } from './new-item.ts';
import { contributionOf, isSettled } from './parent-standing.ts';

/** A child's invoice that its parent pays, with what decides whether it joins a summary (§12). */
export interface ChildInvoice {
  readonly invoice: Invoice;
  /** Whether it has a FIXED or RECURRING item. */
  readonly hasCharge: boolean;
  /** Whether it has just become COMMITTED. */
  readonly isNew: boolean;
}

/** Which of the children's invoices, in the order of their creation, join the parent's open summary (rule 1). */
export interface Joining {
  /** Whether a summary has to be opened for them. */
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
    // A parent without a currency takes that of the first invoice; it cannot owe two currencies in one invoice.
    if (invoice.currency === currency) joining.push(invoice);
  }
  return { opens, joining };
}

export type Contribution = Pick<Invoice, 'id' | 'accountId'> & { readonly contributedAmount: Decimal };

/** What a child's invoices add to a DRAFT summary, as an item of it (rule 2). */
export interface ChildTotal {
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

/** How the items of a DRAFT summary change, and by how much its amount does. */
export interface SummaryItems {
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

/** The adjustments of the item that take less now, by this much in all: the newest are lowered first. */
function loweredAdjustments(
  { id: itemId }: InvoiceItem,
  items: readonly InvoiceItem[],
  by: Decimal,
): readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[] {
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
export interface Decrease {
  readonly childInvoice: Invoice;
  readonly amount: Decimal;
}

/** What follows from a change of linked invoices for a COMMITTED summary (rules 4 and 5). */
export interface CommittedEffects {
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
