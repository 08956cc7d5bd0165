import { type AvailablePlan, problemText } from '../../../lib/catalog/index.ts';
import {
  BillingMode,
  BlockType,
  PhaseType,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import type { Problem } from '../../../lib/values/errors/index.ts';
import { BillingPeriod, TimeUnit } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { currency, decimalNumber, enumeration, int, text, timestamp } from '../wire/scalars.ts';
import { anyValue, listOf } from '../wire/wire-type.ts';

// The JSON catalog of catalog §11: only answers, closed in dialect K, with further fields in D.

const onlyD = { onlyD: true } as const;

export const Price = model('Price', {
  currency: field(currency, 'R'),
  value: field(decimalNumber, 'R', { nullable: true }),
});
const prices = listOf(Price);

const Unit = model('Unit', { name: field(text(), 'R'), prettyName: field(text(), 'R') });

const Limit = model('Limit', {
  unit: field(text(), 'R'),
  max: field(text(), 'R'),
  min: field(text(), 'R'),
});

const TieredBlock = model('TieredBlock', {
  unit: field(text(), 'R'),
  size: field(text(), 'R'),
  max: field(text(), 'R'),
  prices: field(prices, 'R'),
});

const Block = model('Block', {
  type: field(enumeration(BlockType), 'R'),
  unit: field(text(), 'R'),
  size: field(text(), 'R'),
  prices: field(prices, 'R'),
  minTopUpCredit: field(text(), 'R', { nullable: true }),
});

const Tier = model('Tier', {
  blocks: field(listOf(TieredBlock), 'R'),
  limits: field(listOf(Limit), 'R'),
  fixedPrice: field(prices, 'R'),
  recurringPrice: field(prices, 'R'),
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

const Duration = model('Duration', {
  unit: field(enumeration(TimeUnit), 'R'),
  number: field(int(), 'R'),
});

export const Phase = model('Phase', {
  type: field(enumeration(PhaseType), 'R'),
  prices: field(prices, 'R'),
  fixedPrices: field(prices, 'R'),
  duration: field(Duration, 'R'),
  usages: field(listOf(Usage), 'R'),
  name: field(text(), 'R', onlyD),
  prettyName: field(text(), 'R', onlyD),
  recurringBillingPeriod: field(enumeration(BillingPeriod), 'R', { nullable: true, onlyD: true }),
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

export const Product = model('Product', {
  type: field(enumeration(ProductCategory), 'R'),
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

/** One version; its JSON is made by `catalogJson` of the library. */
export const Catalog = model('Catalog', {
  name: field(text(), 'R'),
  effectiveDate: field(timestamp, 'R'),
  currencies: field(listOf(currency), 'R'),
  units: field(listOf(Unit), 'R'),
  products: field(listOf(Product), 'R'),
  priceLists: field(listOf(PriceList), 'R'),
  rules: field(anyValue, 'R', onlyD),
});

/** A plan that can be bought, on one price list. */
export const PlanDetail = model('PlanDetail', {
  product: field(text(), 'R'),
  plan: field(text(), 'R'),
  priceList: field(text(), 'R'),
  finalPhaseBillingPeriod: field(enumeration(BillingPeriod), 'R'),
  finalPhaseRecurringPrice: field(prices, 'R'),
});

export function planDetailJson({ plan, priceListName }: AvailablePlan) {
  const price = plan.finalPhase.recurring?.price?.prices ?? [];
  return {
    product: plan.product,
    plan: plan.name,
    priceList: priceListName,
    finalPhaseBillingPeriod: plan.billingPeriod,
    finalPhaseRecurringPrice: price.map(({ currency, amount }) => ({
      currency,
      value: amount?.value ?? null,
    })),
  };
}

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

const CatalogValidationError = model('CatalogValidationError', { errorDescription: field(text(), 'R') });
const CatalogValidationWarning = model('CatalogValidationWarning', {
  warningDescription: field(text(), 'R'),
});

export const CatalogValidation = model('CatalogValidation', {
  catalogValidationErrors: field(listOf(CatalogValidationError), 'R'),
  catalogValidationWarnings: field(listOf(CatalogValidationWarning), 'R', onlyD),
});

/** `warnings` null: dialect K, which does not know them. */
export function catalogValidationJson(errors: readonly Problem[], warnings: readonly Problem[] | null) {
  return {
    catalogValidationErrors: errors.map((problem) => ({ errorDescription: problemText(problem) })),
    ...(warnings === null
      ? {}
      : {
          catalogValidationWarnings: warnings.map((problem) => ({
            warningDescription: problemText(problem),
          })),
        }),
  };
}
