import { enumeration, f, type RecordOf } from '../values/fields/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { BillingPeriod, Instant, LocalDate } from '../values/time/index.ts';
import type { BillingEvent, BillingTransitionType, RuleDecision } from './billing-event.ts';
import type {
  BillingAlignment,
  BillingMode,
  TierBlockPolicy,
  UsageType,
} from './catalog/catalog-enumerations.ts';
import type { BasisDiscount, ItemDiscount } from './discount.ts';
import { InvoiceItemType } from './invoice-item-types.ts';

/** Set for manual items and migrated items. */
const onCreation = { set: 'creation' } as const;
const ourTax = { ...onCreation, ours: true } as const;

/**
 * VAT categories of EN 16931: S = standard or reduced rate, Z = zero rate, E = exempt, AE = reverse charge, K = supply
 * within the EU, G = export, O = not subject to tax.
 */
export const TaxCategory = enumeration('S', 'Z', 'E', 'AE', 'K', 'G', 'O');
export type TaxCategory = keyof typeof TaxCategory;

export const invoiceItemFields = {
  recordId: f.recordId,
  id: f.id(),
  invoiceId: f.id(onCreation),
  accountId: f.id(onCreation),
  accountRecordId: f.bigint(),
  childAccountId: f.orNull(f.id()),
  bundleId: f.orNull(f.id(onCreation)),
  subscriptionId: f.orNull(f.id(onCreation)),
  productName: f.orNull(f.text(onCreation)),
  planName: f.orNull(f.text(onCreation)),
  phaseName: f.orNull(f.text(onCreation)),
  usageName: f.orNull(f.text(onCreation)),
  itemType: f.oneOf(InvoiceItemType, { ...onCreation, audit: 'type' }),
  description: f.orNull(f.text({ ...onCreation, max: 255 })),
  startDate: f.orNull(f.date(onCreation)),
  endDate: f.orNull(f.date(onCreation)),
  amount: f.amount(onCreation),
  rate: f.orNull(f.amount(onCreation)),
  currency: f.currency(onCreation),
  /** Quantity. For a FIXED or RECURRING item, this is the subscription's quantity, and null means 1. */
  quantity: f.orNull(f.amount(onCreation)),
  linkedItemId: f.orNull(f.id(onCreation)),
  itemDetails: f.orNull(f.text(onCreation)),
  catalogEffectiveDate: f.orNull(f.instant()),
  /** Tax rate of a TAX item in percent. 19 means 19 %. */
  taxRate: f.orNull(f.amount(ourTax)),
  taxCategory: f.orNull(f.oneOf(TaxCategory, ourTax)),
  /** The reason for a tax exemption, as shown on documents. */
  taxExemption: f.orNull(f.text({ ...ourTax, max: 255 })),
  /** List price × quantity before discounts, or null if there are no discounts. */
  listRate: f.orNull(f.amount({ ours: true })),
  /** The reduction by each coupon, or null if there are no discounts. */
  discounts: f.orNull(f.json<readonly ItemDiscount[]>({ ours: true })),
  /** Remainder of the item: amount − Σ|ITEM_ADJ| − Σ|REPAIR_ADJ| (BilledItemState of invoicing §1.5). */
  repairable: f.amount({ audit: null }),
  createdDate: f.instant(),
};
export interface InvoiceItem extends RecordOf<typeof invoiceItemFields> {}

export interface AddedItem extends Omit<InvoiceItem, 'recordId'> {
  /** The facts of a computed amount. */
  readonly basis?: ItemBasis | undefined;
}

/** A billing event recorded with an item. */
export interface BasisEvent extends Pick<BillingEvent, 'effectiveDate' | 'localDate'> {
  readonly type: BillingTransitionType;
}

/**
 * The rule that determines the charged period of a cycle. The values correspond to rules 3, 2, 4 and 1 of invoicing
 * §5.4, in this order.
 */
export const PeriodRule = enumeration('WHOLE', 'LEADING', 'TRAILING', 'BETWEEN_EVENTS');
export type PeriodRule = keyof typeof PeriodRule;

/** The rule that determines the amount of a repair (invoicing §6 rules 3, 4). */
export const RepairRule = {
  /** Repairs the whole row. */
  WHOLE: 'WHOLE',
  /** Repairs some days of the row. */
  PART: 'PART',
  /** Limits the repair to the amount that remains after adjustments and earlier repairs. */
  LIMIT: 'LIMIT',
  /** Repairs the last day. The amount of the repair is the whole remaining amount. */
  REMAINDER: 'REMAINDER',
} as const;
export type RepairRule = keyof typeof RepairRule;

/** A share of an amount by days. */
export interface Share {
  readonly base: Decimal;
  readonly days: number;
  readonly totalDays: number;
}

/** A one-time price (invoicing §5.1). */
export interface FixedBasis {
  readonly kind: 'FIXED';
  readonly event: BasisEvent;
  readonly price: Decimal;
  readonly quantity: number;
  /** Coupons in the order in which they apply, or null if none exist. */
  readonly discounts: readonly BasisDiscount[] | null;
}

/** A recurring price for a period, or for the part of the period that is not billed yet (invoicing §5, §6 rule 2). */
export interface RecurringBasis {
  readonly kind: 'RECURRING';
  /** The event that sets the price, and the event after it. The latter is null if there is no later event. */
  readonly event: BasisEvent;
  readonly nextEvent: BasisEvent | null;
  readonly price: Decimal;
  readonly quantity: number;
  /** Coupons in the order in which they apply, or null if none exist. */
  readonly discounts: readonly BasisDiscount[] | null;
  readonly billingPeriod: BillingPeriod;
  readonly billingMode: BillingMode;
  readonly billCycleDay: number;
  readonly isAccountAligned: boolean;
  /**
   * The alignment of the bill cycle, with the catalog case that matched. The value is null if it was not recorded.
   */
  readonly billingAlignment: RuleDecision<BillingAlignment> | null;
  /** True if the bill cycle day comes from a BCD_CHANGE, or null if its origin was not recorded. */
  readonly isRequestedDay: boolean | null;
  readonly rule: PeriodRule;
  /** The proposed period. */
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Share of the rate. Null means the whole rate. */
  readonly share: Share | null;
  /**
   * The billed part as a share of the period's amount or, with fixed days, of the rate. Null means the whole period.
   */
  readonly part: Share | null;
  /** Number of days in each month for proration. 0 means calendar days. */
  readonly prorationFixedDays: number;
}

/** The repair of a recurring item's days (invoicing §6 rules 3–5, 7). */
export interface RepairBasis {
  readonly kind: 'REPAIR';
  /** The last event on or before the first repaired day, or null if there is no such event. */
  readonly event: BasisEvent | null;
  readonly rule: RepairRule;
  /** The days of the coverage row that contains the repaired days. */
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly amount: Decimal;
  /** The repaired share of the row, by days. Null means the whole row. */
  readonly share: Share | null;
  /** The rest of the item before the repair. */
  readonly repairable: Decimal;
  /**
   * Codes of the coupons that apply when the days are charged again, or null if the plan or phase is not charged
   * again.
   */
  readonly coupons: readonly string[] | null;
}

/** The blocks of a unit in a tier or, for CAPACITY, the peak of a unit and the tier of that peak. */
export interface UsageLine {
  /** Number of the tier, from 1. */
  readonly tier: number;
  readonly unit: string;
  /** Price of a block or, for CAPACITY, of the tier. */
  readonly price: Decimal;
  /** Number of blocks or, for CAPACITY, the peak. */
  readonly quantity: Decimal;
  /** The number of units in a block. Like `amount`, it is null for CAPACITY. */
  readonly blockSize: Decimal | null;
  readonly amount: Decimal | null;
}

/** The usage of a period, and the amount that is not billed yet (usage §5, §7.3). */
export interface UsageBasis {
  readonly kind: 'USAGE';
  /**
   * The event that started the section, and the event at the end of the period. The latter is null if the period ends
   * on a cycle date.
   */
  readonly event: BasisEvent;
  readonly nextEvent: BasisEvent | null;
  readonly usageName: string;
  readonly usageType: UsageType;
  /** Tier block policy. Null for CAPACITY. */
  readonly tierBlockPolicy: TierBlockPolicy | null;
  readonly billingPeriod: BillingPeriod;
  readonly startInstant: Instant;
  readonly endInstant: Instant;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Used quantities of the units in the lines. */
  readonly used: readonly { readonly unit: string; readonly quantity: Decimal }[];
  /** The lines of the period. If each line has its own item, the list contains only the line of this item. */
  readonly lines: readonly UsageLine[];
  /**
   * The share of the minimum in the usage terms. Null means that the whole minimum applies, or that no line charges it.
   */
  readonly minimum: Share | null;
  /**
   * Total of the lines, rounded to the currency's minor unit. For CAPACITY, this is the price of the tier that covers
   * all peaks.
   */
  readonly due: Decimal;
  /** The part of `due` billed before. */
  readonly billed: Decimal;
  /** For a repair, the amount that remains to be credited, and the remaining amount of the repaired item. */
  readonly credit: { readonly open: Decimal; readonly left: Decimal } | null;
  /** The rated amount before plugins changed it. */
  readonly amount: Decimal;
}

/** Account credit that an invoice generated or used (invoicing §10 rule 2). */
export interface CreditBasis {
  readonly kind: 'CREDIT';
  /** Previous balance of the invoice. */
  readonly balance: Decimal;
  /**
   * Credit of the account before this item. The value is 0 for an invoice that gets no credit because a payment is in
   * flight.
   */
  readonly credit: Decimal;
}

/** An item that an invoice plugin added or changed (invoicing §13). */
export interface PluginBasis {
  readonly kind: 'PLUGIN';
  readonly pluginName: string;
  /** The facts of the amount that the engine computed before the plugin changed it. */
  readonly changed: ComputedBasis | null;
  /**
   * The amount that a user specified, before the plugin changed it. If this field and `changed` are both null, the
   * plugin added the item.
   */
  readonly given: Decimal | null;
}

/** The facts from which the engine computed an amount. */
export type ComputedBasis = FixedBasis | RecurringBasis | RepairBasis | UsageBasis | CreditBasis;

/**
 * The facts from which an item's amount was determined. They are stored with the item because later events, uploads and
 * repairs change the underlying data.
 */
export type ItemBasis = ComputedBasis | PluginBasis;
