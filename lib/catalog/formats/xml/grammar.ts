import {
  BillingMode,
  BlockType,
  FixedType,
  PhaseType,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from '../../../records/index.ts';
import { Decimal } from '../../../values/money/index.ts';
import { BillingPeriod, type Duration, TimeUnit } from '../../../values/time/index.ts';
import {
  type Block,
  type Fixed,
  type InternationalPrice,
  type Limit,
  type Price,
  type PriceList,
  type PriceListSet,
  type Product,
  type Recurring,
  type Tier,
  type TieredBlock,
  UNBOUNDED,
  type Unit,
  type Usage,
  type WrittenDecimal,
} from '../../model/catalog-model.ts';
import type { PhaseContent, PlanContent, VersionContent } from '../../model/version-content.ts';
import { VERSION_LIMITS } from '../../model/version-limits.ts';
import {
  attribute,
  type ElementRule,
  element,
  leaf,
  listOf,
  many,
  nillableLeaf,
  one,
  optional,
  optionalAttribute,
  Refusal,
} from './element.ts';
import { rulesElement } from './rules-grammar.ts';
import { anyText, currency, dateTime, decimal, int, name, nonBlankText, oneOf } from './scalar.ts';

// The grammar of §3.3, bottom up. Element and attribute names are those of the document.

const unbounded: WrittenDecimal = { value: new Decimal(UNBOUNDED), text: String(UNBOUNDED) };

const billingMode = oneOf('a billing mode', BillingMode);
const billingPeriod = oneOf('a billing period', BillingPeriod);
const phaseType = oneOf('a phase type', PhaseType);
const nameAttribute = attribute(name);
const prettyName = optionalAttribute(anyText);
const reference = leaf(name);

const price = element(
  { currency: one(leaf(currency)), value: one(nillableLeaf(decimal)) },
  (values): Price => ({ currency: values.currency, amount: values.value }),
);
const international = element(
  { price: many(price) },
  (values): InternationalPrice => ({ prices: values.price }),
);

const limit = element(
  { unit: one(reference), max: optional(leaf(decimal)), min: optional(leaf(decimal)) },
  (values): Limit => ({ unit: values.unit, max: values.max ?? unbounded, min: values.min ?? unbounded }),
);
const limits = listOf('limit', limit);

const block = element(
  {
    type: optionalAttribute(oneOf('a block type', BlockType)),
    unit: one(reference),
    size: one(leaf(decimal)),
    prices: one(international),
    minTopUpCredit: optional(leaf(decimal)),
  },
  (values): Block => ({
    type: values.type ?? BlockType.VANILLA,
    unit: values.unit,
    size: values.size,
    prices: values.prices,
    minTopUpCredit: values.minTopUpCredit,
  }),
);

const tieredBlock = element(
  {
    type: optionalAttribute(oneOf('the type of a tiered block', { TIERED: BlockType.TIERED })),
    unit: one(reference),
    size: one(leaf(decimal)),
    prices: one(international),
    max: one(leaf(decimal)),
  },
  ({ unit, size, prices, max }): TieredBlock => ({ unit, size, prices, max }),
);

const tier = element(
  {
    limits: optional(limits),
    blocks: optional(listOf('tieredBlock', tieredBlock)),
    fixedPrice: optional(international),
    recurringPrice: optional(international),
  },
  (values): Tier => ({
    limits: values.limits ?? [],
    blocks: values.blocks ?? [],
    fixedPrice: values.fixedPrice,
    recurringPrice: values.recurringPrice,
  }),
);

const usage = element(
  {
    name: nameAttribute,
    prettyName,
    billingMode: attribute(billingMode),
    usageType: attribute(oneOf('a usage type', UsageType)),
    tierBlockPolicy: optionalAttribute(oneOf('a tier block policy', TierBlockPolicy)),
    billingPeriod: one(leaf(billingPeriod)),
    limits: optional(limits),
    blocks: optional(listOf('block', block)),
    tiers: optional(listOf('tier', tier)),
    fixedPrice: optional(international),
    recurringPrice: optional(international),
  },
  (values): Usage => ({
    name: values.name,
    prettyName: values.prettyName ?? values.name,
    billingMode: values.billingMode,
    usageType: values.usageType,
    tierBlockPolicy: values.tierBlockPolicy ?? TierBlockPolicy.ALL_TIERS,
    billingPeriod: values.billingPeriod,
    limits: values.limits ?? [],
    blocks: values.blocks ?? [],
    tiers: values.tiers ?? [],
    fixedPrice: values.fixedPrice,
    recurringPrice: values.recurringPrice,
  }),
);

const duration = element(
  { unit: one(leaf(oneOf('a time unit', TimeUnit))), number: optional(leaf(int)) },
  (values): Duration => ({ unit: values.unit, number: values.number ?? UNBOUNDED }),
);

const fixed = element(
  { type: optionalAttribute(oneOf('a fixed type', FixedType)), fixedPrice: optional(international) },
  (values): Fixed => ({
    type: values.type ?? FixedType.ONE_TIME,
    price: values.fixedPrice ?? { prices: [] },
  }),
);

const recurring = element(
  { billingPeriod: one(leaf(billingPeriod)), recurringPrice: optional(international) },
  (values): Recurring => ({ billingPeriod: values.billingPeriod, price: values.recurringPrice }),
);

const phase = element(
  {
    type: attribute(phaseType),
    prettyName,
    duration: one(duration),
    fixed: optional(fixed),
    recurring: optional(recurring),
    usages: optional(listOf('usage', usage)),
  },
  (values): PhaseContent => ({ ...values, usages: values.usages ?? [] }),
);

const plan = element(
  {
    name: nameAttribute,
    prettyName,
    effectiveDateForExistingSubscriptions: optional(leaf(dateTime)),
    product: one(reference),
    recurringBillingMode: optional(leaf(billingMode)),
    initialPhases: optional(listOf('phase', phase, VERSION_LIMITS.phases)),
    finalPhase: one(phase, VERSION_LIMITS.phases),
    plansAllowedInBundle: optional(leaf(int)),
  },
  (values): PlanContent => ({
    ...values,
    prettyName: values.prettyName ?? values.name,
    initialPhases: values.initialPhases ?? [],
    plansAllowedInBundle: values.plansAllowedInBundle ?? UNBOUNDED,
  }),
);

const addOns = listOf('addonProduct', reference);
const product = element(
  {
    name: nameAttribute,
    prettyName,
    category: one(leaf(oneOf('a product category', ProductCategory))),
    included: optional(addOns),
    available: optional(addOns),
    limits: optional(limits),
  },
  (values): Product => ({
    name: values.name,
    prettyName: values.prettyName ?? values.name,
    category: values.category,
    included: values.included ?? [],
    available: values.available ?? [],
    limits: values.limits ?? [],
  }),
);

const unit = element(
  { name: nameAttribute, prettyName },
  (values): Unit => ({ name: values.name, prettyName: values.prettyName ?? values.name }),
);

const priceList = element(
  { name: nameAttribute, prettyName, plans: optional(listOf('plan', reference)) },
  (values): PriceList => ({
    name: values.name,
    prettyName: values.prettyName ?? values.name,
    plans: values.plans ?? [],
  }),
);

const priceLists = element(
  {
    defaultPriceList: one(priceList, VERSION_LIMITS.priceLists),
    childPriceList: many(priceList, VERSION_LIMITS.priceLists),
  },
  (values): PriceListSet => ({
    defaultPriceList: values.defaultPriceList,
    childPriceLists: values.childPriceList,
  }),
);

const version = element(
  {
    effectiveDate: one(leaf(dateTime)),
    catalogName: one(leaf(nonBlankText)),
    recurringBillingMode: optional(leaf(billingMode)),
    currencies: one(listOf('currency', leaf(currency))),
    units: optional(listOf('unit', unit)),
    products: one(listOf('product', product, VERSION_LIMITS.products)),
    rules: one(rulesElement),
    plans: one(listOf('plan', plan, VERSION_LIMITS.plans)),
    priceLists: one(priceLists),
  },
  (values): VersionContent => ({ ...values, units: values.units ?? [] }),
);

/** The envelope that retrieval returns; its own `catalogName` is ignored. */
export interface EnvelopeContent {
  readonly versions: readonly VersionContent[];
}

const versions = element({ version: many(version) }, (values) =>
  values.version.length > 0 ? values.version : new Refusal('Element "versions" lacks the element "version"'),
);

const envelope = element(
  { versions: one(versions), catalogName: optional(leaf(anyText)) },
  (values): EnvelopeContent => ({ versions: values.versions }),
);

/** The two accepted root elements (§3.1). */
export const catalogRoots: ReadonlyMap<string, ElementRule<VersionContent | EnvelopeContent>> = new Map<
  string,
  ElementRule<VersionContent | EnvelopeContent>
>([
  ['catalog', version],
  ['catalogs', envelope],
]);
