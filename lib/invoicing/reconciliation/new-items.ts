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
import { type Decimal, decimal, ZERO } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { FixedProposal } from '../proposals/fixed-proposals.ts';
import type { RecurringProposal } from '../proposals/recurring-proposals.ts';

/** A proposal, or the part of a proposal that is not billed. */
export interface RecurringCharge {
  readonly proposal: RecurringProposal;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly amount: Decimal;
  /** The share of the part. Null means that the whole proposal is charged. */
  readonly part: Share | null;
}

export interface Repair {
  readonly itemId: Uuid;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Amount of at least 0. The item has the opposite sign. */
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
  nextItemId: () => Uuid,
): readonly NewInvoiceItem[] {
  // The sort is stable: items that begin on one day keep this order of types.
  const withoutIds = [...fixed.map(fixedItem), ...recurring.map(recurringItem), ...repairs.map(repairItem)];
  return withoutIds.sort((a, b) => a.startDate - b.startDate).map((own) => item(nextItemId(), own));
}

function fixedItem({ event, startDate, endDate, amount }: FixedProposal): OwnFields {
  const phaseName = event.phaseName ?? '';
  return {
    origin: event,
    itemType: InvoiceItemType.FIXED,
    description: amount.isZero() ? phaseName : `${phaseName} (fixed price)`,
    startDate,
    endDate,
    amount,
    rate: null,
    linkedItemId: null,
    repairable: amount,
    basis: fixedBasis(event),
  };
}

function recurringItem(charge: RecurringCharge): OwnFields {
  const { proposal, startDate, endDate, amount } = charge;
  const { event, rate, phaseName } = proposal;
  return {
    origin: event,
    itemType: InvoiceItemType.RECURRING,
    description: event.phasePrettyName ?? phaseName,
    startDate,
    endDate,
    amount,
    rate,
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
    linkedItemId: itemId,
    repairable: ZERO,
    basis,
  };
}

interface OwnFields
  extends Pick<
    InvoiceItem,
    'itemType' | 'description' | 'endDate' | 'amount' | 'rate' | 'linkedItemId' | 'repairable'
  > {
  /** The event of a charge. Null for a repair (§1.3). */
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

function fixedBasis(event: BillingEvent): FixedBasis {
  const { fixedPrice, quantity } = event;
  return { kind: 'FIXED', event: basisEvent(event), price: fixedPrice ?? ZERO, quantity };
}

function recurringBasis(proposal: RecurringProposal, part: Share | null): RecurringBasis {
  const { event, nextEvent, startDate, endDate, rule, share, prorationFixedDays } = proposal;
  return {
    kind: 'RECURRING',
    event: basisEvent(event),
    nextEvent: nextEvent === null ? null : basisEvent(nextEvent),
    price: event.recurringPrice ?? ZERO,
    quantity: event.quantity,
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
