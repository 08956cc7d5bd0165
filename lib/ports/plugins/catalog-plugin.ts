import type {
  ChangeConditions,
  CreateConditions,
  PriceListConditions,
  SubscriptionConditions,
} from '../../catalog/index.ts';
import type {
  BillingActionPolicy,
  BillingAlignment,
  BillingMode,
  BlockType,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  PluginProperty,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, TimeUnit } from '../../values/time/index.ts';

/** Whom the catalog is for. */
export interface CatalogPluginContext {
  readonly tenantId: Uuid;
  /**
   * The account that the operation is about. Null for operations of the tenant as a whole, and for `latestVersion` when
   * one batch of due work serves several accounts.
   */
  readonly accountId: Uuid | null;
  /** Business time of the operation. */
  readonly now: Date;
  readonly properties: readonly PluginProperty[];
}

/**
 * A source of catalogs inside the host application (catalog §16): what it returns takes the place of everything that
 * is uploaded for the tenant. Given to `Billing.open({ catalogPlugins: [...] })`; asked in that order, once per operation,
 * outside any transaction, each call within a time limit. A throw, or a call that takes too long, fails the operation, and
 * makes queued work be tried again; `RetryLater` says when.
 *
 * A plugin must not call the engine back about the same tenant, and must answer for an instant of the past as it did then:
 * prices of running subscriptions are looked up in the versions that it returns.
 */
export interface CatalogPlugin {
  /** Named in errors and refusals. */
  readonly name: string;
  /**
   * A stamp of the tenant's catalog that changes with its content, such as the date of the newest version or a counter:
   * as long as it stays the same, `catalog` is not called again by this process. Null: nothing is kept, `catalog` is called
   * for each operation and account, and may answer differently for each account. Whether it is null must not depend on the
   * account.
   */
  latestVersion(context: CatalogPluginContext): Promise<string | null>;
  /**
   * The whole catalog, all versions that running subscriptions depend on included; null: this tenant (or account, where
   * `latestVersion` is null) is not mine. It has to be valid (catalog §4, §5 rules 1 to 3), else the operation fails
   * with 2080 and every error found.
   */
  catalog(context: CatalogPluginContext): Promise<PluginCatalog | null>;
}

/** A catalog as plain data: the records of catalog §2. */
export interface PluginCatalog {
  readonly catalogName: string;
  /** In any order; no two of one date. Empty: nothing is sold. */
  readonly versions: readonly PluginCatalogVersion[];
}

export interface PluginCatalogVersion {
  readonly effectiveDate: Date;
  /** For plans without a mode of their own. */
  readonly recurringBillingMode?: BillingMode | null;
  /** ISO 4217 codes. */
  readonly currencies: readonly string[];
  readonly units?: readonly PluginNamed[];
  readonly products: readonly PluginProduct[];
  readonly plans: readonly PluginPlan[];
  /** Default: change and cancel at once, aligned to the bundle, billed by the account's bill cycle day. */
  readonly rules?: PluginRules;
  /** Default: empty, but for the plans that name no list. */
  readonly defaultPriceList?: { readonly prettyName?: string; readonly plans?: readonly string[] };
  readonly childPriceLists?: readonly (PluginNamed & { readonly plans?: readonly string[] })[];
}

export interface PluginNamed {
  /** An XML NCName: letters, digits, `-`, `_`, `.`, no digit first. */
  readonly name: string;
  /** Default the name. */
  readonly prettyName?: string;
}

export interface PluginProduct extends PluginNamed {
  readonly category: ProductCategory;
  /** Names of add-ons. */
  readonly included?: readonly string[];
  readonly available?: readonly string[];
  readonly limits?: readonly PluginLimit[];
}

/** Exact: text such as `'29.95'`, or a `Decimal`. */
export type PluginDecimal = string | Decimal;

export interface PluginLimit {
  readonly unit: string;
  /** Default no bound. */
  readonly max?: PluginDecimal;
  readonly min?: PluginDecimal;
}

export interface PluginPlan extends PluginNamed {
  /** Name of its product. */
  readonly product: string;
  /**
   * Name of a price list that has the plan, besides those whose `plans` name it. Default: `DEFAULT` for a plan that no list
   * names. A list of this name need not be declared.
   */
  readonly priceList?: string;
  readonly recurringBillingMode?: BillingMode | null;
  readonly effectiveDateForExistingSubscriptions?: Date | null;
  readonly initialPhases?: readonly PluginPhase[];
  readonly finalPhase: PluginPhase;
  /** Default no bound. */
  readonly plansAllowedInBundle?: number;
}

export interface PluginPhase {
  readonly type: PhaseType;
  readonly prettyName?: string;
  /** Default UNLIMITED, as an EVERGREEN phase needs it. */
  readonly duration?: { readonly unit: TimeUnit; readonly number?: number };
  /** Charged once when the phase starts; an empty list is zero in every currency. */
  readonly fixedPrice?: readonly PluginPrice[];
  readonly recurring?: { readonly billingPeriod: BillingPeriod; readonly price?: readonly PluginPrice[] };
  readonly usages?: readonly PluginUsage[];
}

export interface PluginPrice {
  readonly currency: string;
  /** Null: not sold in this currency. */
  readonly value: PluginDecimal | null;
}

export interface PluginUsage extends PluginNamed {
  /** Default IN_ARREAR, the mode that is billed. */
  readonly billingMode?: BillingMode;
  readonly usageType: UsageType;
  readonly tierBlockPolicy?: TierBlockPolicy;
  readonly billingPeriod: BillingPeriod;
  readonly limits?: readonly PluginLimit[];
  readonly blocks?: readonly PluginBlock[];
  readonly tiers?: readonly PluginTier[];
  readonly fixedPrice?: readonly PluginPrice[];
  readonly recurringPrice?: readonly PluginPrice[];
}

export interface PluginBlock {
  readonly type?: BlockType;
  readonly unit: string;
  readonly size: PluginDecimal;
  readonly prices: readonly PluginPrice[];
  readonly minTopUpCredit?: PluginDecimal;
}

export interface PluginTier {
  readonly limits?: readonly PluginLimit[];
  readonly blocks?: readonly PluginTieredBlock[];
  readonly fixedPrice?: readonly PluginPrice[];
  /** The price of a CAPACITY tier. */
  readonly recurringPrice?: readonly PluginPrice[];
}

export interface PluginTieredBlock {
  readonly unit: string;
  readonly size: PluginDecimal;
  readonly prices: readonly PluginPrice[];
  /** Blocks up to which the tier goes; default no bound. */
  readonly max?: PluginDecimal;
}

type Case<Conditions, Result> = { readonly [Name in keyof Conditions]?: Conditions[Name] } & Result;

/** Ordered cases; the first whose conditions all hold gives the result, an absent condition always holds. */
export interface PluginRules {
  readonly changePolicy?: readonly Case<ChangeConditions, { readonly policy: BillingActionPolicy }>[];
  readonly changeAlignment?: readonly Case<ChangeConditions, { readonly alignment: PlanAlignmentChange }>[];
  readonly cancelPolicy?: readonly Case<SubscriptionConditions, { readonly policy: BillingActionPolicy }>[];
  readonly createAlignment?: readonly Case<CreateConditions, { readonly alignment: PlanAlignmentCreate }>[];
  readonly billingAlignment?: readonly Case<
    SubscriptionConditions,
    { readonly alignment: BillingAlignment }
  >[];
  /** The result is the name of a price list. */
  readonly priceList?: readonly Case<PriceListConditions, { readonly toPriceList: string }>[];
}
