import { z } from 'zod';
import {
  BillingMode,
  CatalogState,
  type EntryPhase,
  PhaseType,
  type PlanEntryView,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import { MAX_FRACTION_DIGITS } from '../../../lib/values/limits.ts';
import { type Decimal, decimalOf } from '../../../lib/values/money/index.ts';
import { BillingPeriod, formatInstant, type Instant, TimeUnit } from '../../../lib/values/time/index.ts';
import { type Access, field, model } from '../wire/model.ts';
import { onDemand } from '../wire/on-demand.ts';
import { bool, currency, decimalNumber, enumeration, int, text, timestamp } from '../wire/scalars.ts';
import { documentOf, listOf, perDialect, type WireType } from '../wire/wire-type.ts';

// The models of json-models §13. The library checks what a creation needs and refuses it with 61004: a plan that exists
// already needs only its name.

/** A date-time, in requests also a date; in answers "" where there is none. */
function dateOrEmpty<Name extends string, A extends Access>(name: Name, access: A) {
  const type = answering(timestamp, {
    answer: () => z.union([z.literal(''), z.iso.datetime({ precision: 3 })]),
    document: () => z.union([z.literal(''), z.iso.datetime({ precision: 3 }), z.iso.date()]),
    write: (date: Instant | '') => date && formatInstant(date),
  });
  return field(type, access, { from: (shown: Readonly<Record<Name, Instant | null>>) => shown[name] ?? '' });
}

/** A decimal, in answers as text with nine fractional digits. */
const decimalText: WireType<Decimal> = answering(decimalNumber, {
  answer: () => z.string().regex(/^-?\d+\.\d{9}$/, { error: 'is not a decimal with nine fractional digits' }),
  document: () => z.string().regex(/^-?\d+(\.\d{1,9})?$/),
  write: (value: Decimal) => value.toFixed(MAX_FRACTION_DIGITS),
});

interface Answering<S> {
  readonly answer: () => z.ZodType;
  /** What requests may hold too; default: what answers do. */
  readonly document?: () => z.ZodType;
  readonly write: (value: S) => string;
}

function answering<T, S>(
  type: WireType<T>,
  { answer: make, document: told = make, write }: Answering<S>,
): WireType<T> {
  const answer = onDemand(make);
  const document = onDemand(() => documentOf(told()));
  return {
    request: type.request,
    answer: perDialect(answer),
    write: (value) => write(value as S),
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

/** The name of a unit; requests may also give it as the `code` or the `name` of an object (usage §4 rule 2). */
const meterCode: WireType<string> = {
  answer: text().answer,
  request: perDialect((dialect) => z.preprocess(codeOfMeter, text().request[dialect])),
  get json() {
    return text().json;
  },
};

function codeOfMeter(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { code, name } = value as { readonly code?: unknown; readonly name?: unknown };
  return code ?? name ?? value;
}

const BlockData = model('BlockData', {
  billingMeterCode: field(meterCode, 'C'),
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
  durationUnit: field(enumeration(TimeUnit), 'W', { from: ({ duration }: EntryPhase) => duration.unit }),
  durationLength: field(int({ minimum: -1 }), 'W', { from: ({ duration }: EntryPhase) => duration.number }),
  fixedPrices: field(prices, 'W'),
  recurringPrices: field(RecurringPriceData, 'W', {
    absentable: true,
    from: ({ recurringPrices }: EntryPhase) => recurringPrices ?? undefined,
  }),
  usages: field(listOf(UsageData), 'W'),
});

/** Requests may also name it `phaseType` (json-models §13). */
export const PhaseData = {
  name: phase.name,
  json: phase.json,
  answer: phase.answer,
  write: phase.write,
  request: perDialect((dialect) => z.preprocess(withType, phase.request[dialect])),
};

function withType(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (decimalOf(value) !== undefined || !('phaseType' in value) || 'type' in value) return value;
  return { ...value, type: value.phaseType };
}

export const PlanData = model('PlanData', {
  name: field(text(), 'C'),
  prettyName: field(text(), 'C'),
  recurringBillingMode: field(enumeration(BillingMode), 'C'),
  effectiveDate: dateOrEmpty('effectiveDate', 'C'),
  effectiveDateForExistingSubscriptions: dateOrEmpty('effectiveDateForExistingSubscriptions', 'C'),
  productName: field(text(), 'C'),
  pricelistName: field(text(), 'C'),
  retired: field(bool, 'R'),
  phases: field(listOf(PhaseData), 'C', { from: phasesOf }),
});

/** A row of a retirement shows no recurring prices (catalog §15.1 rule 3). */
function phasesOf({ phases, retired }: PlanEntryView): readonly EntryPhase[] {
  return retired ? phases.map((each) => ({ ...each, recurringPrices: null })) : phases;
}

export const ProductData = model('ProductData', {
  name: field(text(), 'C'),
  prettyName: field(text(), 'C'),
  category: field(enumeration(ProductCategory), 'C'),
  availableForBps: field(listOf(text()), 'C'),
  availableAddons: field(listOf(text()), 'C'),
  retiredDate: dateOrEmpty('retiredDate', 'R'),
});

export const CatalogInputData = model('CatalogInputData', {
  catalogName: field(text(), 'C'),
  plans: field(listOf(PlanData), 'C'),
  products: field(listOf(ProductData), 'C'),
});

export const CatalogInfo = model('CatalogInfo', { state: field(enumeration(CatalogState), 'R') });
