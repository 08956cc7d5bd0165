import {
  BillingActionPolicy,
  BillingAlignment,
  BillingMode,
  BlockType,
  FeatureCombination,
  type FeatureDeclaration,
  FeatureKind,
  type FeatureSetting,
  FixedType,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  ProductCategory,
  QuotaOverage,
  QuotaPeriod,
  TierBlockPolicy,
  UsageType,
} from '../../../records/index.ts';
import { BillingPeriod, type Duration, TimeUnit, UNLIMITED_DURATION } from '../../../values/time/index.ts';
import {
  type Block,
  type Fixed,
  type InternationalPrice,
  type Limit,
  type PlanRules,
  type Price,
  type PriceList,
  type PriceListSet,
  type Product,
  prefixed,
  prefixedName,
  type Recurring,
  type RuleCase,
  SIMPLE_RULES,
  type Tier,
  type TieredBlock,
  UNBOUNDED,
  type Unit,
  type Usage,
  writtenDecimal,
} from '../../model/catalog-model.ts';
import {
  type PhaseContent,
  type PlanContent,
  VERSION_LIMITS,
  type VersionContent,
} from '../../model/version-content.ts';
import {
  anyText,
  attribute,
  currency,
  dateTime,
  decimal,
  element,
  type Field,
  featureText,
  flag,
  int,
  list,
  name,
  nillable,
  nonBlankText,
  noneNumber,
  oneOf,
  only,
  PREFIX,
  type RuleCaseType,
  record,
  repeatedElements,
  type Scalar,
} from './field.ts';

// These are the rule records of §3.3. The conditions are in document order.

const phaseType = oneOf('a phase type', PhaseType);
const productCategory = oneOf('a product category', ProductCategory);
const billingPeriod = oneOf('a billing period', BillingPeriod);

const ofCreation = { product: name, productCategory, billingPeriod, priceList: name };
const ofSubscription = { phaseType, ...ofCreation };
const ofSource = prefixed('from', ofCreation);
const ofChange = { phaseType, ...ofSource, ...prefixed('to', ofCreation) };

/** Aliases without a prefix. Other servers accept these elements but ignore them (§3.3). */
const plainNames = Object.fromEntries(
  Object.keys(ofCreation).map((plain) => [plain, prefixedName('from', plain)]),
);

type Conditions<C> = { readonly [Name in keyof C]: Scalar<NonNullable<C[Name]>> };

function cases<C, R extends string>(
  item: string,
  conditions: Conditions<C>,
  ofCase: {
    readonly result: readonly [name: string, type: Scalar<R>];
    readonly aliases?: RuleCaseType['aliases'];
  },
): Field<readonly RuleCase<C, R>[]> {
  const {
    result: [resultName, result],
    aliases = {},
  } = ofCase;
  const type: RuleCaseType<RuleCase<C, R>> = { kind: 'case', conditions, resultName, result, aliases };
  return list(item, type, { absent: [], limit: VERSION_LIMITS.ruleCases });
}

const policy = { result: ['policy', oneOf('a policy', BillingActionPolicy)] } as const;

function alignment<R extends string>(type: Scalar<R>) {
  return { result: ['alignment', type] } as const;
}

const rules = record<PlanRules>({
  changePolicy: cases('changePolicyCase', ofChange, policy),
  changeAlignment: cases(
    'changeAlignmentCase',
    ofChange,
    alignment(oneOf('a change alignment', PlanAlignmentChange)),
  ),
  cancelPolicy: cases('cancelPolicyCase', ofSubscription, policy),
  createAlignment: cases(
    'createAlignmentCase',
    ofCreation,
    alignment(oneOf('a create alignment', PlanAlignmentCreate)),
  ),
  billingAlignment: cases(
    'billingAlignmentCase',
    ofSubscription,
    alignment(oneOf('a billing alignment', BillingAlignment)),
  ),
  priceList: cases('priceListCase', ofSource, { result: ['toPriceList', name], aliases: plainNames }),
});

// These are the records of a catalog version with their fields, innermost first (§2, §3.3).

const billingMode = oneOf('a billing mode', BillingMode);
const noBound = writtenDecimal(String(UNBOUNDED));
const none = { absent: null };
/** The display name. Defaults to the name. */
const prettyName = attribute(anyText, { absent: (before) => before.name });
const names = { name: attribute(name), prettyName };

export const featureSetting = record<FeatureSetting>({
  name: attribute(name),
  value: attribute(featureText),
  per: attribute(oneOf('a quota period', QuotaPeriod), none),
  overage: attribute(oneOf('a quota overage', QuotaOverage), none),
  perQuantity: attribute(flag, none),
});

const feature = record<FeatureDeclaration>({
  name: attribute(name),
  kind: attribute(oneOf('a feature kind', FeatureKind)),
  combine: attribute(oneOf('a feature combination', FeatureCombination), {
    absent: ({ kind }) => (kind === FeatureKind.NUMBER ? FeatureCombination.SUM : null),
  }),
  unit: attribute(name, none),
});

/** Values of features. They are elements in the namespace of Billwright. */
const features = list(`${PREFIX}featureValue`, featureSetting, {
  element: `${PREFIX}featureValues`,
  absent: [],
  isOmittedIfEmpty: true,
});

const price = record<Price>({ currency: element(currency), amount: nillable(decimal, { element: 'value' }) });

/** One price per currency. It is an object in definitions and a list in JSON. */
export const internationalPrice = record<InternationalPrice>({
  prices: repeatedElements(price, { element: 'price' }),
});

const limit = record<Limit>({
  unit: element(name),
  max: element(decimal, { absent: noBound }),
  min: element(decimal, { absent: noBound }),
});
const limits = list('limit', limit, { absent: [] });

const block = record<Block>({
  type: attribute(oneOf('a block type', BlockType), { absent: BlockType.VANILLA }),
  unit: element(name),
  size: element(decimal),
  prices: element(internationalPrice),
  minTopUpCredit: element(decimal, { absent: null, isNoneAtMinusOne: true }),
});

// Other exporters write tiered blocks like blocks outside tiers. Blocks outside tiers include a type, and −1 for a
// missing minTopUpCredit (R58).
const tieredBlock = record<TieredBlock>(
  {
    unit: element(name),
    size: element(decimal),
    prices: element(internationalPrice),
    max: element(decimal, { ifAbsent: noBound }),
  },
  {
    constants: [['type', only('the type of a tiered block', BlockType.TIERED, [BlockType.VANILLA])]],
    ignored: [['minTopUpCredit', noneNumber]],
  },
);

export const tier = record<Tier>({
  limits,
  blocks: list('tieredBlock', tieredBlock, { absent: [] }),
  fixedPrice: element(internationalPrice, none),
  recurringPrice: element(internationalPrice, none),
});

export const usage = record<Usage>({
  ...names,
  billingMode: attribute(billingMode),
  usageType: attribute(oneOf('a usage type', UsageType)),
  tierBlockPolicy: attribute(oneOf('a tier block policy', TierBlockPolicy), {
    absent: TierBlockPolicy.ALL_TIERS,
  }),
  billingPeriod: element(billingPeriod),
  limits,
  blocks: list('block', block, { absent: [] }),
  tiers: list('tier', tier, { absent: [] }),
  fixedPrice: element(internationalPrice, none),
  recurringPrice: element(internationalPrice, none),
});

const duration = record<Duration>({
  unit: element(oneOf('a time unit', TimeUnit)),
  number: element(int, { absent: UNBOUNDED }),
});

export const fixed = record<Fixed>(
  {
    type: attribute(oneOf('a fixed type', FixedType), { absent: FixedType.ONE_TIME }),
    price: element(internationalPrice, { element: 'fixedPrice', absent: { prices: [] } }),
  },
  { short: 'price' },
);

const recurring = record<Recurring>({
  billingPeriod: element(billingPeriod),
  price: element(internationalPrice, { element: 'recurringPrice', absent: null }),
});

export const phase = record<PhaseContent>({
  type: attribute(oneOf('a phase type', PhaseType)),
  prettyName: attribute(anyText, none),
  duration: element(duration, { ifAbsent: UNLIMITED_DURATION }),
  fixed: element(fixed, none),
  recurring: element(recurring, none),
  usages: list('usage', usage, { absent: [] }),
  features,
});

export const plan = record<PlanContent>({
  ...names,
  effectiveDateForExistingSubscriptions: element(dateTime, none),
  product: element(name),
  recurringBillingMode: element(billingMode, none),
  initialPhases: list('phase', phase, { absent: [], limit: VERSION_LIMITS.phases }),
  finalPhase: element(phase, { limit: VERSION_LIMITS.phases }),
  plansAllowedInBundle: element(int, { absent: UNBOUNDED }),
  features,
});

const addOns = list('addonProduct', name, { absent: [] });

export const product = record<Product>({
  ...names,
  category: element(oneOf('a product category', ProductCategory)),
  included: addOns,
  available: addOns,
  limits,
  features,
});

export const priceList = record<PriceList>(
  { ...names, plans: list('plan', name, { absent: [] }) },
  { short: 'plans' },
);

export const unit = record<Unit>(names);

const priceLists = record<PriceListSet>({
  defaultPriceList: element(priceList, { limit: VERSION_LIMITS.priceLists }),
  childPriceLists: repeatedElements(priceList, {
    element: 'childPriceList',
    limit: VERSION_LIMITS.priceLists,
  }),
});

export const version = record<VersionContent>({
  effectiveDate: element(dateTime),
  catalogName: element(nonBlankText),
  recurringBillingMode: element(billingMode, none),
  currencies: list('currency', currency),
  units: list('unit', unit, { absent: [] }),
  features: list(`${PREFIX}feature`, feature, {
    element: `${PREFIX}features`,
    absent: [],
    isOmittedIfEmpty: true,
    limit: VERSION_LIMITS.features,
  }),
  products: list('product', product, { limit: VERSION_LIMITS.products }),
  rules: element(rules, { ifAbsent: SIMPLE_RULES }),
  plans: list('plan', plan, { limit: VERSION_LIMITS.plans }),
  priceLists: element(priceLists),
});
