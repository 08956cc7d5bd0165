import { z } from 'zod';
import {
  BillingMode,
  CatalogState,
  type EntryPhase,
  PhaseType,
  type PlanEntryView,
  ProductCategory,
  QuotaOverage,
  QuotaPeriod,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import { MAX_FRACTION_DIGITS } from '../../../lib/values/limits.ts';
import { type Decimal, decimalOf } from '../../../lib/values/money/index.ts';
import { BillingPeriod, formatInstant, type Instant, TimeUnit } from '../../../lib/values/time/index.ts';
import { onDemand, withLazy } from '../wire/lazy-values.ts';
import { type Access, alike, field, model, modelWith } from '../wire/model.ts';
import { bool, currency, decimalNumber, enumeration, int, text, timestamp } from '../wire/scalars.ts';
import { documentOf, listOf, perDialect, type WireType } from '../wire/wire-type.ts';

// The library rejects a new plan that is incomplete (61004). An existing plan needs only its name (json-models §13).

/** A date-time. Requests may also contain a date. Responses contain "" if the value is missing. */
function dateOrEmpty<Name extends string, A extends Access>(name: Name, access: A) {
  const type = replaceAnswer(timestamp, {
    answer: () => z.union([z.literal(''), z.iso.datetime({ precision: 3 })]),
    document: () => z.union([z.literal(''), z.iso.datetime({ precision: 3 }), z.iso.date()]),
    write: (date: Instant | '') => date && formatInstant(date),
  });
  return field(type, access, { from: (view: Readonly<Record<Name, Instant | null>>) => view[name] ?? '' });
}

/** A decimal number. Responses contain it as a string with nine fractional digits. */
const decimalText: WireType<Decimal> = replaceAnswer(decimalNumber, {
  answer: () => z.string().regex(/^-?\d+\.\d{9}$/, { error: 'is not a decimal with nine fractional digits' }),
  document: () => z.string().regex(/^-?\d+(\.\d{1,9})?$/),
  write: (value: Decimal) => value.toFixed(MAX_FRACTION_DIGITS),
});

interface Answering<S> {
  readonly answer: () => z.ZodType;
  /**
   * Returns the schema for the API document, which also covers the forms allowed in requests. Defaults to the schema of
   * responses.
   */
  readonly document?: () => z.ZodType;
  readonly write: (value: S) => string;
}

function replaceAnswer<T, S>(
  type: WireType<T>,
  { answer: make, document: describe = make, write }: Answering<S>,
): WireType<T> {
  return withLazy(
    {
      request: type.request,
      answer: perDialect(onDemand(make)),
      write: (value: unknown) => write(value as S),
    },
    { json: () => documentOf(describe()) },
  );
}

const PriceData = modelWith('C', 'PriceData', { currency, value: decimalText });
const prices = listOf(PriceData);

/** The name of a unit. Requests may also contain an object with `code` or `name` (usage §4 rule 2). */
const meterCode: WireType<string> = withLazy(
  {
    answer: text().answer,
    request: perDialect((dialect) => z.preprocess(codeOfMeter, text().request[dialect])),
  },
  { json: () => text().json },
);

function codeOfMeter(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { code, name } = value as { readonly code?: unknown; readonly name?: unknown };
  return code ?? name ?? value;
}

const BlockData = modelWith('C', 'BlockData', {
  billingMeterCode: meterCode,
  size: int({ minimum: 1 }),
  max: int({ minimum: -1 }),
  prices,
});

const TierData = modelWith('C', 'TierData', { tierNumber: int(), blocks: listOf(BlockData) });

const UsageData = modelWith('C', 'UsageData', {
  usageName: text(),
  usageType: enumeration(UsageType),
  prettyName: text(),
  billingPeriod: enumeration(BillingPeriod),
  tierBlockPolicy: enumeration(TierBlockPolicy),
  tiers: listOf(TierData),
});

const FeatureValueData = modelWith('C', 'FeatureValueData', {
  name: text(),
  value: text(),
  per: field(enumeration(QuotaPeriod), 'C', { nullable: true }),
  overage: field(enumeration(QuotaOverage), 'C', { nullable: true }),
  perQuantity: field(bool, 'C', { nullable: true }),
});

/** Values of features. Only dialect D supports them. Responses omit the field if there are no values. */
const features = field(listOf(FeatureValueData), 'C', { onlyD: true, absentable: true });

const RecurringPriceData = modelWith('C', 'RecurringPriceData', {
  billingPeriod: enumeration(BillingPeriod),
  prices,
});

const phase = modelWith('W', 'PhaseData', {
  prettyName: text(),
  type: enumeration(PhaseType),
  durationUnit: field(enumeration(TimeUnit), 'W', { from: ({ duration }: EntryPhase) => duration.unit }),
  durationLength: field(int({ minimum: -1 }), 'W', { from: ({ duration }: EntryPhase) => duration.number }),
  fixedPrices: prices,
  recurringPrices: field(RecurringPriceData, 'W', {
    absentable: true,
    from: ({ recurringPrices }: EntryPhase) => recurringPrices ?? undefined,
  }),
  usages: listOf(UsageData),
  features,
});

const { name, json, answer, write } = phase;
/** Fields of a phase. In requests, the type may also be named `phaseType` (json-models §13). */
export const PhaseData = {
  name,
  json,
  answer,
  write,
  request: perDialect((dialect) => z.preprocess(withType, phase.request[dialect])),
};

function withType(value: unknown): unknown {
  if (!isObject(value) || !('phaseType' in value) || 'type' in value) return value;
  return { ...value, type: value.phaseType };
}

function isObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && decimalOf(value) === undefined
  );
}

export const PlanData = modelWith('C', 'PlanData', {
  name: text(),
  prettyName: text(),
  recurringBillingMode: enumeration(BillingMode),
  effectiveDate: dateOrEmpty('effectiveDate', 'C'),
  effectiveDateForExistingSubscriptions: dateOrEmpty('effectiveDateForExistingSubscriptions', 'C'),
  productName: text(),
  pricelistName: text(),
  retired: field(bool, 'R'),
  phases: field(listOf(PhaseData), 'C', { from: phasesOf }),
  features,
});

/** Returns the phases of a plan. A retired plan has no recurring prices (catalog §15.1 rule 3). */
function phasesOf({ phases, retired }: PlanEntryView): readonly EntryPhase[] {
  return retired ? phases.map((each) => ({ ...each, recurringPrices: null })) : phases;
}

export const ProductData = modelWith('C', 'ProductData', {
  ...alike(text(), 'name', 'prettyName'),
  category: enumeration(ProductCategory),
  ...alike(listOf(text()), 'availableForBps', 'availableAddons'),
  retiredDate: dateOrEmpty('retiredDate', 'R'),
  features,
});

export const CatalogInputData = modelWith('C', 'CatalogInputData', {
  catalogName: text(),
  plans: listOf(PlanData),
  products: listOf(ProductData),
});

export const CatalogInfo = model('CatalogInfo', { state: enumeration(CatalogState) });
