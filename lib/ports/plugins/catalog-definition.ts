import type {
  BillingAlignment,
  BillingMode,
  FeatureCombination,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  ProductCategory,
  QuotaOverage,
  QuotaPeriod,
  TierBlockPolicy,
  UsageType,
} from '../../records/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, TimeUnit } from '../../values/time/index.ts';

// This is a catalog as written in TypeScript or returned by a catalog plugin. Names are type parameters, so that an
// unknown name does not compile. The type parameters are C (currencies), U (units), P (products), N (plans), L (price
// lists) and F (features).

/**
 * A decimal, either as text such as `'29.00'`, whose digits are kept, or as a `Decimal`. It has up to 15 digits before
 * and up to 9 digits after the decimal point.
 */
export type Amount = `${number}` | Decimal;

/** A count or bound. A number is equivalent to its text. */
export type Quantity = number | Amount;

/** Amounts by currency. `null` means that the plan is not sold in the currency. `0` means zero in every currency. */
export type PriceDefinition<C extends Currency> =
  | 0
  | ({ readonly [currency in C]?: Amount | null } & {
      readonly [undeclared in Exclude<Currency, C>]?: never;
    });

/** An instant as ISO text. A date without a time means midnight. Text without a time zone means UTC. */
export type InstantText = string;

export interface LimitDefinition<U extends string> {
  readonly unit: U;
  readonly max?: Quantity;
  readonly min?: Quantity;
}

/** A feature of the catalog. For a QUOTA with overage BILL, `unit` is the unit of the usage to record. */
export type FeatureDefinition =
  | { readonly kind: 'SWITCH' | 'TEXT'; readonly combine?: never; readonly unit?: never }
  | { readonly kind: 'NUMBER'; readonly combine?: FeatureCombination; readonly unit?: never }
  | { readonly kind: 'QUOTA'; readonly combine?: never; readonly unit?: string };

/** The features by name. */
export type FeatureDefinitions = { readonly [feature: string]: FeatureDefinition };

export interface QuotaDefinition<O extends QuotaOverage> {
  readonly amount: Quantity;
  readonly per: QuotaPeriod;
  /** By default, BLOCK. */
  readonly overage?: O;
  /** If true, the amount applies once for each unit of the subscription's quantity. */
  readonly perQuantity?: boolean;
}

/** Values by the kind of the feature. */
export interface FeatureValueDefinitions<O extends QuotaOverage> {
  readonly SWITCH: boolean;
  readonly NUMBER:
    | Quantity
    | 'UNLIMITED'
    | { readonly amount: Quantity | 'UNLIMITED'; readonly perQuantity?: boolean };
  readonly TEXT: string;
  readonly QUOTA: QuotaDefinition<O>;
}

/** The value of one feature. The overage BILL requires that the feature has a unit. */
export type FeatureValueDefinition<D extends FeatureDefinition> = FeatureValueDefinitions<
  D extends { readonly unit: string } ? QuotaOverage : Exclude<QuotaOverage, 'BILL'>
>[D['kind']];

/**
 * Values by feature. A value of a plan takes precedence over that of its product, and a value of a phase over that of
 * its plan.
 */
export type FeatureSettings<F extends FeatureDefinitions> = [keyof F] extends [never]
  ? { readonly [undeclared: string]: never }
  : { readonly [feature in keyof F]?: FeatureValueDefinition<F[feature]> };

export interface WithFeatures<F extends FeatureDefinitions> {
  readonly features?: FeatureSettings<F>;
}

export interface ProductDefinition<
  U extends string,
  P extends string,
  F extends FeatureDefinitions = FeatureDefinitions,
> extends WithFeatures<F> {
  readonly category: ProductCategory;
  readonly prettyName?: string;
  /** Add-ons that the product includes. */
  readonly included?: readonly P[];
  /** Add-ons that can be bought for the product. */
  readonly available?: readonly P[];
  readonly limits?: readonly LimitDefinition<U>[];
}

export interface BlockShape<C extends Currency, U extends string> {
  readonly unit: U;
  readonly size: Quantity;
  readonly prices: PriceDefinition<C>;
}

export type BlockDefinition<C extends Currency, U extends string> = BlockShape<C, U> &
  (
    | { readonly type?: 'VANILLA' | 'TIERED'; readonly minTopUpCredit?: never }
    | { readonly type: 'TOP_UP'; readonly minTopUpCredit: Quantity }
  );

export interface TieredBlockDefinition<C extends Currency, U extends string> extends BlockShape<C, U> {
  /** Number of blocks in the tier. Unlimited by default. */
  readonly max?: Quantity;
}

export interface TierDefinition<C extends Currency, U extends string> {
  readonly limits?: readonly LimitDefinition<U>[];
  readonly blocks?: readonly TieredBlockDefinition<C, U>[];
  readonly fixedPrice?: PriceDefinition<C>;
  /** Recurring price of a CAPACITY tier. */
  readonly recurringPrice?: PriceDefinition<C>;
}

export interface UsageDefinition<C extends Currency, U extends string> {
  readonly prettyName?: string;
  readonly billingMode: BillingMode;
  readonly usageType: UsageType;
  readonly tierBlockPolicy?: TierBlockPolicy;
  readonly billingPeriod: BillingPeriod;
  readonly limits?: readonly LimitDefinition<U>[];
  readonly blocks?: readonly BlockDefinition<C, U>[];
  readonly tiers?: readonly TierDefinition<C, U>[];
  readonly fixedPrice?: PriceDefinition<C>;
  readonly recurringPrice?: PriceDefinition<C>;
}

/** The charges of a phase. At least one of the three fields is required. */
export interface PhaseCharges<C extends Currency, U extends string, F extends FeatureDefinitions>
  extends WithFeatures<F> {
  readonly prettyName?: string;
  /** A charge that is billed once, when the phase starts. */
  readonly fixed?: PriceDefinition<C>;
  readonly recurring?:
    | {
        readonly billingPeriod: Exclude<BillingPeriod, 'NO_BILLING_PERIOD'>;
        readonly price: PriceDefinition<C>;
      }
    | { readonly billingPeriod: 'NO_BILLING_PERIOD' };
  /** Usage sections by name. */
  readonly usages?: { readonly [usage: string]: UsageDefinition<C, U> };
}

export interface DurationDefinition {
  readonly unit: Exclude<TimeUnit, 'UNLIMITED'>;
  readonly number: number;
}

export interface EndingPhase {
  readonly duration: DurationDefinition;
}

export type InitialPhaseDefinition<
  C extends Currency,
  U extends string,
  F extends FeatureDefinitions = FeatureDefinitions,
> = PhaseCharges<C, U, F> & EndingPhase & { readonly type: 'TRIAL' | 'DISCOUNT' | 'FIXEDTERM' };

export type FinalPhaseDefinition<
  C extends Currency,
  U extends string,
  F extends FeatureDefinitions = FeatureDefinitions,
> = PhaseCharges<C, U, F> &
  (
    | (EndingPhase & { readonly type: 'FIXEDTERM' })
    | { readonly type: 'EVERGREEN'; readonly duration?: never }
  );

export interface PlanDefinition<
  C extends Currency,
  U extends string,
  P extends string,
  F extends FeatureDefinitions = FeatureDefinitions,
> extends WithFeatures<F> {
  readonly product: P;
  readonly prettyName?: string;
  /** Defaults to the value of the version. */
  readonly recurringBillingMode?: BillingMode;
  readonly effectiveDateForExistingSubscriptions?: InstantText;
  readonly initialPhases?: readonly InitialPhaseDefinition<C, U, F>[];
  readonly finalPhase: FinalPhaseDefinition<C, U, F>;
  /** Maximum number of add-ons with this plan in one bundle. Unlimited by default. */
  readonly plansAllowedInBundle?: number;
}

export type PriceListDefinition<N extends string> =
  | readonly N[]
  | { readonly prettyName: string; readonly plans: readonly N[] };

export interface FromConditions<P extends string, L extends string> {
  readonly fromProduct?: P;
  readonly fromProductCategory?: ProductCategory;
  readonly fromBillingPeriod?: BillingPeriod;
  readonly fromPriceList?: L | 'DEFAULT';
}

export interface ChangeCaseConditions<P extends string, L extends string> extends FromConditions<P, L> {
  readonly phaseType?: PhaseType;
  readonly toProduct?: P;
  readonly toProductCategory?: ProductCategory;
  readonly toBillingPeriod?: BillingPeriod;
  readonly toPriceList?: L | 'DEFAULT';
}

export interface CreateCaseConditions<P extends string, L extends string> {
  readonly product?: P;
  readonly productCategory?: ProductCategory;
  readonly billingPeriod?: BillingPeriod;
  readonly priceList?: L | 'DEFAULT';
}

export interface SubscriptionCaseConditions<P extends string, L extends string>
  extends CreateCaseConditions<P, L> {
  readonly phaseType?: PhaseType;
}

/**
 * Rules of a version. The first case whose conditions are all met applies. A case without conditions always applies
 * (catalog §8).
 */
export interface RulesDefinition<P extends string, L extends string> {
  /** Cases of the rule. The last case must have no conditions. */
  readonly changePolicy: readonly (ChangeCaseConditions<P, L> & {
    readonly policy: 'IMMEDIATE' | 'END_OF_TERM' | 'ILLEGAL';
  })[];
  readonly changeAlignment?: readonly (ChangeCaseConditions<P, L> & {
    readonly alignment: PlanAlignmentChange;
  })[];
  /** Cases of the rule. The last case must have no conditions. */
  readonly cancelPolicy: readonly (SubscriptionCaseConditions<P, L> & {
    readonly policy: 'IMMEDIATE' | 'END_OF_TERM';
  })[];
  readonly createAlignment?: readonly (CreateCaseConditions<P, L> & {
    readonly alignment: PlanAlignmentCreate;
  })[];
  readonly billingAlignment?: readonly (SubscriptionCaseConditions<P, L> & {
    readonly alignment: BillingAlignment;
  })[];
  readonly priceList?: readonly (FromConditions<P, L> & { readonly toPriceList: L | 'DEFAULT' })[];
}

/** One version of the catalog. It contains everything that is sold from its date on. */
export interface VersionDefinition<
  C extends Currency,
  U extends string,
  P extends string,
  N extends string,
  L extends string,
  F extends FeatureDefinitions = FeatureDefinitions,
> {
  readonly effectiveDate: InstantText;
  /** Billing mode of plans without a mode. */
  readonly recurringBillingMode?: BillingMode;
  readonly currencies: readonly C[];
  /** The units by name. A unit is described by an empty record or by a `prettyName`. */
  readonly units?: { readonly [unit in U]: { readonly prettyName?: string } };
  readonly features?: F & { readonly [feature in keyof F]: { readonly unit?: NoInfer<U> } };
  /** The products by name. */
  readonly products: { readonly [product in P]: ProductDefinition<NoInfer<U>, NoInfer<P>, NoInfer<F>> };
  /** The plans by name. */
  readonly plans: { readonly [plan in N]: PlanDefinition<NoInfer<C>, NoInfer<U>, NoInfer<P>, NoInfer<F>> };
  /**
   * The price lists by name. Each plan must be in at least one list. By default, the list `DEFAULT` contains all plans.
   */
  readonly priceLists?: { readonly [list in L]: PriceListDefinition<NoInfer<N>> } & {
    readonly DEFAULT: PriceListDefinition<NoInfer<N>>;
  };
  /** Rules of the version. By default, changes and cancellations take effect immediately. */
  readonly rules?: RulesDefinition<NoInfer<P>, NoInfer<L>>;
}

/** A version whose type does not contain the names it defines. */
export type AnyVersionDefinition = VersionDefinition<Currency, string, string, string, string>;

/** Versions in any order, each with a different date. If none exist, the catalog sells nothing. */
export interface CatalogDefinition {
  readonly name: string;
  readonly versions: readonly AnyVersionDefinition[];
}
