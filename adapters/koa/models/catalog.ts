import {
  type AvailablePlan,
  type Block as CatalogBlock,
  type Plan as CatalogPlan,
  type Price as CatalogPrice,
  type Product as CatalogProduct,
  type Tier as CatalogTier,
  type TieredBlock as CatalogTieredBlock,
  type CatalogVersion,
  type InternationalPrice,
  type PlanPhase,
  type PlanRules,
  soldAs,
  type CatalogValidation as Validation,
  type WrittenDecimal,
} from '../../../lib/catalog/index.ts';
import {
  BillingMode,
  BlockType,
  FeatureCombination,
  FeatureKind,
  type FeatureSetting,
  PhaseType,
  ProductCategory,
  QuotaOverage,
  QuotaPeriod,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import { problemText } from '../../../lib/values/errors/index.ts';
import { BillingPeriod, TimeUnit } from '../../../lib/values/time/index.ts';
import { LazyList } from '../wire/json-pieces.ts';
import { alike, derivedField, field, maybe, model, modelWith } from '../wire/model.ts';
import { bool, currency, decimalNumber, enumeration, int, text, timestamp } from '../wire/scalars.ts';
import { anyValue, listOf, type Rendering, type WireType } from '../wire/wire-type.ts';
import { Duration } from './duration.ts';

// The JSON form of a catalog (catalog §11) occurs only in responses. Dialect K omits some fields.

const onlyD = { onlyD: true } as const;

/** A bound or count in the form used in catalogs. -1 means unlimited. */
const written: WireType<string> = { ...text(), write: (number) => (number as WrittenDecimal).text };

export const Price = model('Price', {
  currency,
  value: maybe(decimalNumber, ({ amount }: CatalogPrice) => amount?.value ?? null),
});

/** Prices by currency. */
function prices<T>(priceOf: (view: T) => InternationalPrice | null | undefined) {
  return derivedField(listOf(Price), (view: T) => priceOf(view)?.prices ?? []);
}

const Unit = model('Unit', { name: text(), prettyName: text() });

const CatalogFeature = model('CatalogFeature', {
  name: text(),
  kind: enumeration(FeatureKind),
  combine: maybe(enumeration(FeatureCombination)),
  unit: maybe(text()),
});

const CatalogFeatureValue = model('CatalogFeatureValue', {
  name: text(),
  value: text(),
  per: maybe(enumeration(QuotaPeriod)),
  overage: maybe(enumeration(QuotaOverage)),
  perQuantity: maybe(bool),
});

const features = field(listOf(CatalogFeatureValue), 'R', {
  ...onlyD,
  from: (owner: { readonly features?: readonly FeatureSetting[] }) => owner.features ?? [],
});

const Limit = model('Limit', { unit: text(), max: written, min: written });

const TieredBlock = model('TieredBlock', {
  unit: text(),
  size: written,
  max: written,
  prices: prices((block: CatalogTieredBlock) => block.prices),
});

const Block = model('Block', {
  type: enumeration(BlockType),
  unit: text(),
  size: written,
  prices: prices((block: CatalogBlock) => block.prices),
  minTopUpCredit: maybe(written),
});

const Tier = model('Tier', {
  blocks: listOf(TieredBlock),
  limits: listOf(Limit),
  fixedPrice: prices((tier: CatalogTier) => tier.fixedPrice),
  recurringPrice: prices((tier: CatalogTier) => tier.recurringPrice),
});

const Usage = model('Usage', {
  billingPeriod: enumeration(BillingPeriod),
  tiers: listOf(Tier),
  ...alike(field(text(), 'R', onlyD), 'name', 'prettyName'),
  billingMode: field(enumeration(BillingMode), 'R', onlyD),
  usageType: field(enumeration(UsageType), 'R', onlyD),
  tierBlockPolicy: field(enumeration(TierBlockPolicy), 'R', onlyD),
  limits: field(listOf(Limit), 'R', onlyD),
  blocks: field(listOf(Block), 'R', onlyD),
});

export const Phase = model('Phase', {
  type: enumeration(PhaseType),
  prices: prices(({ recurring }: PlanPhase) => recurring?.price),
  fixedPrices: prices(({ fixed }: PlanPhase) => fixed?.price),
  duration: Duration,
  usages: listOf(Usage),
  ...alike(field(text(), 'R', onlyD), 'name', 'prettyName'),
  recurringBillingPeriod: {
    ...maybe(enumeration(BillingPeriod), ({ recurring }: PlanPhase) => recurring?.billingPeriod ?? null),
    ...onlyD,
  },
  features,
});

export const Plan = model('Plan', {
  name: text(),
  prettyName: text(),
  recurringBillingMode: maybe(enumeration(BillingMode)),
  billingPeriod: enumeration(BillingPeriod),
  phases: listOf(Phase),
  product: field(text(), 'R', onlyD),
  priceList: field(text(), 'R', { nullable: true, onlyD: true }),
  plansAllowedInBundle: field(int(), 'R', onlyD),
  effectiveDateForExistingSubscriptions: field(timestamp, 'R', { nullable: true, onlyD: true }),
  features,
});

/** Returns a plan with the first price list that contains it. */
export function shownPlan(plan: CatalogPlan, version: CatalogVersion) {
  return { ...plan, priceList: version.priceListOf(plan) };
}

export const Product = model('Product', {
  type: derivedField(enumeration(ProductCategory), ({ category }: CatalogProduct) => category),
  name: text(),
  prettyName: text(),
  plans: listOf(Plan),
  included: listOf(text()),
  available: listOf(text()),
  features,
});

export const PriceList = model('PriceList', {
  name: text(),
  plans: listOf(text()),
  prettyName: field(text(), 'R', onlyD),
});

/** Name of the field that contains a rule's result, such as `billingPolicy`. */
const RESULTS: Readonly<Record<keyof PlanRules, string>> = {
  changePolicy: 'policy',
  changeAlignment: 'alignment',
  cancelPolicy: 'policy',
  createAlignment: 'alignment',
  billingAlignment: 'alignment',
  priceList: 'toPriceList',
};

/** Returns the cases of each rule as flat objects. Null matches any value. */
function rulesOf({ rules }: CatalogVersion) {
  const named = Object.entries(RESULTS) as [keyof PlanRules, string][];
  return Object.fromEntries(
    named.map(([rule, name]) => [
      rule,
      rules[rule].map(({ conditions, result }) => ({ ...conditions, [name]: result })),
    ]),
  );
}

/**
 * Yields the products one by one, because a large version has many of them. Each product is created only when it is
 * written.
 */
function productsOf(version: CatalogVersion, rendering: Rendering) {
  return new LazyList(function* () {
    const plansOf = Map.groupBy(version.planParts.parts, (part) => soldAs(part).product);
    for (const { value: product } of version.productParts.parts) {
      const plans = (plansOf.get(product.name) ?? []).map(({ value }) => shownPlan(value, version));
      yield Product.write({ ...product, plans }, rendering);
    }
  });
}

/** A catalog version. */
export const Catalog = model('Catalog', {
  name: derivedField(text(), ({ catalogName }: CatalogVersion) => catalogName),
  effectiveDate: timestamp,
  currencies: listOf(currency),
  units: listOf(Unit),
  features: field(listOf(CatalogFeature), 'R', onlyD),
  products: derivedField(listOf(Product), productsOf),
  priceLists: derivedField(listOf(PriceList), ({ allPriceLists }: CatalogVersion) => allPriceLists),
  rules: field(anyValue, 'R', { onlyD: true, from: rulesOf }),
});

/** A plan that can be bought from a price list. */
export const PlanDetail = model('PlanDetail', {
  product: derivedField(text(), ({ plan }: AvailablePlan) => plan.product),
  plan: derivedField(text(), ({ plan }: AvailablePlan) => plan.name),
  priceList: derivedField(text(), ({ priceListName }: AvailablePlan) => priceListName),
  finalPhaseBillingPeriod: derivedField(
    enumeration(BillingPeriod),
    ({ plan }: AvailablePlan) => plan.billingPeriod,
  ),
  finalPhaseRecurringPrice: prices(({ plan }: AvailablePlan) => plan.finalPhase.recurring?.price),
});

export const SimplePlan = modelWith('I', 'SimplePlan', {
  planId: text(255),
  productName: text(255),
  productCategory: enumeration(ProductCategory),
  currency,
  amount: decimalNumber,
  billingPeriod: enumeration(BillingPeriod),
  trialLength: int(),
  trialTimeUnit: enumeration(TimeUnit),
  availableBaseProducts: listOf(text(255)),
});

const errorDescription = derivedField(text(), problemText);
const CatalogValidationError = model('CatalogValidationError', { errorDescription });
const CatalogValidationWarning = model('CatalogValidationWarning', { warningDescription: errorDescription });

export const CatalogValidation = model('CatalogValidation', {
  catalogValidationErrors: derivedField(listOf(CatalogValidationError), ({ errors }: Validation) => errors),
  catalogValidationWarnings: {
    ...derivedField(listOf(CatalogValidationWarning), ({ warnings }: Validation) => warnings),
    ...onlyD,
  },
});
