import type {
  BlockedRef,
  BlockingOptions,
  BlockingStateRequest,
  CancelledSubscription,
  CancelSubscriptionOptions,
  ChangedSubscription,
  ChangePlanOptions,
  ChangePlanRequest,
  TransferBundleOptions,
} from '../../ports/index.ts';
import type { BlockingState, BlockingStateType, Leading, Page, PageRequest } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { RequestedDate } from '../../values/time/index.ts';
import type { BillCycleDayChange, QuantityChange } from '../edits/terms-change.ts';
import type {
  CreateBundleRequest,
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
} from '../requests/create-request.ts';
import type { TransferBundleRequest } from '../requests/edit-requests.ts';
import type { BundleFilter } from '../storing/load-outlines.ts';
import type { PlanInForce } from '../timeline/transitions.ts';
import type { BundleView, SubscriptionOutline, SubscriptionView } from '../views/bundle-outline.ts';
import type { BundleWindow, OutlinePage } from '../views/outline-page.ts';
import type { CreatedBundle } from './creation-service.ts';

export interface PlanAtRequest {
  readonly subscriptionId: Uuid;
  /** A day in the account's calendar, or an instant; default now. */
  readonly requestedDate?: RequestedDate | null;
}

/**
 * Subscriptions: their life, and what they are at a moment. A plugin of the host may refuse creations, cancellations and
 * changes of plan, and what takes them back: ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface SubscriptionOperations<C extends Leading = []> {
  /**
   * Creates a subscription (§6): to a BASE or STANDALONE plan in a new or an existing bundle, to an ADD_ON plan in the
   * bundle of its base, which must offer it. Both dates may lie in the past or the future: what is due by now takes
   * effect with the call, the rest by the queue.
   * @returns the ids of the subscription and of its bundle.
   * @throws BillingError MISSING_OR_INVALID_FIELD, EXTERNAL_KEY_LIMIT_EXCEEDED (5), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002),
   * bundle errors 1014, 1015, 1020, 1081, add-on errors 1013, 1017, 1018, 1019, 1025, 1085,
   * SUBSCRIPTION_EXTERNAL_KEY_EXISTS (1016), SUBSCRIPTION_CREATE_BAD_PHASE (1011), plan errors 2002, 2013, 2020, 2021,
   * 2030, 2050, no price in the account's currency 2010, 2011, no currency where one is needed 3,
   * CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000), BUSY (60018), ENTITLEMENT_PLUGIN_API_ABORTED
   * (8003) where a plugin of the host refuses it.
   *
   * @example await acme.subscriptions.create({ accountId, planName: 'gold-monthly' }, { billingDate: '2024-03-01' });
   */
  create(
    ...given: [...C, request: Given<CreateSubscriptionRequest>, options?: Given<CreateSubscriptionOptions>]
  ): Promise<{ readonly subscriptionId: Uuid; readonly bundleId: Uuid }>;

  /**
   * Creates several subscriptions in one bundle, in one transaction: a base with its add-ons, add-ons to a bundle that has
   * a base, or standalone ones (§6). The order of the requests does not matter.
   * @throws BillingError as `createBundles`.
   */
  createWithAddOns(
    ...given: [...C, requests: Given<CreateBundleRequest>, options?: Given<CreateSubscriptionOptions>]
  ): Promise<CreatedBundle>;

  /**
   * Creates the subscriptions of several bundles of one account in one transaction: all or none (§6). A constant number
   * of statements for any number of subscriptions.
   * @param groups the requests by bundle; groups that name the same bundle are joined.
   * @returns one element per group.
   * @throws BillingError as `create`; 1020 for two bases, or standalone ones among others.
   */
  createBundles(
    ...given: [
      ...C,
      groups: Given<readonly (CreateBundleRequest | null)[]>,
      options?: Given<CreateSubscriptionOptions>,
    ]
  ): Promise<readonly CreatedBundle[]>;

  /**
   * The subscription with this id, with its events and prices.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), ANSWER_TOO_LARGE (60020).
   */
  get(...given: [...C, subscriptionId: Uuid | string]): Promise<SubscriptionView>;

  /**
   * The subscription with this external key.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY (1083), ANSWER_TOO_LARGE (60020).
   */
  getByKey(...given: [...C, externalKey: string]): Promise<SubscriptionView>;

  /**
   * Plan and phase of a subscription at an instant or on a day, default now, as the catalog version that supplies them
   * then has them (catalog §12, row 10).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082); SUBSCRIPTION_INVALID_REQUESTED_DATE (1001) before
   * its billing starts and from its end on.
   */
  planAt(...given: [...C, request: Given<PlanAtRequest>]): Promise<PlanInForce>;

  /**
   * The account's bundles by original creation, all of them or those of the filter; ids and keys that the account does
   * not have are left out. The number of queries is the same for any account of usual size.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020) for bundles with more rows than
   * `server.limits.rows`: `outlines.pageOfAccount` reads any number.
   */
  bundlesOfAccount(
    ...given: [...C, accountId: Uuid | string, filter?: Given<BundleFilter>]
  ): Promise<readonly BundleView[]>;

  /**
   * A window of the account's bundles in creation order, with the counts that pagination headers show. All rows of the
   * page are in memory; `outlines.pageOfAccount` gives them one after the other.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  pageBundlesOfAccount(
    ...given: [...C, accountId: Uuid | string, request: PageRequest]
  ): Promise<Page<BundleView>>;

  /**
   * Ends service and billing of a subscription, each at its own date (§9). The next invoice run repairs what was invoiced
   * beyond the end of billing.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CANCEL_BAD_STATE (1031),
   * SUBSCRIPTION_INVALID_REQUESTED_DATE (1001), INVALID_PARAMETER (60002), BUSY (60018).
   */
  cancel(
    ...given: [...C, subscriptionId: Uuid | string, options?: Given<CancelSubscriptionOptions>]
  ): Promise<CancelledSubscription>;

  /**
   * Undoes a cancellation while billing goes on, as if it had never been requested (§10).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_UNCANCEL_BAD_STATE (1070),
   * ENTITLEMENT_UNCANCEL_BAD_STATE (8004), BUSY (60018).
   */
  uncancel(...given: [...C, subscriptionId: Uuid | string]): Promise<void>;

  /**
   * Puts a subscription on another plan, at a date or by policy (§7). Pending changes, phases and an expiry after its
   * date are withdrawn; those before it stay.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021), 1022, 1023,
   * 1026, of an add-on 1017, 1018, 1019, 1025, SUBSCRIPTION_CREATE_BAD_PHASE (1011), CATALOG_ILLEGAL_CHANGE_REQUEST
   * (2001), plan errors 2002, 2013, 2020, 2021, 2030, no price in the account's currency 2010, 2011, no currency where
   * one is needed 3, CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000), MISSING_OR_INVALID_FIELD
   * (60003), INVALID_PARAMETER (60002), BUSY (60018).
   */
  changePlan(
    ...given: [...C, subscriptionId: Uuid | string, change: Given<ChangePlanRequest & ChangePlanOptions>]
  ): Promise<ChangedSubscription>;

  /**
   * Undoes all pending changes of plan, as if none had been requested (§7, undo).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_UNDO_CHANGE_BAD_STATE (1071), BUSY
   * (60018).
   */
  undoChangePlan(...given: [...C, subscriptionId: Uuid | string]): Promise<void>;

  /**
   * Gives a subscription a bill cycle day of its own, from its next occurrence on (§15.3). What was already invoiced
   * stays; the next invoice leads to the new day.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021),
   * MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002) for a day before today that is not allowed, BUSY (60018).
   */
  changeBillCycleDay(
    ...given: [...C, subscriptionId: Uuid | string, change: Given<BillCycleDayChange>]
  ): Promise<ChangedSubscription>;

  /**
   * Sets the quantity by which the prices of a subscription are multiplied, now or from a day on (§16); the next invoice
   * run repairs what was invoiced for later days at another quantity.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021),
   * MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002) for a day before today that is not allowed, BUSY (60018).
   */
  changeQuantity(
    ...given: [...C, subscriptionId: Uuid | string, change: Given<QuantityChange>]
  ): Promise<ChangedSubscription>;
}

/**
 * Bundles: a base subscription with its add-ons. A plugin of the host may refuse `renameKey` and `transfer`:
 * ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface BundleOperations<C extends Leading = []> {
  /**
   * The bundle with this id, with its subscriptions and their events.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ANSWER_TOO_LARGE (60020).
   */
  get(...given: [...C, bundleId: Uuid | string]): Promise<BundleView>;

  /**
   * The bundle that holds the key, if the service of one of its base or standalone subscriptions has not been cancelled.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084), ANSWER_TOO_LARGE (60020).
   */
  getByKey(...given: [...C, externalKey: string]): Promise<BundleView>;

  /**
   * The bundle that holds the key, and all that held it before, under their present keys, the oldest first.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084) if there is none, ANSWER_TOO_LARGE (60020).
   */
  allOfKey(...given: [...C, externalKey: string]): Promise<readonly BundleView[]>;

  /**
   * A window of the tenant's bundles in creation order, without prices, with the counts that pagination headers show. All
   * rows of the page are in memory; `outlines.page` gives them one after the other.
   */
  page(...given: [...C, request: PageRequest]): Promise<Page<BundleView>>;

  /**
   * A window of the bundles whose id, account id or external key is the key, or that meet the clauses of a key in
   * operator form (http-api §8); otherwise as `page`.
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<BundleView>>;

  /**
   * Gives the bundle another key, which no other bundle may hold; its present key changes nothing.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS (1014),
   * MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), BUSY (60018).
   */
  renameKey(...given: [...C, bundleId: Uuid | string, externalKey: string | null | undefined]): Promise<void>;

  /**
   * Moves a bundle's running subscriptions to another account, in one transaction: they end on the account that they
   * leave and continue, in their phase, in a new bundle with the same key. With a future date the new subscriptions are
   * PENDING until then. Both accounts are invoiced automatically. Custom fields, tags and blocking states are not copied.
   * A transfer cannot be undone; to reverse it, transfer the new bundle back.
   * @returns the id of the new bundle.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002),
   * SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS (1099),
   * SUBSCRIPTION_EXTERNAL_KEY_EXISTS (1016), MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5),
   * INVALID_PARAMETER (60002), BUSY (60018), and from the target account's catalog CATALOG_PLAN_NOT_FOUND (2020),
   * CATALOG_NO_PRICE_FOR_CURRENCY (2010), 2011, CURRENCY_INVALID (3).
   */
  transfer(
    ...given: [...C, bundleId: Uuid | string, request: Given<TransferBundleRequest & TransferBundleOptions>]
  ): Promise<Uuid>;
}

/** Bundles and subscriptions whose rows are made while they are read, for answers of any length. */
export interface OutlineOperations<C extends Leading = []> {
  /**
   * The account's bundles by original creation, all of them or those of the filter; ids and keys that the account does
   * not have are left out.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020).
   */
  ofAccount(...given: [...C, accountId: Uuid | string, filter?: Given<BundleFilter>]): Promise<BundleWindow>;

  /**
   * A window of the account's bundles in creation order, with the counts that pagination headers show.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  pageOfAccount(...given: [...C, accountId: Uuid | string, request: PageRequest]): Promise<OutlinePage>;

  /** A window of the tenant's bundles in creation order, without prices. */
  page(...given: [...C, request: PageRequest]): Promise<OutlinePage>;

  /**
   * A window of the bundles whose id, account id or external key is the key, or that meet the clauses of a key in
   * operator form; an empty key gives all bundles (http-api §1 rule 3, §8). Otherwise as `page`.
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<OutlinePage>;

  /**
   * The bundle with this id.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ANSWER_TOO_LARGE (60020).
   */
  bundle(...given: [...C, bundleId: Uuid | string]): Promise<BundleWindow>;

  /**
   * The bundle that holds the key, if the service of one of its base or standalone subscriptions has not been cancelled.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084), ANSWER_TOO_LARGE (60020).
   */
  bundleByKey(...given: [...C, externalKey: string]): Promise<BundleWindow>;

  /**
   * The bundle that holds the key, and all that held it before, under their present keys, the oldest first.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084) if there is none, ANSWER_TOO_LARGE (60020).
   */
  allOfKey(...given: [...C, externalKey: string]): Promise<BundleWindow>;

  /**
   * The subscription with this id.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), ANSWER_TOO_LARGE (60020).
   */
  subscription(...given: [...C, subscriptionId: Uuid | string]): Promise<SubscriptionOutline>;

  /**
   * The subscription with this external key.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY (1083), ANSWER_TOO_LARGE (60020).
   */
  subscriptionByKey(...given: [...C, externalKey: string]): Promise<SubscriptionOutline>;
}

export interface BlockingStateFilter {
  /** Only states on objects of these types; default all. */
  readonly types?: readonly BlockingStateType[] | undefined;
  /** Only states of these services; default all. */
  readonly services?: readonly string[] | undefined;
}

/**
 * What keeps an account, bundle or subscription from change, service or billing. A plugin of the host may refuse what
 * changes it: ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface BlockingOperations<C extends Leading = []> {
  /**
   * Says what a service allows on an object from a date on, past or future; it holds until the same service says
   * otherwise for the same object (§14.1). A state that says nothing new is not stored.
   * @returns the account of the object.
   * @throws BillingError SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG (1107), MISSING_OR_INVALID_FIELD (60003),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_INVALID_SUBSCRIPTION_ID
   * (1082), INVALID_PARAMETER (60002), BUSY (60018).
   */
  add(
    ...given: [...C, object: Given<BlockedRef>, request: Given<BlockingStateRequest & BlockingOptions>]
  ): Promise<{ readonly accountId: Uuid }>;

  /**
   * Stops service and billing of all subscriptions of a bundle from a date on, default now (§14.3). Pausing a bundle that
   * is paused on that date stores nothing.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), INVALID_PARAMETER (60002), BUSY (60018).
   */
  pauseBundle(...given: [...C, bundleId: Uuid | string, options?: Given<BlockingOptions>]): Promise<void>;

  /**
   * Resumes a paused bundle from a date on, default now. It may be stored before the pause that it ends. Resuming a
   * bundle that was resumed before that date stores nothing.
   * @throws as `pauseBundle`.
   */
  resumeBundle(...given: [...C, bundleId: Uuid | string, options?: Given<BlockingOptions>]): Promise<void>;

  /**
   * The active states of an account, its bundles and its subscriptions, past and future, with the starts and ends of
   * services, in time order (§14.4); read a part at a time.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<BlockingStateFilter>]
  ): Promise<readonly BlockingState[]>;
}
