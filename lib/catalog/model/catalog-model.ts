import {
  BillingActionPolicy,
  BillingAlignment,
  type BillingMode,
  type BlockType,
  type FeatureSetting,
  type FixedType,
  type PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  type ProductCategory,
  type TierBlockPolicy,
  type UsageType,
} from '../../records/index.ts';
import { type Currency, Decimal, ZERO } from '../../values/money/index.ts';
import type { BillingPeriod, Duration, Instant } from '../../values/time/index.ts';

export const DEFAULT_PRICE_LIST = 'DEFAULT';

/** Value that means unlimited in `max`, `min`, `plansAllowedInBundle` and the number of a duration. */
export const UNBOUNDED = -1;

/** A decimal that keeps the digits of its document, so that `75.00` is still written as `75.00` (§2). */
export interface WrittenDecimal {
  readonly value: Decimal;
  readonly text: string;
}

/** A price in one currency. If `amount` is null, the plan is not sold in the currency (error 2011). */
export interface Price {
  readonly currency: Currency;
  readonly amount: WrittenDecimal | null;
}

/** Prices by currency. An empty price is zero in every currency. Read a price with `priceOf`. */
export interface InternationalPrice {
  readonly prices: readonly Price[];
}

/** A unit of usage. */
export interface Unit {
  readonly name: string;
  readonly prettyName: string;
}

/** Allows `min ≤ value ≤ max`. −1 means unlimited. */
export interface Limit {
  readonly unit: string;
  readonly max: WrittenDecimal;
  readonly min: WrittenDecimal;
}

export interface Product {
  readonly name: string;
  readonly prettyName: string;
  readonly category: ProductCategory;
  /** Names of included add-ons. */
  readonly included: readonly string[];
  /** Names of add-ons for sale. */
  readonly available: readonly string[];
  readonly limits: readonly Limit[];
  /** Values of features in document order. The field is absent if none exist. */
  readonly features?: readonly FeatureSetting[];
}

/** A block of units that is sold in advance, without tiers. */
export interface Block {
  readonly type: BlockType;
  readonly unit: string;
  readonly size: WrittenDecimal;
  readonly prices: InternationalPrice;
  /** Minimum credit of a top-up. Set only for blocks of type TOP_UP. */
  readonly minTopUpCredit: WrittenDecimal | null;
}

/** A block of a tier. `max` counts blocks; −1 means unlimited. */
export interface TieredBlock {
  readonly unit: string;
  readonly size: WrittenDecimal;
  readonly prices: InternationalPrice;
  readonly max: WrittenDecimal;
}

/** A tier of a usage price. Applies up to its limits (CAPACITY) or blocks (CONSUMABLE). */
export interface Tier {
  readonly limits: readonly Limit[];
  readonly blocks: readonly TieredBlock[];
  readonly fixedPrice: InternationalPrice | null;
  readonly recurringPrice: InternationalPrice | null;
}

export interface Usage {
  readonly name: string;
  readonly prettyName: string;
  readonly billingMode: BillingMode;
  readonly usageType: UsageType;
  readonly tierBlockPolicy: TierBlockPolicy;
  readonly billingPeriod: BillingPeriod;
  readonly limits: readonly Limit[];
  readonly blocks: readonly Block[];
  readonly tiers: readonly Tier[];
  readonly fixedPrice: InternationalPrice | null;
  readonly recurringPrice: InternationalPrice | null;
}

/** A charge that is billed once, when the phase starts. */
export interface Fixed {
  readonly type: FixedType;
  readonly price: InternationalPrice;
}

/** A recurring charge. `price` is null only with NO_BILLING_PERIOD. */
export interface Recurring {
  readonly billingPeriod: BillingPeriod;
  readonly price: InternationalPrice | null;
}

export interface PlanPhase {
  /** Name in the form `<planName>-<type in lower case>`. Documents never contain it. */
  readonly name: string;
  readonly type: PhaseType;
  readonly prettyName: string;
  /** `number` is −1 with UNLIMITED. */
  readonly duration: Duration;
  readonly fixed: Fixed | null;
  readonly recurring: Recurring | null;
  readonly usages: readonly Usage[];
  /** Values of features in document order. The field is absent if none exist. */
  readonly features?: readonly FeatureSetting[];
}

export interface Plan {
  readonly name: string;
  readonly prettyName: string;
  /** Name of the parent plan. Only an override plan has a parent (§10). */
  readonly parentPlanName?: string;
  readonly product: string;
  /** Billing mode. Null only for a plan without recurring charges. */
  readonly recurringBillingMode: BillingMode | null;
  readonly effectiveDateForExistingSubscriptions: Instant | null;
  readonly initialPhases: readonly PlanPhase[];
  readonly finalPhase: PlanPhase;
  readonly phases: readonly PlanPhase[];
  /** Billing period of the final phase's recurring section, or NO_BILLING_PERIOD. */
  readonly billingPeriod: BillingPeriod;
  /** Maximum number of add-ons with this plan per bundle; −1 means unlimited. */
  readonly plansAllowedInBundle: number;
  /** Values of features in document order. The field is absent if none exist. */
  readonly features?: readonly FeatureSetting[];
}

export interface PriceList {
  readonly name: string;
  readonly prettyName: string;
  readonly plans: readonly string[];
}

export interface PriceListSet {
  readonly defaultPriceList: PriceList;
  readonly childPriceLists: readonly PriceList[];
}

export interface RuleCase<Conditions, Result> {
  readonly conditions: Conditions;
  readonly result: Result;
}

/** The rules of a version. In each list, the first case whose conditions are all met determines the result (§8). */
export interface PlanRules {
  readonly changePolicy: readonly RuleCase<ChangeConditions, BillingActionPolicy>[];
  readonly changeAlignment: readonly RuleCase<ChangeConditions, PlanAlignmentChange>[];
  readonly cancelPolicy: readonly RuleCase<SubscriptionConditions, BillingActionPolicy>[];
  readonly createAlignment: readonly RuleCase<CreateConditions, PlanAlignmentCreate>[];
  readonly billingAlignment: readonly RuleCase<SubscriptionConditions, BillingAlignment>[];
  readonly priceList: readonly RuleCase<PriceListConditions, string>[];
}

/** Properties of the target plan. The conditions of rules are compared with them (§8 rule 2). */
export interface CreationContext {
  readonly product: string;
  readonly productCategory: ProductCategory;
  readonly billingPeriod: BillingPeriod;
  readonly priceList: string;
}

/**
 * Properties of a running subscription. They are taken from its own plan (§6.3) and include the type of the current
 * phase.
 */
export interface SubscriptionContext extends CreationContext {
  readonly phaseType: PhaseType;
}

/** A null condition is always met (§8). */
export type ConditionsOn<C> = { readonly [Name in keyof C]: C[Name] | null };

export type Prefixed<P extends string, C> = {
  readonly [Name in keyof C as `${P}${Capitalize<Name & string>}`]: C[Name];
};

export type CreateConditions = ConditionsOn<CreationContext>;

export type SubscriptionConditions = ConditionsOn<SubscriptionContext>;

export type PriceListConditions = Prefixed<'from', CreateConditions>;

export type ChangeConditions = Pick<SubscriptionConditions, 'phaseType'> &
  PriceListConditions &
  Prefixed<'to', CreateConditions>;

export function prefixed<P extends string, C extends object>(prefix: P, properties: C): Prefixed<P, C> {
  const named = Object.entries(properties).map(([name, value]) => [prefixedName(prefix, name), value]);
  return Object.fromEntries(named);
}

export function prefixedName(prefix: string, name: string): string {
  return `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const anyCreation: CreateConditions = {
  product: null,
  productCategory: null,
  billingPeriod: null,
  priceList: null,
};
const anySubscription = { ...anyCreation, phaseType: null };
const anySource = prefixed('from', anyCreation);
const anyChange = { ...anySource, phaseType: null, ...prefixed('to', anyCreation) };

/** Default rules of a new catalog (§12 item 3 step 2). */
export const SIMPLE_RULES: PlanRules = {
  changePolicy: [{ conditions: anyChange, result: BillingActionPolicy.IMMEDIATE }],
  changeAlignment: [{ conditions: anyChange, result: PlanAlignmentChange.START_OF_BUNDLE }],
  cancelPolicy: [{ conditions: anySubscription, result: BillingActionPolicy.IMMEDIATE }],
  createAlignment: [{ conditions: anyCreation, result: PlanAlignmentCreate.START_OF_BUNDLE }],
  billingAlignment: [{ conditions: anySubscription, result: BillingAlignment.ACCOUNT }],
  priceList: [{ conditions: anySource, result: DEFAULT_PRICE_LIST }],
};

/**
 * Returns compact JSON with sorted fields. Decimals have the form `{"d":"75.00"}`. Equal values produce identical
 * JSON.
 */
export function textOfValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textOfValue).join(',')}]`;
  if (isWrittenDecimal(value)) return `{"d":${JSON.stringify(value.text)}}`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${textOfValue(field)}`).join(',')}}`;
}

export function valueOfText(text: string): unknown {
  return withDecimals(JSON.parse(text));
}

/** Converts decimals in place. This is several times faster than a reviver of `JSON.parse`. */
function withDecimals(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isEncodedDecimal(value)) return writtenDecimal(value.d);
  for (const [name, field] of Object.entries(value)) {
    if (typeof field !== 'object' || field === null) continue;
    Reflect.set(value, name, withDecimals(field));
  }
  return value;
}

/** Returns a decimal that keeps its digits. Zero has no sign. */
export function writtenDecimal(text: string): WrittenDecimal {
  const value = new Decimal(text);
  return { value: value.isZero() ? ZERO : value, text };
}

function isWrittenDecimal(value: object): value is WrittenDecimal {
  return 'value' in value && Decimal.isDecimal(value.value);
}

function isEncodedDecimal(value: unknown): value is { readonly d: string } {
  return typeof value === 'object' && value !== null && 'd' in value && typeof value.d === 'string';
}
