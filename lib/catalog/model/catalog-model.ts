import type {
  BillingActionPolicy,
  BillingAlignment,
  BillingMode,
  BlockType,
  FixedType,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from '../../records/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, Duration, Instant } from '../../values/time/index.ts';
import type {
  ChangeConditions,
  CreateConditions,
  PriceListConditions,
  SubscriptionConditions,
} from './rule-conditions.ts';

/** Name of the price list that every version has (§1). */
export const DEFAULT_PRICE_LIST = 'DEFAULT';

/** `max`, `min` of a limit, `max` of a tiered block, `plansAllowedInBundle` and a duration's number: none. */
export const UNBOUNDED = -1;

/** A decimal and the digits in which the document gave it: `75.00` is written back as `75.00` (§2). */
export interface WrittenDecimal {
  readonly value: Decimal;
  readonly text: string;
}

/** `amount` null: the thing is not sold in this currency (error 2011). */
export interface Price {
  readonly currency: Currency;
  readonly amount: WrittenDecimal | null;
}

/** No price at all means zero in every currency. Read it with `priceOf`. */
export interface InternationalPrice {
  readonly prices: readonly Price[];
}

/** What usage is counted in. */
export interface Unit {
  readonly name: string;
  readonly prettyName: string;
}

/** A value complies when `min ≤ value ≤ max`; −1 stands for no bound. */
export interface Limit {
  readonly unit: string;
  readonly max: WrittenDecimal;
  readonly min: WrittenDecimal;
}

/** What is sold; its plans say for how much. */
export interface Product {
  readonly name: string;
  readonly prettyName: string;
  readonly category: ProductCategory;
  /** Names of the add-ons that are part of it. */
  readonly included: readonly string[];
  /** Names of the add-ons that can be bought for it. */
  readonly available: readonly string[];
  readonly limits: readonly Limit[];
}

/** Units sold together outside tiers, in advance. */
export interface Block {
  readonly type: BlockType;
  readonly unit: string;
  readonly size: WrittenDecimal;
  readonly prices: InternationalPrice;
  /** Only with TOP_UP. */
  readonly minTopUpCredit: WrittenDecimal | null;
}

/** `max` counts blocks; −1 is unbounded. */
export interface TieredBlock {
  readonly unit: string;
  readonly size: WrittenDecimal;
  readonly prices: InternationalPrice;
  readonly max: WrittenDecimal;
}

/** A step of a usage price: up to its limits (CAPACITY) or blocks (CONSUMABLE). */
export interface Tier {
  readonly limits: readonly Limit[];
  readonly blocks: readonly TieredBlock[];
  readonly fixedPrice: InternationalPrice | null;
  /** The price of a CAPACITY tier. */
  readonly recurringPrice: InternationalPrice | null;
}

/** A section of a phase that charges what was used. */
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

/** Charged once, when the phase starts. */
export interface Fixed {
  readonly type: FixedType;
  readonly price: InternationalPrice;
}

/** `price` is null only with NO_BILLING_PERIOD. */
export interface Recurring {
  readonly billingPeriod: BillingPeriod;
  readonly price: InternationalPrice | null;
}

/** A stretch of a plan with one set of prices. */
export interface PlanPhase {
  /** `<planName>-<type in lower case>`; never written in a document. */
  readonly name: string;
  readonly type: PhaseType;
  readonly prettyName: string;
  /** `number` is −1 with UNLIMITED. */
  readonly duration: Duration;
  readonly fixed: Fixed | null;
  readonly recurring: Recurring | null;
  readonly usages: readonly Usage[];
}

/** A product with its phases and prices. */
export interface Plan {
  readonly name: string;
  readonly prettyName: string;
  /** For an override plan only: the plan of the catalog whose prices it overrides (§10). */
  readonly parentPlanName?: string;
  /** Name of its product. */
  readonly product: string;
  /** null only for a plan that never recurs. */
  readonly recurringBillingMode: BillingMode | null;
  readonly effectiveDateForExistingSubscriptions: Instant | null;
  readonly initialPhases: readonly PlanPhase[];
  readonly finalPhase: PlanPhase;
  /** Initial phases, then the final one. */
  readonly phases: readonly PlanPhase[];
  /** Period of the final phase's recurring section, or NO_BILLING_PERIOD. */
  readonly billingPeriod: BillingPeriod;
  /** Add-ons of this plan per bundle; −1 is unlimited. */
  readonly plansAllowedInBundle: number;
}

/** A named selection of plans. */
export interface PriceList {
  readonly name: string;
  readonly prettyName: string;
  /** Plan names. */
  readonly plans: readonly string[];
}

/** The price lists of a version, `DEFAULT` apart from the others. */
export interface PriceListSet {
  readonly defaultPriceList: PriceList;
  readonly childPriceLists: readonly PriceList[];
}

/** One case of a rule: the result if all conditions hold. */
export interface RuleCase<Conditions, Result> {
  readonly conditions: Conditions;
  readonly result: Result;
}

/** Six ordered lists of cases; the first case whose conditions all hold gives the result (§8). */
export interface PlanRules {
  readonly changePolicy: readonly RuleCase<ChangeConditions, BillingActionPolicy>[];
  readonly changeAlignment: readonly RuleCase<ChangeConditions, PlanAlignmentChange>[];
  readonly cancelPolicy: readonly RuleCase<SubscriptionConditions, BillingActionPolicy>[];
  readonly createAlignment: readonly RuleCase<CreateConditions, PlanAlignmentCreate>[];
  readonly billingAlignment: readonly RuleCase<SubscriptionConditions, BillingAlignment>[];
  /** The result is the name of a price list. */
  readonly priceList: readonly RuleCase<PriceListConditions, string>[];
}
