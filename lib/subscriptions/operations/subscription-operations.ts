import type {
  BlockedRef,
  BlockingOptions,
  BlockingStateRequest,
  CancelledSubscription,
  ChangedSubscription,
  ChangePlanOptions,
  ChangePlanRequest,
  TransferBundleOptions,
} from '../../ports/index.ts';
import type {
  BlockingState,
  BlockingStateType,
  EntitlementState,
  Leading,
  Page,
  PageRequest,
} from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { RequestedDate } from '../../values/time/index.ts';
import type { BillCycleDayChange, QuantityChange } from '../edits/terms-change.ts';
import type {
  CreateBundleRequest,
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
} from '../requests/create-request.ts';
import type { CancelSubscriptionRequest, TransferBundleRequest } from '../requests/edit-requests.ts';
import type { BundleFilter } from '../storing/load-outlines.ts';
import type { PlanInForce } from '../timeline/transitions.ts';
import type { BundleView, SubscriptionOutline, SubscriptionView } from '../views/bundle-outline.ts';
import type { BundleWindow, OutlinePage } from '../views/outline-page.ts';
import type { CreatedBundle } from './creation-service.ts';

export interface PlanAtRequest {
  readonly subscriptionId: Uuid;
  /** A day in the account's calendar, or an instant. Defaults to now. */
  readonly requestedDate?: RequestedDate | null;
}

export interface SubscriptionListRequest {
  readonly accountId: Uuid;
  /** States to return. Defaults to all states. */
  readonly states?: readonly EntitlementState[] | null | undefined;
}

/**
 * Operations that manage the lifecycle of subscriptions and return their state at an instant. Entitlement plugins can
 * reject creations, cancellations, plan changes, and the undoing of cancellations and plan changes with
 * ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface SubscriptionOperations<C extends Leading = []> {
  /**
   * Creates a subscription (§6) to a BASE or STANDALONE plan in a new or existing bundle, or to an ADD_ON
   * plan in the bundle of a base that offers it. Both dates may be in the past or future. Due events take
   * effect with the call, other events by the queue.
   * @returns the ids of the subscription and of its bundle.
   * @throws BillingError MISSING_OR_INVALID_FIELD, EXTERNAL_KEY_LIMIT_EXCEEDED (5),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), bundle errors 1014, 1015, 1020, 1081, add-on errors 1013, 1017,
   * 1018, 1019, 1025, 1085, SUBSCRIPTION_EXTERNAL_KEY_EXISTS (1016), SUBSCRIPTION_CREATE_BAD_PHASE (1011),
   * plan errors 2002, 2013, 2020, 2021, 2030, 2050, no price in the account's currency 2010, 2011, missing
   * currency 3, CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000), BUSY (60018),
   * ENTITLEMENT_PLUGIN_API_ABORTED (8003).
   * @example await acme.subscriptions.create({ accountId, planName: 'gold-monthly' }, { billingDate:
   * '2024-03-01' });
   */
  create(
    ...given: [
      ...C,
      request: HostInput<CreateSubscriptionRequest>,
      options?: HostInput<CreateSubscriptionOptions>,
    ]
  ): Promise<{ readonly subscriptionId: Uuid; readonly bundleId: Uuid }>;

  /**
   * Creates several subscriptions in one bundle, in one transaction and in any order: a base with add-ons, add-ons
   * for an existing base, or standalone subscriptions (§6).
   * @throws BillingError with the codes of `createBundles`.
   */
  createWithAddOns(
    ...given: [...C, requests: HostInput<CreateBundleRequest>, options?: HostInput<CreateSubscriptionOptions>]
  ): Promise<CreatedBundle>;

  /**
   * Creates the subscriptions of several bundles of one account in one transaction, all or none (§6), in a constant
   * number of statements.
   * @param groups the requests by bundle. Groups of the same bundle are joined.
   * @returns one element per group.
   * @throws BillingError with the codes of `create`; 1020 for a bundle with two base subscriptions, or with a
   * standalone subscription and any other subscription.
   */
  createBundles(
    ...given: [
      ...C,
      groups: HostInput<readonly (CreateBundleRequest | null)[]>,
      options?: HostInput<CreateSubscriptionOptions>,
    ]
  ): Promise<readonly CreatedBundle[]>;

  /**
   * Returns the subscription with its events and prices.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), ANSWER_TOO_LARGE (60020).
   */
  get(...given: [...C, subscriptionId: Uuid | string]): Promise<SubscriptionView>;

  /**
   * Returns the subscription with this external key.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY (1083), ANSWER_TOO_LARGE (60020).
   */
  getByKey(...given: [...C, externalKey: string]): Promise<SubscriptionView>;

  /**
   * Returns the account's subscriptions, oldest bundle first, as in `bundlesOfAccount`. With `states`,
   * returns only subscriptions in one of these states.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), MISSING_OR_INVALID_FIELD (60003) for an
   * unknown state, ANSWER_TOO_LARGE (60020) above `server.limits.rows` rows of the account.
   * @example await acme.subscriptions.list({ accountId, states: ['ACTIVE', 'PENDING'] });
   */
  list(...given: [...C, request: HostInput<SubscriptionListRequest>]): Promise<readonly SubscriptionView[]>;

  /**
   * Returns the plan and the phase at an instant or on a day, by default now. They come from the catalog version of
   * that time (catalog §12 rule 5).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082); SUBSCRIPTION_INVALID_REQUESTED_DATE (1001) before
   * billing starts and from the end of billing on.
   */
  planAt(...given: [...C, request: HostInput<PlanAtRequest>]): Promise<PlanInForce>;

  /**
   * Returns the account's bundles, or those that match the filter, in order of original creation. Ignores unknown ids
   * and keys in the filter. For accounts of normal size, executes a constant number of queries.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020) above `server.limits.rows`
   * rows; in that case, use `outlines.pageOfAccount`.
   */
  bundlesOfAccount(
    ...given: [...C, accountId: Uuid | string, filter?: HostInput<BundleFilter>]
  ): Promise<readonly BundleView[]>;

  /**
   * Returns a page of the account's bundles in creation order, with the counts for pagination headers. Keeps all rows
   * in memory; use `outlines.pageOfAccount` to stream them.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  pageBundlesOfAccount(
    ...given: [...C, accountId: Uuid | string, request: PageRequest]
  ): Promise<Page<BundleView>>;

  /**
   * Ends service and billing (§9). By default, billing ends by the catalog's rule, at the charged-through date for END_OF_TERM and now for IMMEDIATE, and the service ends with billing. A requested date or
   * `entitlementPolicy` ends the service at its own date; `defaultEntitlementPolicy` does so if plugins set neither. The next invoice run repairs later charges.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CANCEL_BAD_STATE (1031),
   * SUBSCRIPTION_INVALID_REQUESTED_DATE (1001), INVALID_PARAMETER (60002), BUSY (60018).
   */
  cancel(
    ...given: [...C, subscriptionId: Uuid | string, options?: HostInput<CancelSubscriptionRequest>]
  ): Promise<CancelledSubscription>;

  /**
   * Undoes a cancellation while billing continues, as if it had never been requested (§10).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_UNCANCEL_BAD_STATE (1070),
   * ENTITLEMENT_UNCANCEL_BAD_STATE (8004), BUSY (60018).
   */
  uncancel(...given: [...C, subscriptionId: Uuid | string]): Promise<void>;

  /**
   * Changes the plan on a date or by policy (§7). Withdraws pending changes, phases and an expiry after the date of
   * the change; earlier events stay.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021), 1022,
   * 1023, 1026, add-on errors 1017, 1018, 1019, 1025, SUBSCRIPTION_CREATE_BAD_PHASE (1011),
   * CATALOG_ILLEGAL_CHANGE_REQUEST (2001), plan errors 2002, 2013, 2020, 2021, 2030, no price in the account's
   * currency 2010, 2011, missing currency 3, CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000),
   * MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002), BUSY (60018).
   */
  changePlan(
    ...given: [...C, subscriptionId: Uuid | string, change: HostInput<ChangePlanRequest & ChangePlanOptions>]
  ): Promise<ChangedSubscription>;

  /**
   * Undoes all pending plan changes, as if none had been requested (§7, undo).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_UNDO_CHANGE_BAD_STATE (1071), BUSY
   * (60018).
   */
  undoChangePlan(...given: [...C, subscriptionId: Uuid | string]): Promise<void>;

  /**
   * Sets the subscription's own bill cycle day from its next occurrence on (§15.3). Existing charges stay; the next
   * invoice bills up to the new day.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021),
   * MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002) for a disallowed past day, BUSY (60018).
   */
  changeBillCycleDay(
    ...given: [...C, subscriptionId: Uuid | string, change: HostInput<BillCycleDayChange>]
  ): Promise<ChangedSubscription>;

  /**
   * Sets the quantity that multiplies prices, from now or from a day on (§16). The next invoice run repairs later
   * charges.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021),
   * MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002) for a past day that is not allowed, BUSY (60018).
   */
  changeQuantity(
    ...given: [...C, subscriptionId: Uuid | string, change: HostInput<QuantityChange>]
  ): Promise<ChangedSubscription>;
}

/**
 * Operations on bundles, which are a base subscription with its add-ons. Entitlement plugins can reject
 * `renameKey` and `transfer` with ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface BundleOperations<C extends Leading = []> {
  /**
   * Returns the bundle with its subscriptions and their events.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ANSWER_TOO_LARGE (60020).
   */
  get(...given: [...C, bundleId: Uuid | string]): Promise<BundleView>;

  /**
   * Returns the bundle that has the key, unless the services of all its base and standalone subscriptions are
   * canceled.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084), ANSWER_TOO_LARGE (60020).
   */
  getByKey(...given: [...C, externalKey: string]): Promise<BundleView>;

  /**
   * Returns all bundles that have or had the key, under their current keys, oldest first.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084) if no bundle had the key, ANSWER_TOO_LARGE
   * (60020).
   */
  allOfKey(...given: [...C, externalKey: string]): Promise<readonly BundleView[]>;

  /**
   * Returns a page of the tenant's bundles in creation order, without prices, with the counts for pagination headers.
   * Keeps all rows in memory; use `outlines.page` to stream them.
   */
  page(...given: [...C, request: PageRequest]): Promise<Page<BundleView>>;

  /**
   * Returns a page of the bundles that match the key, in creation order and without prices, with the counts for
   * pagination headers. The key is an id, account id or external key, or clauses in operator form (http-api §8).
   * @throws BillingError INVALID_PARAMETER (60002) for an unreadable key in operator form.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<BundleView>>;

  /**
   * Sets the bundle's key. No other bundle may have the key.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS
   * (1014), MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), BUSY (60018).
   */
  renameKey(...given: [...C, bundleId: Uuid | string, externalKey: string | null | undefined]): Promise<void>;

  /**
   * Moves a bundle's running subscriptions to another account in one transaction. They end on the source account and
   * continue, in their phase, in a new bundle with the same key. Until a future date, the new subscriptions are
   * PENDING. Both accounts are invoiced automatically. Custom fields, tags and blocking states are not copied. To
   * reverse a transfer, transfer the new bundle back.
   * @returns the id of the new bundle.
   * @throws BillingError 1081, ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), 1082, SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS
   * (1099), SUBSCRIPTION_EXTERNAL_KEY_EXISTS (1016), MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED
   * (5), INVALID_PARAMETER (60002), BUSY (60018), and from the target account's catalog 2020, 2010, 2011, 3.
   */
  transfer(
    ...given: [
      ...C,
      bundleId: Uuid | string,
      request: HostInput<TransferBundleRequest & TransferBundleOptions>,
    ]
  ): Promise<Uuid>;
}

/** Operations on bundles and subscriptions whose rows are created on demand, for results of any length. */
export interface OutlineOperations<C extends Leading = []> {
  /**
   * Returns the account's bundles, or those that match the filter, in order of original creation. Ignores unknown ids
   * and keys in the filter.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, filter?: HostInput<BundleFilter>]
  ): Promise<BundleWindow>;

  /**
   * Returns a page of the account's bundles in creation order, with the counts for pagination headers.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  pageOfAccount(...given: [...C, accountId: Uuid | string, request: PageRequest]): Promise<OutlinePage>;

  /** Returns a page of the tenant's bundles in creation order, without prices. */
  page(...given: [...C, request: PageRequest]): Promise<OutlinePage>;

  /**
   * Returns a page of the bundles that match the key, in creation order and without prices. The key is an id, account
   * id or external key, or clauses in operator form. An empty key matches all bundles (http-api §1 rule 3, §8).
   * @throws BillingError INVALID_PARAMETER (60002) for an unreadable key in operator form.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<OutlinePage>;

  /** Returns one bundle. @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ANSWER_TOO_LARGE (60020). */
  bundle(...given: [...C, bundleId: Uuid | string]): Promise<BundleWindow>;

  /**
   * Returns the same bundle as `BundleOperations.getByKey`, as an outline.
   * @throws BillingError 1084, ANSWER_TOO_LARGE (60020).
   */
  bundleByKey(...given: [...C, externalKey: string]): Promise<BundleWindow>;

  /**
   * Returns the same bundles as `BundleOperations.allOfKey`, as outlines.
   * @throws BillingError 1084 for an unknown key, ANSWER_TOO_LARGE (60020).
   */
  allOfKey(...given: [...C, externalKey: string]): Promise<BundleWindow>;

  /**
   * Returns one subscription.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), ANSWER_TOO_LARGE (60020).
   */
  subscription(...given: [...C, subscriptionId: Uuid | string]): Promise<SubscriptionOutline>;

  /**
   * Returns the subscription with this external key.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY (1083), ANSWER_TOO_LARGE (60020).
   */
  subscriptionByKey(...given: [...C, externalKey: string]): Promise<SubscriptionOutline>;
}

export interface BlockingStateFilter {
  /** Selects states of objects of these types. Defaults to all types. */
  readonly types?: readonly BlockingStateType[] | undefined;
  /** Selects states of these services. Defaults to all services. */
  readonly services?: readonly string[] | undefined;
}

/**
 * Operations on states that block change, service or billing of an account, bundle or subscription. Entitlement
 * plugins can reject changes with ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface BlockingOperations<C extends Leading = []> {
  /**
   * Sets a service's state on an object, from a past or future date until the service's next state on that object
   * (§14.1). A redundant state is not stored.
   * @returns the account of the object.
   * @throws BillingError SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG (1107), MISSING_OR_INVALID_FIELD (60003),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), 1081, 1082, INVALID_PARAMETER (60002), BUSY (60018).
   */
  add(
    ...given: [
      ...C,
      object: HostInput<BlockedRef>,
      request: HostInput<BlockingStateRequest & BlockingOptions>,
    ]
  ): Promise<{ readonly accountId: Uuid }>;

  /**
   * Stops service and billing of a bundle from a date on, by default now (§14.3). Nothing is stored for a bundle that
   * is already paused on that date.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), INVALID_PARAMETER (60002), BUSY (60018).
   */
  pauseBundle(...given: [...C, bundleId: Uuid | string, options?: HostInput<BlockingOptions>]): Promise<void>;

  /**
   * Resumes a paused bundle on a date, by default now. The resume may be stored before the pause that it ends. A
   * redundant resume stores nothing.
   * @throws the errors of `pauseBundle`.
   */
  resumeBundle(
    ...given: [...C, bundleId: Uuid | string, options?: HostInput<BlockingOptions>]
  ): Promise<void>;

  /**
   * Returns the past and future active states of an account and of its bundles and subscriptions, in time order
   * (§14.4). They include the starts and ends of services. Reads the states in batches.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: HostInput<BlockingStateFilter>]
  ): Promise<readonly BlockingState[]>;
}
