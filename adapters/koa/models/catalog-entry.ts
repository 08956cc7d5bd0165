import { z } from 'zod';
import {
  BillingMode,
  type CatalogEntriesView,
  CatalogState,
  type EntryPhase,
  type EntryPrice,
  type EntryUsage,
  PhaseType,
  type PlanEntryView,
  ProductCategory,
  type ProductEntryView,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import { MAX_FRACTION_DIGITS } from '../../../lib/values/limits.ts';
import { Decimal, type Decimal as DecimalValue } from '../../../lib/values/money/index.ts';
import { BillingPeriod, formatInstant, type Instant, TimeUnit } from '../../../lib/values/time/index.ts';
import { documentOf } from '../wire/json-schema.ts';
import { field, model } from '../wire/model.ts';
import { onDemand } from '../wire/on-demand.ts';
import { bool, currency, decimalNumber, enumeration, int, text, timestamp } from '../wire/scalars.ts';
import { listOf, perDialect, type WireType } from '../wire/wire-type.ts';

// The models of json-models §13. What a creation needs is checked by the library, which refuses it with 61004: of a plan
// that exists already nothing is needed but its name.

/** A date-time; in answers "" where there is none. */
const dateOrEmpty: WireType<Instant> = answering(timestamp, () =>
  z.union([z.literal(''), z.iso.datetime({ precision: 3 })]),
);

/** A decimal, in answers as text with nine fractional digits. */
const decimalText: WireType<DecimalValue> = answering(decimalNumber, () =>
  z.string().regex(/^-?\d+\.\d{9}$/, { error: 'is not a decimal with nine fractional digits' }),
);

function answering<T>(type: WireType<T>, make: () => z.ZodType): WireType<T> {
  const answer = onDemand(make);
  const document = onDemand(() => documentOf(answer()));
  return {
    request: type.request,
    answer: perDialect(answer),
    get json() {
      return document();
    },
  };
}

const PriceData = model('PriceData', {
  currency: field(currency, 'C'),
  value: field(decimalText, 'C'),
});
const prices = listOf(PriceData);

const BlockData = model('BlockData', {
  billingMeterCode: field(text(), 'C'),
  size: field(int({ minimum: 1 }), 'C'),
  max: field(int({ minimum: -1 }), 'C'),
  prices: field(prices, 'C'),
});

const TierData = model('TierData', {
  tierNumber: field(int(), 'C'),
  blocks: field(listOf(BlockData), 'C'),
});

const UsageData = model('UsageData', {
  usageName: field(text(), 'C'),
  usageType: field(enumeration(UsageType), 'C'),
  prettyName: field(text(), 'C'),
  billingPeriod: field(enumeration(BillingPeriod), 'C'),
  tierBlockPolicy: field(enumeration(TierBlockPolicy), 'C'),
  tiers: field(listOf(TierData), 'C'),
});

const RecurringPriceData = model('RecurringPriceData', {
  billingPeriod: field(enumeration(BillingPeriod), 'C'),
  prices: field(prices, 'C'),
});

const phase = model('PhaseData', {
  prettyName: field(text(), 'W'),
  type: field(enumeration(PhaseType), 'W'),
  durationUnit: field(enumeration(TimeUnit), 'W'),
  durationLength: field(int({ minimum: -1 }), 'W'),
  fixedPrices: field(prices, 'W'),
  recurringPrices: field(RecurringPriceData, 'W', { absentable: true }),
  usages: field(listOf(UsageData), 'W'),
});

/** `phaseType` is read too (json-models §13). */
export const PhaseData = {
  name: phase.name,
  json: phase.json,
  answer: phase.answer,
  request: perDialect((dialect) => z.preprocess(withType, phase.request[dialect])),
};

function withType(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (Decimal.isDecimal(value) || !('phaseType' in value) || 'type' in value) return value;
  return { ...value, type: value.phaseType };
}

export const PlanData = model('PlanData', {
  name: field(text(), 'C'),
  prettyName: field(text(), 'C'),
  recurringBillingMode: field(enumeration(BillingMode), 'C'),
  effectiveDate: field(dateOrEmpty, 'C'),
  effectiveDateForExistingSubscriptions: field(dateOrEmpty, 'C'),
  productName: field(text(), 'C'),
  pricelistName: field(text(), 'C'),
  retired: field(bool, 'R'),
  phases: field(listOf(PhaseData), 'C'),
});

export const ProductData = model('ProductData', {
  name: field(text(), 'C'),
  prettyName: field(text(), 'C'),
  category: field(enumeration(ProductCategory), 'C'),
  availableForBps: field(listOf(text()), 'C'),
  availableAddons: field(listOf(text()), 'C'),
  retiredDate: field(dateOrEmpty, 'R'),
});

export const CatalogInputData = model('CatalogInputData', {
  catalogName: field(text(), 'C'),
  plans: field(listOf(PlanData), 'C'),
  products: field(listOf(ProductData), 'C'),
});

export const CatalogInfo = model('CatalogInfo', { state: field(enumeration(CatalogState), 'R') });

export function catalogInputJson({ catalogName, plans, products }: CatalogEntriesView): object {
  return { catalogName, plans: plans.map(planJson), products: products.map(productJson) };
}

export function productJson(product: ProductEntryView): object {
  const { name, prettyName, category, availableForBps, availableAddons, retiredDate } = product;
  return { name, prettyName, category, availableForBps, availableAddons, retiredDate: dateJson(retiredDate) };
}

/** A row of a retirement shows no recurring prices (catalog §15.1 rule 3). */
export function planJson(plan: PlanEntryView): object {
  return {
    name: plan.name,
    prettyName: plan.prettyName,
    recurringBillingMode: plan.recurringBillingMode,
    effectiveDate: dateJson(plan.effectiveDate),
    effectiveDateForExistingSubscriptions: dateJson(plan.effectiveDateForExistingSubscriptions),
    productName: plan.productName,
    pricelistName: plan.pricelistName,
    retired: plan.retired,
    phases: plan.phases.map((each) => phaseJson(plan.retired ? { ...each, recurringPrices: null } : each)),
  };
}

function phaseJson({ recurringPrices, ...each }: EntryPhase): object {
  return {
    prettyName: each.prettyName,
    type: each.type,
    durationUnit: each.duration.unit,
    durationLength: each.duration.number,
    fixedPrices: each.fixedPrices.map(priceJson),
    ...(recurringPrices && {
      recurringPrices: {
        billingPeriod: recurringPrices.billingPeriod,
        prices: recurringPrices.prices.map(priceJson),
      },
    }),
    usages: each.usages.map(usageJson),
  };
}

function usageJson(usage: EntryUsage): object {
  return {
    usageName: usage.usageName,
    usageType: usage.usageType,
    prettyName: usage.prettyName,
    billingPeriod: usage.billingPeriod,
    tierBlockPolicy: usage.tierBlockPolicy,
    tiers: usage.tiers.map(({ tierNumber, blocks }) => ({
      tierNumber,
      blocks: blocks.map((block) => ({ ...block, prices: block.prices.map(priceJson) })),
    })),
  };
}

function priceJson({ currency: code, value }: EntryPrice): object {
  return { currency: code, value: value.toFixed(MAX_FRACTION_DIGITS) };
}

function dateJson(date: Instant | null): string {
  return date === null ? '' : formatInstant(date);
}
