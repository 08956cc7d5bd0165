import type {
  BlockingState,
  Bundle,
  ClauseSearch,
  LifecycleEvent,
  New,
  Page,
  PageRequest,
  Rows,
  Subscription,
  TextSearch,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';

export interface SubscriptionReads extends BundleReads {
  findByIds(ids: readonly Uuid[]): Rows<Subscription>;
  findByKeys(externalKeys: readonly string[]): Rows<Subscription>;
  findByBundles(bundleIds: readonly Uuid[]): Rows<Subscription>;
  findByAccounts(accountIds: readonly Uuid[]): Rows<Subscription>;
  /** Returns active lifecycle events sorted by subscription, effective instant and sequence. */
  findEvents(subscriptionIds: readonly Uuid[]): Rows<LifecycleEvent>;
  /** Returns the withdrawn events, sorted by sequence. */
  findWithdrawnEvents(subscriptionIds: readonly Uuid[]): Rows<LifecycleEvent>;
  findEventsByIds(eventIds: readonly Uuid[]): Rows<LifecycleEvent>;
  /** Returns active states sorted by effective instant and sequence. */
  findBlockingStates(blockedIds: readonly Uuid[]): Rows<BlockingState>;
  /** Returns the next batch of `findBlockingStates`, starting after `after`. */
  pageBlockingStates(
    blockedIds: readonly Uuid[],
    page: { readonly after: BlockingState | null; readonly limit: number },
  ): Rows<BlockingState>;
  /**
   * Returns active states of these accounts and all their objects, without ENT_STARTED and ENT_CANCELLED. Most accounts
   * have no such states.
   */
  findBlocksOfAccounts(accountIds: readonly Uuid[]): Rows<BlockingState>;
  /**
   * Returns the last active state of the service up to an instant, per account. Omits accounts without such a state.
   */
  findLatestBlockingStates(
    accountIds: readonly Uuid[],
    of: { readonly service: string; readonly at: Instant },
  ): Rows<BlockingState>;
}

export interface SubscriptionWrites extends BundleWrites {
  /** Inserts subscriptions. @throws BillingError 1016 if a key is already used. */
  insertSubscriptions(subscriptions: readonly New<Subscription>[]): Promise<void>;
  insertEvents(events: readonly New<LifecycleEvent>[]): Promise<void>;
  /** Sets `isActive` of lifecycle events. The audit log records an UPDATE. */
  setEventActivity(
    changes: readonly Pick<LifecycleEvent, 'id' | 'isActive' | 'deactivatedBy'>[],
  ): Promise<void>;
  insertBlockingStates(states: readonly New<BlockingState>[]): Promise<void>;
  /** Withdraws blocking states. The audit log records an UPDATE. */
  withdrawBlockingStates(stateIds: readonly Uuid[]): Promise<void>;
  /** Sets charged-through dates. The audit log records an UPDATE of the subscription. */
  setChargedThrough(changes: readonly ChargedThroughChange[]): Promise<void>;
  /** Stores the trial ends that were announced. The change is not audited. */
  setAnnouncedTrialEnds(changes: readonly Pick<Subscription, 'id' | 'announcedTrialEnd'>[]): Promise<void>;
}

export interface ChargedThroughChange {
  readonly subscriptionId: Uuid;
  /** The charged-through date, or null if nothing has been charged. */
  readonly chargedThrough: DatedInstant | null;
}

export type BundleSearch =
  /** Finds bundles whose id, account id, or current or past external key equals the text. */
  TextSearch | ClauseSearch;

export interface BundleReads {
  findBundlesByIds(ids: readonly Uuid[]): Rows<Bundle>;
  /**
   * Returns the bundles with one of these keys, in creation order. Includes bundles whose key another bundle has taken
   * over, but ignores keys from before renames.
   */
  findBundlesByKeys(externalKeys: readonly string[]): Rows<Bundle>;
  /**
   * Returns bundles by their keys, including keys from before renames. The result has no duplicates and is in
   * creation order.
   */
  findBundlesByPastKeys(externalKeys: readonly string[]): Rows<Bundle>;
  /** Returns the records in creation order. */
  findBundlesByAccounts(accountIds: readonly Uuid[]): Rows<Bundle>;
  pageBundlesOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Bundle>>;
  pageBundles(request: PageRequest): Promise<Page<Bundle>>;
  /** Returns a page of the bundles that match the search. `max` counts all bundles of the tenant. */
  searchBundles(search: BundleSearch, request: PageRequest): Promise<Page<Bundle>>;
}

export interface BundleWrites {
  /** Inserts bundles. @throws BillingError 1014 if another bundle has the key. */
  insertBundles(bundles: readonly New<Bundle>[]): Promise<void>;
  /** Archives the current keys. Call this before setting new keys. */
  keepBundleKeys(bundleIds: readonly Uuid[]): Promise<void>;
  /**
   * Sets the keys of bundles. The audit log records an UPDATE.
   * @throws BillingError 1014 if another bundle has the key.
   */
  setBundleKeys(changes: readonly Pick<Bundle, 'id' | 'externalKey' | 'retiredKey'>[]): Promise<void>;
}
