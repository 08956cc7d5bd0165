import type { PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type {
  BlockedRef,
  BlockingOptions,
  BlockingStateRequest,
  CancelledSubscription,
  CancelSubscriptionOptions,
  ChangedSubscription,
  ChangePlanOptions,
  ChangePlanRequest,
  CreationDates,
  CreationPlace,
  CreationTerms,
  TransferBundleOptions,
} from './entitlement-requests.ts';
import type { GatewayContext } from './payment-gateway.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** The operations that an entitlement plugin controls (subscriptions §22). */
export const EntitlementOperation = {
  /** Subscriptions, one or several, of one or several bundles of an account. */
  CREATE: 'CREATE',
  CHANGE_PLAN: 'CHANGE_PLAN',
  UNDO_CHANGE_PLAN: 'UNDO_CHANGE_PLAN',
  CANCEL: 'CANCEL',
  UNCANCEL: 'UNCANCEL',
  /** Of a bundle, as are the next three. */
  PAUSE: 'PAUSE',
  RESUME: 'RESUME',
  TRANSFER: 'TRANSFER',
  RENAME_KEY: 'RENAME_KEY',
  ADD_BLOCKING_STATE: 'ADD_BLOCKING_STATE',
} as const;
export type EntitlementOperation = (typeof EntitlementOperation)[keyof typeof EntitlementOperation];

/** What a plugin may replace, by operation. Absent and null are the same. */
export interface EntitlementTerms {
  readonly CREATE: CreationDates & {
    /** In the order of `given`. An element replaces all terms of its subscription: none of the previous ones stays. */
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

/** What the caller requests and no plugin can replace, by operation. */
export interface EntitlementGiven {
  /** The bundle of each subscription, and its key. */
  readonly CREATE: readonly CreationPlace[];
  readonly CHANGE_PLAN: null;
  readonly UNDO_CHANGE_PLAN: null;
  readonly CANCEL: null;
  readonly UNCANCEL: null;
  readonly PAUSE: null;
  readonly RESUME: null;
  /** The account to which the bundle is transferred. */
  readonly TRANSFER: { readonly accountId: Uuid };
  readonly RENAME_KEY: { readonly externalKey: string };
  /** The state, and type and id of the object on which it is set. */
  readonly ADD_BLOCKING_STATE: BlockingStateRequest & BlockedRef;
}

/** What an operation has done, by operation. */
export interface EntitlementResults {
  /** One for each bundle of the request. */
  readonly CREATE: readonly { readonly bundleId: Uuid; readonly subscriptionIds: readonly Uuid[] }[];
  readonly CHANGE_PLAN: ChangedSubscription;
  readonly UNDO_CHANGE_PLAN: null;
  readonly CANCEL: CancelledSubscription;
  readonly UNCANCEL: null;
  readonly PAUSE: null;
  readonly RESUME: null;
  /** The new bundle. */
  readonly TRANSFER: { readonly bundleId: Uuid };
  readonly RENAME_KEY: null;
  readonly ADD_BLOCKING_STATE: null;
}

/** What an operation is about. All ids belong to the tenant; those in `given` are as the caller sent them. */
export interface EntitlementSubject {
  /** The account; for a transfer, the source account. */
  readonly accountId: Uuid;
  /** Null for CREATE, and for a blocking state on an account. */
  readonly bundleId: Uuid | null;
  /** Null for CREATE, and for operations on a bundle or an account. */
  readonly subscriptionId: Uuid | null;
}

export interface CallOf<Operation extends EntitlementOperation> extends EntitlementSubject {
  readonly operation: Operation;
  readonly given: EntitlementGiven[Operation];
  /** As the plugins that were asked before have left them. */
  readonly terms: EntitlementTerms[Operation];
}

/** A call of the named operation; without a name, of any operation, told apart by `operation`. */
export type EntitlementCall<Operation extends EntitlementOperation = EntitlementOperation> = {
  readonly [Each in Operation]: CallOf<Each>;
}[Operation];

/** A call that was done, with its result. */
export type EntitlementSuccess<Operation extends EntitlementOperation = EntitlementOperation> = {
  readonly [Each in Operation]: CallOf<Each> & { readonly result: EntitlementResults[Each] };
}[Operation];

/** Nothing: go on. Otherwise the reason why not, which the caller reads, or members that replace those of the terms. */
export type EntitlementDecision<Operation extends EntitlementOperation> =
  | { readonly abort: string }
  | { readonly replace: Partial<EntitlementTerms[Operation]> }
  | null
  | undefined;

/** Who calls, when, with which properties. */
export interface EntitlementPluginContext extends GatewayContext {
  /** `pluginProperty` of the HTTP call, or `pluginProperties` of the caller. */
  readonly properties: readonly PluginProperty[];
}

/** What a plugin decides, by operation; for absent ones it is not asked. */
export type EntitlementRules = {
  readonly [Operation in EntitlementOperation]?: (
    call: EntitlementCall<Operation>,
    context: EntitlementPluginContext,
  ) => Promise<EntitlementDecision<Operation>>;
};

/**
 * Has a say in what happens to subscriptions (subscriptions §22): replaces plan, dates, policy or prices of an operation
 * before it is done, or aborts it. Given to `Billing.open({ entitlementPlugins: [...] })`; asked in that order, each
 * about what the previous ones have made of the call, before the operation's transaction, so that no lock is held
 * meanwhile; an operation `within` a host's transaction asks inside that one. Not asked for dry runs, for closing an
 * account, or for requests that are refused as they stand.
 *
 * An abort answers the caller with ENTITLEMENT_PLUGIN_API_ABORTED (8003). If it throws, takes too long or decides in
 * another shape, the operation fails with UNEXPECTED (60000). Nothing is stored then, and no later plugin is asked.
 * Replaced terms are checked by the rules for those of callers, with the same errors.
 *
 * @example const contracts: EntitlementPlugin = {
 *   name: 'contracts',
 *   before: {
 *     CANCEL: async ({ subscriptionId }) =>
 *       (await underContract(subscriptionId))
 *         ? { abort: 'The contract runs until the end of the year' }
 *         : { replace: { billingPolicy: 'END_OF_TERM' } },
 *   },
 *   succeeded: async (done) => {
 *     if (done.operation === 'CREATE') await register(done.accountId, done.result);
 *   }, }; await Billing.open({ …, entitlementPlugins: [contracts] });
 */
export interface EntitlementPlugin extends PluginIdentity {
  /** Named in errors and in the log. */
  readonly name: string;
  readonly before?: EntitlementRules;
  /** Told of every operation that is done, with its final terms. What it throws is logged; the result stands. */
  succeeded?(done: EntitlementSuccess, context: EntitlementPluginContext): Promise<void>;
  /**
   * Told of every operation that failed after this plugin was asked, because of a rule of the engine or of a plugin,
   * itself included; nothing of the operation is stored. What it throws is logged; the caller gets the first error.
   */
  failed?(call: EntitlementCall, error: unknown, context: EntitlementPluginContext): Promise<void>;
}
