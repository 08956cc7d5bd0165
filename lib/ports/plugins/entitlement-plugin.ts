import type {
  BillingActionPolicy,
  BlockingStateType,
  PhaseType,
  PluginProperty,
  ProductCategory,
} from '../../records/index.ts';
import { enumeration } from '../../values/fields/index.ts';
import type { HostInput, Plain } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, DatedInstant, RequestedDate } from '../../values/time/index.ts';
import type { GatewayContext } from './payment-gateway.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** The operations that an entitlement plugin controls (subscriptions §22). */
export const EntitlementOperation = {
  /** Creates subscriptions in one or more bundles of an account. */
  CREATE: 'CREATE',
  CHANGE_PLAN: 'CHANGE_PLAN',
  UNDO_CHANGE_PLAN: 'UNDO_CHANGE_PLAN',
  CANCEL: 'CANCEL',
  UNCANCEL: 'UNCANCEL',
  /** Pauses a bundle. RESUME, TRANSFER and RENAME_KEY also apply to a bundle. */
  PAUSE: 'PAUSE',
  RESUME: 'RESUME',
  TRANSFER: 'TRANSFER',
  RENAME_KEY: 'RENAME_KEY',
  ADD_BLOCKING_STATE: 'ADD_BLOCKING_STATE',
} as const;
export type EntitlementOperation = keyof typeof EntitlementOperation;

/** The terms that a plugin may replace, by operation. Absent and null fields are equivalent. */
export interface EntitlementTerms {
  readonly CREATE: CreationDates & {
    /** The terms of each subscription, in the order of `given`. An element replaces all terms of its subscription. */
    readonly subscriptions: readonly CreationTerms[];
  };
  readonly CHANGE_PLAN: ChangePlanRequest & ChangePlanOptions;
  readonly UNDO_CHANGE_PLAN: NoTerms;
  readonly CANCEL: CancelSubscriptionOptions;
  readonly UNCANCEL: NoTerms;
  readonly PAUSE: BlockingOptions;
  readonly RESUME: BlockingOptions;
  readonly TRANSFER: TransferBundleOptions;
  readonly RENAME_KEY: NoTerms;
  readonly ADD_BLOCKING_STATE: BlockingOptions;
}

export type NoTerms = Readonly<Record<never, never>>;

/** The part of the request that plugins cannot replace, by operation. */
export interface FixedEntitlementTerms {
  readonly CREATE: readonly CreationPlace[];
  readonly CHANGE_PLAN: null;
  readonly UNDO_CHANGE_PLAN: null;
  readonly CANCEL: null;
  readonly UNCANCEL: null;
  readonly PAUSE: null;
  readonly RESUME: null;
  /** The target account. */
  readonly TRANSFER: { readonly accountId: Uuid };
  readonly RENAME_KEY: { readonly externalKey: string };
  /** The requested state, with the type and the id of its object. */
  readonly ADD_BLOCKING_STATE: BlockingStateRequest & BlockedRef;
}

export interface EntitlementResults {
  /** One element per requested bundle. */
  readonly CREATE: readonly { readonly bundleId: Uuid; readonly subscriptionIds: readonly Uuid[] }[];
  readonly CHANGE_PLAN: ChangedSubscription;
  readonly UNDO_CHANGE_PLAN: null;
  readonly CANCEL: CancelledSubscription;
  readonly UNCANCEL: null;
  readonly PAUSE: null;
  readonly RESUME: null;
  readonly TRANSFER: { readonly bundleId: Uuid };
  readonly RENAME_KEY: null;
  readonly ADD_BLOCKING_STATE: null;
}

/** The objects of an operation. All ids belong to the tenant. The ids in `given` are the ids that the caller sent. */
export interface EntitlementSubject {
  /** The account. For a transfer, the source account. */
  readonly accountId: Uuid;
  /** The bundle, or null for CREATE, and for a blocking state on an account. */
  readonly bundleId: Uuid | null;
  /** The subscription, or null for CREATE, and for operations on a bundle or an account. */
  readonly subscriptionId: Uuid | null;
}

export interface CallOf<Operation extends EntitlementOperation> extends EntitlementSubject {
  readonly operation: Operation;
  readonly given: FixedEntitlementTerms[Operation];
  /** The terms after the changes that previous plugins made. */
  readonly terms: Plain<EntitlementTerms[Operation]>;
}

/**
 * A call of the named operation. If no operation is named, this may be a call of any operation, and `operation`
 * contains the name.
 */
export type EntitlementCall<Operation extends EntitlementOperation = EntitlementOperation> = {
  readonly [Each in Operation]: CallOf<Each>;
}[Operation];

/** A successful call with its result. */
export type EntitlementSuccess<Operation extends EntitlementOperation = EntitlementOperation> = {
  readonly [Each in Operation]: CallOf<Each> & { readonly result: Plain<EntitlementResults[Each]> };
}[Operation];

/**
 * A plugin's decision. Return nothing to continue, a reason to abort (the caller sees it), or the replacement terms.
 */
export type EntitlementDecision<Operation extends EntitlementOperation> =
  | { readonly abort: string }
  | { readonly replace: HostInput<Partial<EntitlementTerms[Operation]>> }
  | null
  | undefined;

export interface EntitlementPluginContext extends GatewayContext {
  /** Plugin properties, from `pluginProperty` of the HTTP call or `pluginProperties` of the caller. */
  readonly properties: readonly PluginProperty[];
}

/** Functions that decide, by operation. The plugin is not called for operations without a function. */
export type EntitlementRules = {
  readonly [Operation in EntitlementOperation]?: (
    call: EntitlementCall<Operation>,
    context: EntitlementPluginContext,
  ) => Promise<EntitlementDecision<Operation>>;
};

/**
 * Controls operations on subscriptions (subscriptions §22): replaces plan, dates, policy or prices before an
 * operation, or aborts it. Pass it to `Billing.open({ entitlementPlugins: [...] })`. Plugins are called in
 * that order, each with the terms left by the previous ones, before the operation's transaction and without a
 * lock; for an operation `within` a host's transaction, they are called inside that transaction. Plugins are
 * not called for dry runs, for closing an account, or for invalid requests.
 *
 * An abort returns ENTITLEMENT_PLUGIN_API_ABORTED (8003) to the caller. If a plugin throws, times out or
 * returns another shape, the operation fails with UNEXPECTED (60000). In both cases nothing is stored and no
 * later plugin is called. Replaced terms are checked by the same rules as terms from callers.
 * @example const contracts: EntitlementPlugin = { name: 'contracts', before: { CANCEL: async ({
 * subscriptionId }) => (await underContract(subscriptionId)) ? { abort: 'The contract runs until the end of
 * the year' } : { replace: { billingPolicy: 'END_OF_TERM' } }, }, succeeded: async (done) => { if
 * (done.operation === 'CREATE') await register(done.accountId, done.result); }, }; await Billing.open({ …,
 * entitlementPlugins: [contracts] });
 */
export interface EntitlementPlugin extends PluginIdentity {
  readonly name: string;
  readonly before?: EntitlementRules;
  /** Called after every successful operation, with its final terms. Errors are logged. */
  succeeded?(done: EntitlementSuccess, context: EntitlementPluginContext): Promise<void>;
  /**
   * Called after every operation that failed after this plugin was called, whether a rule or a plugin rejected the
   * operation. No part of the operation is stored. Errors are logged; the caller gets the first error.
   */
  failed?(call: EntitlementCall, error: unknown, context: EntitlementPluginContext): Promise<void>;
}

/** The options of a plan for a new subscription or a change. */
export interface TermsOfPlan {
  /** Phase in which the subscription starts. Earlier phases are skipped. */
  readonly phaseType?: PhaseType | null | undefined;
  /** Bill cycle day, 1 to 31. */
  readonly billCycleDayLocal?: number | null | undefined;
  /** Quantity, at least 1. */
  readonly quantity?: number | null | undefined;
  /**
   * Prices in the account's currency that replace the prices of the plan. They create an override plan named
   * `<plan>-<n>` (catalog §10).
   */
  readonly priceOverrides?: readonly PriceOverrideRequest[] | null | undefined;
  /** Codes of coupons to redeem on the subscription (coupons §2). */
  readonly coupons?: readonly string[] | null | undefined;
}

/** The terms of a subscription to create. Absent fields, null and empty strings are equivalent. */
export interface CreationTerms extends TermsOfPlan {
  /** Name of the plan. Cannot be combined with the product, category, billing period and price list. */
  readonly planName?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly productCategory?: ProductCategory | null | undefined;
  readonly billingPeriod?: BillingPeriod | null | undefined;
  readonly priceList?: string | null | undefined;
}

export interface CreationPlace {
  /** Id of the existing bundle to which the subscription is added. */
  readonly bundleId?: Uuid | null | undefined;
  /** External key of the bundle. Defaults to the new bundle's id. */
  readonly bundleExternalKey?: string | null | undefined;
  /** External key. Defaults to the id of the new subscription. */
  readonly externalKey?: string | null | undefined;
}

export interface CreationDates {
  /** Start of the service. Absent means now. */
  readonly entitlementDate?: RequestedDate | null | undefined;
  /** Start of billing. Absent means now. */
  readonly billingDate?: RequestedDate | null | undefined;
}

/** The target plan of a change. Absent fields, null and empty strings are equivalent. */
export interface ChangePlanRequest extends TermsOfPlan {
  /** Name of the plan. Without it, the product, billing period and price list select the plan. */
  readonly planName?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly billingPeriod?: BillingPeriod | null | undefined;
  /**
   * Price list. Defaults to the list that the catalog's rule names, otherwise to the current list (catalog §8 rule 4).
   */
  readonly priceList?: string | null | undefined;
}

/**
 * Options of a plan change. At most one of `requestedDate` and `billingPolicy` may be set. If neither is set, the
 * catalog rule applies.
 */
export interface ChangePlanOptions {
  readonly requestedDate?: RequestedDate | null | undefined;
  /** Policy that determines the date of the change. ILLEGAL is rejected. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
}

/** Specifies when service ends: immediately, or at the end of the invoiced period. */
export const EntitlementActionPolicy = enumeration('IMMEDIATE', 'END_OF_TERM');
export type EntitlementActionPolicy = keyof typeof EntitlementActionPolicy;

export interface CancelSubscriptionOptions {
  /**
   * A date ends the service on that day; an instant ends service and billing at that time. If this field is absent, the
   * service ends when billing ends or, over HTTP, immediately (subscriptions §9 rule 10).
   */
  readonly requestedDate?: RequestedDate | null | undefined;
  /** Policy for the end of service. If it is set, `requestedDate` is ignored. */
  readonly entitlementPolicy?: EntitlementActionPolicy | null | undefined;
  /** Policy for the end of billing. If no policy is given, the catalog rule applies. ILLEGAL is rejected. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
  /**
   * If true, billing also ends on the requested date, or now if no date is requested. Allowed only without policies.
   * Defaults to false.
   */
  readonly useRequestedDateForBilling?: boolean | undefined;
}

/** Specifies how a transfer treats a requested bill cycle day (subscriptions §17.4 rule 5). */
export const BcdTransfer = {
  /** Keeps the bill cycle day. */
  USE_EXISTING: 'USE_EXISTING',
  /** Replaces the bill cycle day with the day of the transfer, in the time zone of the target account. */
  ALIGN_WITH_EFF_DT: 'ALIGN_WITH_EFF_DT',
  /** Removes the requested day. The bill cycle day then follows from the plan's billing alignment. */
  NONE: 'NONE',
} as const;
export type BcdTransfer = keyof typeof BcdTransfer;

export interface TransferBundleOptions {
  /** Day of the transfer, past or future, in the time zone of the source account. Defaults to now. */
  readonly requestedDate?: RequestedDate | null | undefined;
  /** Policy for the date up to which the source account is billed: END_OF_TERM (default) or IMMEDIATE. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
  /** Specifies how the transfer treats the bill cycle day. Defaults to USE_EXISTING. */
  readonly bcdTransfer?: BcdTransfer | null | undefined;
}

/**
 * A state with which a service allows or blocks actions on an account, bundle or subscription. Flags default to false
 * (subscriptions §14.1).
 */
export interface BlockingStateRequest {
  readonly service?: string | null | undefined;
  readonly stateName?: string | null | undefined;
  readonly isBlockChange?: boolean | null | undefined;
  readonly isBlockEntitlement?: boolean | null | undefined;
  readonly isBlockBilling?: boolean | null | undefined;
}

export interface BlockingOptions {
  /** Start of the state. It may be in the past or future. Defaults to now. */
  readonly requestedDate?: RequestedDate | null | undefined;
}

export interface BlockedRef {
  readonly type: BlockingStateType;
  readonly id: Uuid;
}

export interface CancelledSubscription {
  readonly accountId: Uuid;
  readonly entitlementEnd: DatedInstant;
  readonly billingEnd: DatedInstant;
}

/** The time at which a change of plan, bill cycle day or quantity takes effect. */
export interface ChangedSubscription {
  readonly accountId: Uuid;
  readonly effective: DatedInstant;
}

/**
 * Prices that replace the prices of one phase, in the account's currency (catalog §10 rule 1). The phase is identified
 * by `phaseName` or, if that is absent, by `phaseType`. Absent and null members override nothing. At least one price is
 * required.
 */
export interface PriceOverrideRequest {
  /** Name of the overridden plan. It is checked but has no other effect. */
  readonly planName?: string | null | undefined;
  readonly phaseName?: string | null | undefined;
  readonly phaseType?: string | null | undefined;
  readonly fixedPrice?: Decimal | null | undefined;
  readonly recurringPrice?: Decimal | null | undefined;
  readonly usagePrices?: readonly UsagePriceOverride[] | null | undefined;
}

/** Prices of the usage section `usageName`. Its type, mode and policy are for information only. */
export interface UsagePriceOverride {
  readonly usageName?: string | null | undefined;
  readonly usageType?: string | null | undefined;
  readonly billingMode?: string | null | undefined;
  readonly tierBlockPolicy?: string | null | undefined;
  readonly tierPrices?: readonly TierPriceOverride[] | null | undefined;
}

/** Prices of a tier's blocks, or the price of a CAPACITY tier. The position in `tierPrices` identifies the tier. */
export interface TierPriceOverride {
  readonly blockPrices?: readonly BlockPriceOverride[] | null | undefined;
  readonly recurringPrice?: Decimal | null | undefined;
}

/**
 * The price of the tiered block with this unit, size and max (−1 means unlimited), compared by value. Equal blocks
 * are matched in order. A block without a price keeps the plan's price.
 */
export interface BlockPriceOverride {
  readonly unitName?: string | null | undefined;
  readonly size?: Decimal | null | undefined;
  readonly max?: Decimal | null | undefined;
  readonly price?: Decimal | null | undefined;
}
