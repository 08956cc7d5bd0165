import { itemDiscounts, type ListPrice } from '../../coupons/index.ts';
import {
  type BasisEvent,
  type BillingEvent,
  type FixedBasis,
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
  type RecurringBasis,
  type RepairBasis,
  type Share,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, decimal, ZERO } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { FixedProposal } from '../proposals/fixed-proposals.ts';
import type { RecurringProposal } from '../proposals/recurring-proposals.ts';

/** The charge for a proposal, or for the part of a proposal that is not billed yet. */
export interface RecurringCharge {
  readonly proposal: RecurringProposal;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly amount: Decimal;
  /** The amount without discounts, or null if there are no discounts. */
  readonly listAmount: Decimal | null;
  /** The share of the unbilled part. Null means that the whole proposal is charged. */
  readonly part: Share | null;
}

export interface Repair {
  readonly itemId: Uuid;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Amount to repair, at least 0. The repair item has this amount with a negative sign. */
  readonly amount: Decimal;
  readonly basis: RepairBasis;
}

/**
 * Returns the items of one subscription sorted by start date, then in the order FIXED, RECURRING, REPAIR_ADJ (§6 rule
 * 8, §1.3).
 */
export function newItems(
  {
    fixed,
    recurring,
    repairs,
  }: {
    readonly fixed: readonly FixedProposal[];
    readonly recurring: readonly RecurringCharge[];
    readonly repairs: readonly Repair[];
  },
  currency: Currency,
  nextItemId: () => Uuid,
): readonly NewInvoiceItem[] {
  // The sort is stable: items that begin on the same day keep this order of types.
  const withoutIds = [
    ...fixed.map((proposal) => fixedItem(proposal, currency)),
    ...recurring.map((charge) => recurringItem(charge, currency)),
    ...repairs.map(repairItem),
  ];
  return withoutIds.sort((a, b) => a.startDate - b.startDate).map((own) => item(nextItemId(), own));
}

function fixedItem(proposal: FixedProposal, currency: Currency): OwnFields {
  const { event, startDate, endDate, amount, list } = proposal;
  const phaseName = event.phaseName ?? '';
  return {
    origin: event,
    itemType: InvoiceItemType.FIXED,
    description: amount.isZero() ? phaseName : `${phaseName} (fixed price)`,
    startDate,
    endDate,
    amount,
    rate: null,
    ...discountsOf({ amount, list, listAmount: list?.amount ?? null, currency }),
    linkedItemId: null,
    repairable: amount,
    basis: fixedBasis(proposal),
  };
}

function recurringItem(charge: RecurringCharge, currency: Currency): OwnFields {
  const { proposal, startDate, endDate, amount, listAmount } = charge;
  const { event, rate, list, phaseName } = proposal;
  return {
    origin: event,
    itemType: InvoiceItemType.RECURRING,
    description: event.phasePrettyName ?? phaseName,
    startDate,
    endDate,
    amount,
    rate,
    ...discountsOf({ amount, list, listAmount, currency }),
    linkedItemId: null,
    repairable: amount,
    basis: recurringBasis(proposal, charge.part),
  };
}

function repairItem({ itemId, startDate, endDate, amount, basis }: Repair): OwnFields {
  return {
    origin: null,
    itemType: InvoiceItemType.REPAIR_ADJ,
    description: 'Adjustment (subscription change)',
    startDate,
    endDate,
    amount: amount.isZero() ? ZERO : amount.negated(),
    rate: null,
    ...NO_DISCOUNTS,
    linkedItemId: itemId,
    repairable: ZERO,
    basis,
  };
}

const NO_DISCOUNTS = Object.freeze({ listRate: null, discounts: null });

/** Returns an item's price before discounts, and the discount of each coupon (coupons §4). */
function discountsOf({
  amount,
  list,
  listAmount,
  currency,
}: Pick<RecurringCharge, 'amount' | 'listAmount'> & {
  readonly list: ListPrice | null;
  readonly currency: Currency;
}): Pick<InvoiceItem, 'listRate' | 'discounts'> {
  if (list === null || listAmount === null) return NO_DISCOUNTS;
  return { listRate: list.rate, discounts: itemDiscounts(list.discounts, { listAmount, amount, currency }) };
}

interface OwnFields
  extends Pick<
    InvoiceItem,
    | 'itemType'
    | 'description'
    | 'endDate'
    | 'amount'
    | 'rate'
    | 'listRate'
    | 'discounts'
    | 'linkedItemId'
    | 'repairable'
  > {
  /** The event that caused the charge, or null for a repair (§1.3). */
  readonly origin: BillingEvent | null;
  readonly startDate: LocalDate;
  readonly basis: ItemBasis;
}

function item(id: Uuid, own: OwnFields): NewInvoiceItem {
  const { origin } = own;
  return {
    id,
    itemType: own.itemType,
    childAccountId: null,
    bundleId: origin === null ? null : origin.bundleId,
    subscriptionId: origin === null ? null : origin.subscriptionId,
    productName: origin === null ? null : origin.productName,
    planName: origin === null ? null : origin.planName,
    phaseName: origin === null ? null : origin.phaseName,
    usageName: null,
    description: own.description,
    startDate: own.startDate,
    endDate: own.endDate,
    amount: own.amount,
    rate: own.rate,
    listRate: own.listRate,
    discounts: own.discounts,
    quantity: origin === null || origin.quantity === 1 ? null : decimal(origin.quantity),
    linkedItemId: own.linkedItemId,
    itemDetails: null,
    catalogEffectiveDate: origin === null ? null : origin.catalogEffectiveDate,
    taxRate: null,
    taxCategory: null,
    taxExemption: null,
    repairable: own.repairable,
    basis: own.basis,
  };
}

export function basisEvent({ transitionType, effectiveDate, localDate }: BillingEvent): BasisEvent {
  return { type: transitionType, effectiveDate, localDate };
}

function fixedBasis({ event, list }: FixedProposal): FixedBasis {
  const { fixedPrice, quantity } = event;
  const discounts = list?.discounts ?? null;
  return { kind: 'FIXED', event: basisEvent(event), price: fixedPrice ?? ZERO, quantity, discounts };
}

function recurringBasis(proposal: RecurringProposal, part: Share | null): RecurringBasis {
  const { event, nextEvent, startDate, endDate, rule, share, prorationFixedDays } = proposal;
  return {
    kind: 'RECURRING',
    event: basisEvent(event),
    nextEvent: nextEvent === null ? null : basisEvent(nextEvent),
    price: event.recurringPrice ?? ZERO,
    quantity: event.quantity,
    discounts: proposal.list?.discounts ?? null,
    billingPeriod: event.billingPeriod,
    billingMode: event.billingMode,
    billCycleDay: event.billCycleDayLocal,
    isAccountAligned: event.isAccountAligned,
    billingAlignment: event.billingAlignment,
    isRequestedDay: event.isRequestedDay,
    rule,
    startDate,
    endDate,
    share,
    part,
    prorationFixedDays,
  };
}
