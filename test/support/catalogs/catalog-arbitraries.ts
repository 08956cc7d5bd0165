import fc from 'fast-check';
import type {
  Block,
  InternationalPrice,
  Limit,
  PhaseContent,
  PlanContent,
  PlanRules,
  PriceList,
  Product,
  RuleCase,
  Tier,
  TieredBlock,
  Usage,
  VersionContent,
  WrittenDecimal,
} from '../../../lib/catalog/index.ts';
import {
  BillingActionPolicy,
  BillingAlignment,
  BillingMode,
  BlockType,
  FeatureCombination,
  type FeatureDeclaration,
  FeatureKind,
  type FeatureSetting,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  ProductCategory,
  QuotaOverage,
  QuotaPeriod,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import { currencyCodes, Decimal } from '../../../lib/values/money/index.ts';
import { BillingPeriod, type Duration, instant, TimeUnit } from '../../../lib/values/time/index.ts';
import { anyText } from '../any-text.ts';

// Catalogs of every shape that a document can have, sensible or not.

function oneOf<T>(values: Readonly<Record<string, T>>): fc.Arbitrary<T> {
  return fc.constantFrom(...Object.values(values));
}

function orNull<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(arbitrary, { nil: null });
}

function few<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(arbitrary, { maxLength: 3 });
}

const ILLEGAL_IN_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const xmlText = fc
  .oneof(
    anyText(30),
    fc.string({
      unit: fc.constantFrom('<', '>', '&', '"', "'", ']]>', '\t', '\n', '\r', ' ', 'a', '\u0085', '\u00A0'),
    }),
  )
  .map((text) => text.toWellFormed().replaceAll(ILLEGAL_IN_XML, '?'));
const catalogName = xmlText.map((text) => `n${text}n`);
const name = fc.stringMatching(/^[A-Za-z_é][A-Za-z0-9_.é-]{0,12}$/);
const moment = fc.integer({ min: -2_000_000_000_000, max: 9_000_000_000_000 }).map(instant);
const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const currency = fc.constantFrom(...currencyCodes);

const decimal: fc.Arbitrary<WrittenDecimal> = fc
  .stringMatching(/^[+-]?(0{0,2}[0-9]{1,15}(\.[0-9]{0,9})?|\.[0-9]{1,9})$/)
  .map((text) => ({ value: new Decimal(text).plus(0), text }));

const price: fc.Arbitrary<InternationalPrice> = fc.record({
  prices: few(fc.record({ currency, amount: orNull(decimal) })),
});

const limit: fc.Arbitrary<Limit> = fc.record({ unit: name, max: decimal, min: decimal });
const block: fc.Arbitrary<Block> = fc.record({
  type: oneOf(BlockType),
  unit: name,
  size: decimal,
  prices: price,
  minTopUpCredit: orNull(decimal),
});
const tieredBlock: fc.Arbitrary<TieredBlock> = fc.record({
  unit: name,
  size: decimal,
  prices: price,
  max: decimal,
});
const tier: fc.Arbitrary<Tier> = fc.record({
  limits: few(limit),
  blocks: few(tieredBlock),
  fixedPrice: orNull(price),
  recurringPrice: orNull(price),
});
const usage: fc.Arbitrary<Usage> = fc.record({
  name,
  prettyName: xmlText,
  billingMode: oneOf(BillingMode),
  usageType: oneOf(UsageType),
  tierBlockPolicy: oneOf(TierBlockPolicy),
  billingPeriod: oneOf(BillingPeriod),
  limits: few(limit),
  blocks: few(block),
  tiers: few(tier),
  fixedPrice: orNull(price),
  recurringPrice: orNull(price),
});

const featureValue: fc.Arbitrary<FeatureSetting> = fc.record({
  name,
  value: xmlText,
  per: orNull(oneOf(QuotaPeriod)),
  overage: orNull(oneOf(QuotaOverage)),
  perQuantity: orNull(fc.boolean()),
});
const feature: fc.Arbitrary<FeatureDeclaration> = fc.oneof(
  fc.record({
    name,
    kind: fc.constant(FeatureKind.NUMBER),
    combine: oneOf(FeatureCombination),
    unit: orNull(name),
  }),
  fc.record({
    name,
    kind: fc.constantFrom(FeatureKind.SWITCH, FeatureKind.TEXT, FeatureKind.QUOTA),
    combine: orNull(oneOf(FeatureCombination)),
    unit: orNull(name),
  }),
);

/** Adds features to some of the records. A record without features lacks the list. */
function withFeatures<T extends object, F>(owner: fc.Arbitrary<T>, features: fc.Arbitrary<F>) {
  return fc.tuple(owner, few(features)).map(([record, some]) => {
    return some.length === 0 ? record : { ...record, features: some };
  });
}

const duration: fc.Arbitrary<Duration> = fc.record({ unit: oneOf(TimeUnit), number: int });
const phase: fc.Arbitrary<PhaseContent> = withFeatures(
  fc.record({
    type: oneOf(PhaseType),
    prettyName: orNull(xmlText),
    duration,
    fixed: orNull(fc.record({ type: fc.constant('ONE_TIME' as const), price })),
    recurring: orNull(fc.record({ billingPeriod: oneOf(BillingPeriod), price: orNull(price) })),
    usages: fc.array(usage, { maxLength: 2 }),
  }),
  featureValue,
);
const plan: fc.Arbitrary<PlanContent> = withFeatures(
  fc.record({
    name,
    prettyName: xmlText,
    product: name,
    recurringBillingMode: orNull(oneOf(BillingMode)),
    effectiveDateForExistingSubscriptions: orNull(moment),
    initialPhases: few(phase),
    finalPhase: phase,
    plansAllowedInBundle: int,
  }),
  featureValue,
);
const product: fc.Arbitrary<Product> = withFeatures(
  fc.record({
    name,
    prettyName: xmlText,
    category: oneOf(ProductCategory),
    included: few(name),
    available: few(name),
    limits: few(limit),
  }),
  featureValue,
);
const priceList: fc.Arbitrary<PriceList> = fc.record({ name, prettyName: xmlText, plans: few(name) });

const phaseType = orNull(oneOf(PhaseType));
const period = orNull(oneOf(BillingPeriod));
const category = orNull(oneOf(ProductCategory));
const reference = orNull(name);
const fromConditions = {
  fromProduct: reference,
  fromProductCategory: category,
  fromBillingPeriod: period,
  fromPriceList: reference,
};
const changeConditions = fc.record({
  phaseType,
  ...fromConditions,
  toProduct: reference,
  toProductCategory: category,
  toBillingPeriod: period,
  toPriceList: reference,
});
const createConditions = {
  product: reference,
  productCategory: category,
  billingPeriod: period,
  priceList: reference,
};
const subscriptionConditions = fc.record({ phaseType, ...createConditions });

function cases<C, R>(conditions: fc.Arbitrary<C>, result: fc.Arbitrary<R>): fc.Arbitrary<RuleCase<C, R>[]> {
  return few(fc.record({ conditions, result }));
}

const rules: fc.Arbitrary<PlanRules> = fc.record({
  changePolicy: cases(changeConditions, oneOf(BillingActionPolicy)),
  changeAlignment: cases(changeConditions, oneOf(PlanAlignmentChange)),
  cancelPolicy: cases(subscriptionConditions, oneOf(BillingActionPolicy)),
  createAlignment: cases(fc.record(createConditions), oneOf(PlanAlignmentCreate)),
  billingAlignment: cases(subscriptionConditions, oneOf(BillingAlignment)),
  priceList: cases(fc.record(fromConditions), name),
});

export const versionContent: fc.Arbitrary<VersionContent> = withFeatures(
  fc.record({
    catalogName,
    effectiveDate: moment,
    recurringBillingMode: orNull(oneOf(BillingMode)),
    currencies: few(currency),
    units: few(fc.record({ name, prettyName: xmlText })),
    products: few(product),
    plans: few(plan),
    rules,
    priceLists: fc.record({ defaultPriceList: priceList, childPriceLists: few(priceList) }),
  }),
  feature,
);
