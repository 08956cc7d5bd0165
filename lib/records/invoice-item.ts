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
 * VAT categories of EN 16931: S standard or reduced rate, Z zero rate, E exempt, AE reverse charge, K supply within
 * the EU, G export, O not subject to tax.
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
  /** The reason why no tax applies, as shown on documents. */
  taxExemption: f.orNull(f.text({ ...ourTax, max: 255 })),
  /** List price × quantity, before discounts. Null without discounts. */
  listRate: f.orNull(f.amount({ ours: true })),
  /** What each coupon takes off the amount. Null without discounts. */
  discounts: f.orNull(f.json<readonly ItemDiscount[]>({ ours: true })),
  /** amount − Σ|ITEM_ADJ| − Σ|REPAIR_ADJ| of this item (BilledItemState of invoicing §1.5). */
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

/** The rule for the charged period of a cycle. The values are rules 3, 2, 4 and 1 of invoicing §5.4, in this order. */
export const PeriodRule = enumeration('WHOLE', 'LEADING', 'TRAILING', 'BETWEEN_EVENTS');
export type PeriodRule = keyof typeof PeriodRule;

/** The rule for the amount of a repair (invoicing §6 rules 3, 4). */
export const RepairRule = {
  /** Repairs the whole row. */
  WHOLE: 'WHOLE',
  /** Repairs some days of the row. */
  PART: 'PART',
  /** Limits the repair to the amount left after adjustments and earlier repairs. */
  LIMIT: 'LIMIT',
  /** Repairs the last day with the whole remaining amount. */
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
  /** Coupons in the order in which they apply. Null if there are none. */
  readonly discounts: readonly BasisDiscount[] | null;
}

/** A recurring price for a period or its unbilled part (invoicing §5, §6 rule 2). */
export interface RecurringBasis {
  readonly kind: 'RECURRING';
  /** The event that sets the price, and the next event. Null if there is none. */
  readonly event: BasisEvent;
  readonly nextEvent: BasisEvent | null;
  readonly price: Decimal;
  readonly quantity: number;
  /** Coupons in the order in which they apply. Null if there are none. */
  readonly discounts: readonly BasisDiscount[] | null;
  readonly billingPeriod: BillingPeriod;
  readonly billingMode: BillingMode;
  readonly billCycleDay: number;
  readonly isAccountAligned: boolean;
  /** The alignment of the bill cycle with its catalog case; null means not recorded. */
  readonly billingAlignment: RuleDecision<BillingAlignment> | null;
  /** True if the day comes from a BCD_CHANGE; null means not recorded. */
  readonly isRequestedDay: boolean | null;
  readonly rule: PeriodRule;
  /** The proposed period. */
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Share of the rate; null means the whole rate. */
  readonly share: Share | null;
  /** The billed part's share of the period's amount or, with fixed days, of the rate; null means the whole period. */
  readonly part: Share | null;
  /** Fixed length of a month in days; 0 means calendar days. */
  readonly prorationFixedDays: number;
}

/** Repaired days of a recurring item (invoicing §6 rules 3–5, 7). */
export interface RepairBasis {
  readonly kind: 'REPAIR';
  /** The last event up to the first repaired day. Null if there is none. */
  readonly event: BasisEvent | null;
  readonly rule: RepairRule;
  /** The part of the item in force that contains the repaired days. */
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly amount: Decimal;
  /** The share by days; null means the whole row. */
  readonly share: Share | null;
  /** The rest of the item before the repair. */
  readonly repairable: Decimal;
  /** Codes of the coupons with which the days are charged again; null if the plan or phase is not charged again. */
  readonly coupons: readonly string[] | null;
}

/** The blocks of a unit in a tier; for CAPACITY the peak of a unit and its tier. */
export interface UsageLine {
  /** Number of the tier, from 1. */
  readonly tier: number;
  readonly unit: string;
  /** Price of a block. For CAPACITY, price of the tier. */
  readonly price: Decimal;
  /** Number of blocks. For CAPACITY, the peak. */
  readonly quantity: Decimal;
  /** Number of units in a block. Null for CAPACITY, as is `amount`. */
  readonly blockSize: Decimal | null;
  readonly amount: Decimal | null;
}

/** The usage of a period and its unbilled amount (usage §5, §7.3). */
export interface UsageBasis {
  readonly kind: 'USAGE';
  /** The event that started the section, and the event at the end of the period; null means a cycle date. */
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
  /** Used quantities of the units of the lines. */
  readonly used: readonly { readonly unit: string; readonly quantity: Decimal }[];
  /** The lines of the period, or only this item's line if each line has an item. */
  readonly lines: readonly UsageLine[];
  /** The share of the minimum of the usage terms; null means the whole minimum, or no minimum line. */
  readonly minimum: Share | null;
  /** Total of the lines, rounded to the currency; for CAPACITY the price of the tier that fits all peaks. */
  readonly due: Decimal;
  /** The part of `due` billed before. */
  readonly billed: Decimal;
  /** For a repair, the amount still to be credited and the remaining amount of the repaired item. */
  readonly credit: { readonly open: Decimal; readonly left: Decimal } | null;
  /** The rated amount, before changes of plugins. */
  readonly amount: Decimal;
}

/** Account credit created from an invoice or used on it (invoicing §10 rule 2). */
export interface CreditBasis {
  readonly kind: 'CREDIT';
  /** Previous balance of the invoice. */
  readonly balance: Decimal;
  /** Previous credit of the account; 0 for a withheld invoice. */
  readonly credit: Decimal;
}

/** An item that an invoice plugin added or changed (invoicing §13). */
export interface PluginBasis {
  readonly kind: 'PLUGIN';
  readonly pluginName: string;
  /** The facts of a changed item's computed amount before the change. */
  readonly changed: ComputedBasis | null;
  /** The amount that a user gave the changed item. If both members are null, the plugin added the item. */
  readonly given: Decimal | null;
}

/** The facts of an amount computed by the engine. */
export type ComputedBasis = FixedBasis | RecurringBasis | RepairBasis | UsageBasis | CreditBasis;

/** The facts of an item's amount at its creation, stored because later events, uploads and repairs change them. */
export type ItemBasis = ComputedBasis | PluginBasis;
