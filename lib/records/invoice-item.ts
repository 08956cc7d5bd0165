import {
  amount,
  bigint,
  currency,
  date,
  id,
  instant,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../values/fields/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { BillingPeriod, Instant, LocalDate } from '../values/time/index.ts';
import type { BillingTransitionType, RuleDecision } from './billing-event.ts';
import type {
  BillingAlignment,
  BillingMode,
  TierBlockPolicy,
  UsageType,
} from './catalog/catalog-enumerations.ts';
import { InvoiceItemType } from './invoice-item-types.ts';

/** Set by callers who add items by hand or bring them from another system. */
const onCreation = { set: 'creation' } as const;

export const invoiceItemFields = {
  recordId,
  id: id(),
  invoiceId: id(onCreation),
  accountId: id(onCreation),
  accountRecordId: bigint(),
  childAccountId: orNull(id()),
  bundleId: orNull(id(onCreation)),
  subscriptionId: orNull(id(onCreation)),
  productName: orNull(text(onCreation)),
  planName: orNull(text(onCreation)),
  phaseName: orNull(text(onCreation)),
  usageName: orNull(text(onCreation)),
  itemType: oneOf(InvoiceItemType, { ...onCreation, audit: 'type' }),
  description: orNull(text({ ...onCreation, max: 255 })),
  startDate: orNull(date(onCreation)),
  endDate: orNull(date(onCreation)),
  amount: amount(onCreation),
  rate: orNull(amount(onCreation)),
  currency: currency(onCreation),
  quantity: orNull(amount(onCreation)),
  linkedItemId: orNull(id(onCreation)),
  itemDetails: orNull(text(onCreation)),
  catalogEffectiveDate: orNull(instant()),
  /** amount − Σ|ITEM_ADJ| − Σ|REPAIR_ADJ| on this item (BilledItemState of invoicing §1.5). */
  repairable: amount({ audit: null }),
  createdDate: instant(),
};
export interface InvoiceItem extends RecordOf<typeof invoiceItemFields> {}

/** A new item to be stored. */
export interface AddedItem extends Omit<InvoiceItem, 'recordId'> {
  /** The facts behind the amount, where it is computed. */
  readonly basis?: ItemBasis | undefined;
}

/** A billing event, as an item records it. */
export interface BasisEvent {
  readonly type: BillingTransitionType;
  readonly effectiveDate: Instant;
  readonly localDate: LocalDate;
}

/** Which period of its cycle a recurring charge is for (invoicing §5.4): rule 3, 2, 4 or 1. */
export const PeriodRule = {
  WHOLE: 'WHOLE',
  LEADING: 'LEADING',
  TRAILING: 'TRAILING',
  BETWEEN_EVENTS: 'BETWEEN_EVENTS',
} as const;
export type PeriodRule = (typeof PeriodRule)[keyof typeof PeriodRule];

/** What decides how much a repair takes (invoicing §6 rules 3, 4). */
export const RepairRule = {
  /** The row is repaired as a whole. */
  WHOLE: 'WHOLE',
  /** The days of a part of the row. */
  PART: 'PART',
  /** No more than is left of the item after adjustments and earlier repairs. */
  LIMIT: 'LIMIT',
  /** The item's last day is taken, and with it all that is left. */
  REMAINDER: 'REMAINDER',
} as const;
export type RepairRule = (typeof RepairRule)[keyof typeof RepairRule];

/** A share by days: of which amount, and how many days of how many. */
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
}

/** A recurring price for a period, or for the part of it that was not billed yet (invoicing §5, §6 rule 2). */
export interface RecurringBasis {
  readonly kind: 'RECURRING';
  /** The event that the price comes from, and the one that ends its stretch; null = none was known. */
  readonly event: BasisEvent;
  readonly nextEvent: BasisEvent | null;
  readonly price: Decimal;
  readonly quantity: number;
  readonly billingPeriod: BillingPeriod;
  readonly billingMode: BillingMode;
  readonly billCycleDay: number;
  readonly isAccountAligned: boolean;
  /** Which case of the catalog aligns the bill cycle; null = not recorded, for items older than the record. */
  readonly billingAlignment: RuleDecision<BillingAlignment> | null;
  /** True if the day was requested, whatever the alignment; null = not recorded. */
  readonly isRequestedDay: boolean | null;
  readonly rule: PeriodRule;
  /** The period that was proposed. */
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Share of the rate; null = the whole rate. */
  readonly share: Share | null;
  /** For a part of the period: its share of the period's amount or, with fixed days, of the rate; null = all of it. */
  readonly part: Share | null;
  /** How many days every month counts for; 0 = calendar days. */
  readonly prorationFixedDays: number;
}

/** Days taken out of a recurring item (invoicing §6 rules 3–5, 7). */
export interface RepairBasis {
  readonly kind: 'REPAIR';
  /** The last event up to the first repaired day, as the events were then; null = none. */
  readonly event: BasisEvent | null;
  readonly rule: RepairRule;
  /** What was in force of the item around these days. */
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly amount: Decimal;
  /** The share by days; null = the whole row. */
  readonly share: Share | null;
  /** What was left of the item before. */
  readonly repairable: Decimal;
}

/** Blocks of one unit in one tier or, of CAPACITY, the peak of a unit and the tier that it fits into. */
export interface UsageLine {
  /** From 1. */
  readonly tier: number;
  readonly unit: string;
  /** Of one block; of CAPACITY that of the tier. */
  readonly price: Decimal;
  /** Blocks; of CAPACITY the peak. */
  readonly quantity: Decimal;
  /** Both null for CAPACITY. */
  readonly blockSize: Decimal | null;
  readonly amount: Decimal | null;
}

/** What was used in a period, and what was not billed of it yet (usage §5, §7.3). */
export interface UsageBasis {
  readonly kind: 'USAGE';
  /** The event that began to charge the section, and the one that ends the period; null = a cycle date does. */
  readonly event: BasisEvent;
  readonly nextEvent: BasisEvent | null;
  readonly usageName: string;
  readonly usageType: UsageType;
  /** null for CAPACITY. */
  readonly tierBlockPolicy: TierBlockPolicy | null;
  readonly billingPeriod: BillingPeriod;
  readonly startInstant: Instant;
  readonly endInstant: Instant;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** How much was used of the units of the lines. */
  readonly used: readonly { readonly unit: string; readonly quantity: Decimal }[];
  /** All of the period or, where each line has an item, that one. */
  readonly lines: readonly UsageLine[];
  /** The share of the minimum of the terms that one of the lines adds up to; null = the whole, or no such line. */
  readonly minimum: Share | null;
  /** What the lines come to, rounded to the currency; of CAPACITY the price of the tier that all peaks fit into. */
  readonly due: Decimal;
  /** What was billed of that before. */
  readonly billed: Decimal;
  /** For an item that gives back: how much was still to be given back, and how much could be of the item it repairs. */
  readonly credit: { readonly open: Decimal; readonly left: Decimal } | null;
  /** As it was rated, whatever plugins made of the item. */
  readonly amount: Decimal;
}

/** Account credit made of an invoice or used on it (invoicing §10 rule 2). */
export interface CreditBasis {
  readonly kind: 'CREDIT';
  /** Balance of the invoice before. */
  readonly balance: Decimal;
  /** Credit of the account before; for a withheld invoice 0. */
  readonly credit: Decimal;
}

/** Why an item is there, or has its amount: an invoice plugin (invoicing §13). */
export interface PluginBasis {
  readonly kind: 'PLUGIN';
  readonly pluginName: string;
  /** For an item that the plugin has changed, the facts behind its amount before, if it was computed. */
  readonly changed: ComputedBasis | null;
  /** For one whose amount people had given, that amount. null and nothing changed = the plugin has added the item. */
  readonly given: Decimal | null;
}

/** The facts of an amount that the engine has computed. */
export type ComputedBasis = FixedBasis | RecurringBasis | RepairBasis | UsageBasis | CreditBasis;

/**
 * The facts that made the amount of an item, as they were when it was made. They are stored with the item, because later
 * changes, uploads and repairs alter what the subscription's events and the catalog say about its days.
 */
export type ItemBasis = ComputedBasis | PluginBasis;
