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
  PhaseType,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import { problemText } from '../../../lib/values/errors/index.ts';
import { BillingPeriod, TimeUnit } from '../../../lib/values/time/index.ts';
import { LazyList } from '../wire/json-pieces.ts';
import { field, model } from '../wire/model.ts';
import { currency, decimalNumber, enumeration, int, text, timestamp } from '../wire/scalars.ts';
import { anyValue, listOf, type Rendering, type WireType } from '../wire/wire-type.ts';
import { Duration } from './duration.ts';

// The JSON catalog of catalog §11, in answers only; closed in dialect K, with further fields in D.

const onlyD = { onlyD: true } as const;

/** A bound or count as its document writes it; -1: none. */
const written: WireType<string> = { ...text(), write: (number) => (number as WrittenDecimal).text };

export const Price = model('Price', {
  currency: field(currency, 'R'),
  value: field(decimalNumber, 'R', {
    nullable: true,
    from: ({ amount }: CatalogPrice) => amount?.value ?? null,
  }),
});

/** Prices by currency; `priceOf` tells what of the thing shown they are, which may have none. */
function prices<T>(priceOf: (shown: T) => InternationalPrice | null | undefined) {
  return field(listOf(Price), 'R', { from: (shown: T) => priceOf(shown)?.prices ?? [] });
}

const Unit = model('Unit', { name: field(text(), 'R'), prettyName: field(text(), 'R') });

const Limit = model('Limit', {
  unit: field(text(), 'R'),
  max: field(written, 'R'),
  min: field(written, 'R'),
});

const TieredBlock = model('TieredBlock', {
  unit: field(text(), 'R'),
  size: field(written, 'R'),
  max: field(written, 'R'),
  prices: prices((block: CatalogTieredBlock) => block.prices),
});

const Block = model('Block', {
  type: field(enumeration(BlockType), 'R'),
  unit: field(text(), 'R'),
  size: field(written, 'R'),
  prices: prices((block: CatalogBlock) => block.prices),
  minTopUpCredit: field(written, 'R', { nullable: true }),
});

const Tier = model('Tier', {
  blocks: field(listOf(TieredBlock), 'R'),
  limits: field(listOf(Limit), 'R'),
  fixedPrice: prices((tier: CatalogTier) => tier.fixedPrice),
  recurringPrice: prices((tier: CatalogTier) => tier.recurringPrice),
});

const Usage = model('Usage', {
  billingPeriod: field(enumeration(BillingPeriod), 'R'),
  tiers: field(listOf(Tier), 'R'),
  name: field(text(), 'R', onlyD),
  prettyName: field(text(), 'R', onlyD),
  billingMode: field(enumeration(BillingMode), 'R', onlyD),
  usageType: field(enumeration(UsageType), 'R', onlyD),
  tierBlockPolicy: field(enumeration(TierBlockPolicy), 'R', onlyD),
  limits: field(listOf(Limit), 'R', onlyD),
  blocks: field(listOf(Block), 'R', onlyD),
});

export const Phase = model('Phase', {
  type: field(enumeration(PhaseType), 'R'),
  prices: prices(({ recurring }: PlanPhase) => recurring?.price),
  fixedPrices: prices(({ fixed }: PlanPhase) => fixed?.price),
  duration: field(Duration, 'R'),
  usages: field(listOf(Usage), 'R'),
  name: field(text(), 'R', onlyD),
  prettyName: field(text(), 'R', onlyD),
  recurringBillingPeriod: field(enumeration(BillingPeriod), 'R', {
    nullable: true,
    onlyD: true,
    from: ({ recurring }: PlanPhase) => recurring?.billingPeriod ?? null,
  }),
});

export const Plan = model('Plan', {
  name: field(text(), 'R'),
  prettyName: field(text(), 'R'),
  recurringBillingMode: field(enumeration(BillingMode), 'R', { nullable: true }),
  billingPeriod: field(enumeration(BillingPeriod), 'R'),
  phases: field(listOf(Phase), 'R'),
  product: field(text(), 'R', onlyD),
  priceList: field(text(), 'R', { nullable: true, onlyD: true }),
  plansAllowedInBundle: field(int(), 'R', onlyD),
  effectiveDateForExistingSubscriptions: field(timestamp, 'R', { nullable: true, onlyD: true }),
});

/** The plan with the first list of the version that holds it. */
export function shownPlan(plan: CatalogPlan, version: CatalogVersion) {
  return { ...plan, priceList: version.priceListOf(plan) };
}

export const Product = model('Product', {
  type: field(enumeration(ProductCategory), 'R', { from: ({ category }: CatalogProduct) => category }),
  name: field(text(), 'R'),
  prettyName: field(text(), 'R'),
  plans: field(listOf(Plan), 'R'),
  included: field(listOf(text()), 'R'),
  available: field(listOf(text()), 'R'),
});

export const PriceList = model('PriceList', {
  name: field(text(), 'R'),
  plans: field(listOf(text()), 'R'),
  prettyName: field(text(), 'R', onlyD),
});

/** How a case of each rule calls its result. */
const RESULTS: Readonly<Record<keyof PlanRules, string>> = {
  changePolicy: 'policy',
  changeAlignment: 'alignment',
  cancelPolicy: 'policy',
  createAlignment: 'alignment',
  billingAlignment: 'alignment',
  priceList: 'toPriceList',
};

/** The cases of each rule, flat; a condition that is null holds always. */
function rulesOf({ rules }: CatalogVersion) {
  const named = Object.entries(RESULTS) as [keyof PlanRules, string][];
  return Object.fromEntries(
    named.map(([rule, name]) => [
      rule,
      rules[rule].map(({ conditions, result }) => ({ ...conditions, [name]: result })),
    ]),
  );
}

/** Each product is made when it is written, since for a large version they take long. */
function productsOf(version: CatalogVersion, rendering: Rendering) {
  return new LazyList(function* () {
    const plansOf = Map.groupBy(version.planParts.parts, (part) => soldAs(part).product);
    for (const { value: product } of version.productParts.parts) {
      const plans = (plansOf.get(product.name) ?? []).map(({ value }) => shownPlan(value, version));
      yield Product.write({ ...product, plans }, rendering);
    }
  });
}

/** One version. */
export const Catalog = model('Catalog', {
  name: field(text(), 'R', { from: ({ catalogName }: CatalogVersion) => catalogName }),
  effectiveDate: field(timestamp, 'R'),
  currencies: field(listOf(currency), 'R'),
  units: field(listOf(Unit), 'R'),
  products: field(listOf(Product), 'R', { from: productsOf }),
  priceLists: field(listOf(PriceList), 'R', { from: ({ allPriceLists }: CatalogVersion) => allPriceLists }),
  rules: field(anyValue, 'R', { onlyD: true, from: rulesOf }),
});

/** A plan that can be bought, on one price list. */
export const PlanDetail = model('PlanDetail', {
  product: field(text(), 'R', { from: ({ plan }: AvailablePlan) => plan.product }),
  plan: field(text(), 'R', { from: ({ plan }: AvailablePlan) => plan.name }),
  priceList: field(text(), 'R', { from: ({ priceListName }: AvailablePlan) => priceListName }),
  finalPhaseBillingPeriod: field(enumeration(BillingPeriod), 'R', {
    from: ({ plan }: AvailablePlan) => plan.billingPeriod,
  }),
  finalPhaseRecurringPrice: prices(({ plan }: AvailablePlan) => plan.finalPhase.recurring?.price),
});

export const SimplePlan = model('SimplePlan', {
  planId: field(text(255), 'I'),
  productName: field(text(255), 'I'),
  productCategory: field(enumeration(ProductCategory), 'I'),
  currency: field(currency, 'I'),
  amount: field(decimalNumber, 'I'),
  billingPeriod: field(enumeration(BillingPeriod), 'I'),
  trialLength: field(int(), 'I'),
  trialTimeUnit: field(enumeration(TimeUnit), 'I'),
  availableBaseProducts: field(listOf(text(255)), 'I'),
});

const errorDescription = field(text(), 'R', { from: problemText });
const CatalogValidationError = model('CatalogValidationError', { errorDescription });
const CatalogValidationWarning = model('CatalogValidationWarning', { warningDescription: errorDescription });

export const CatalogValidation = model('CatalogValidation', {
  catalogValidationErrors: field(listOf(CatalogValidationError), 'R', {
    from: ({ errors }: Validation) => errors,
  }),
  catalogValidationWarnings: field(listOf(CatalogValidationWarning), 'R', {
    onlyD: true,
    from: ({ warnings }: Validation) => warnings,
  }),
});
