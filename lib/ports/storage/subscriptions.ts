import type {
  BlockingState,
  Bundle,
  LifecycleEvent,
  New,
  Page,
  PageRequest,
  SearchClause,
  Subscription,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';

export interface SubscriptionReads extends BundleReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly Subscription[]>;
  findByKeys(externalKeys: readonly string[]): Promise<readonly Subscription[]>;
  findByBundles(bundleIds: readonly Uuid[]): Promise<readonly Subscription[]>;
  /** Active lifecycle events, by subscription, then (effective instant, sequence). */
  findEvents(subscriptionIds: readonly Uuid[]): Promise<readonly LifecycleEvent[]>;
  /** Withdrawn lifecycle events of these subscriptions, in the order of their sequence. */
  findWithdrawnEvents(subscriptionIds: readonly Uuid[]): Promise<readonly LifecycleEvent[]>;
  findEventsByIds(eventIds: readonly Uuid[]): Promise<readonly LifecycleEvent[]>;
  /** Active blocking states of these accounts, bundles and subscriptions, by (effective instant, sequence). */
  findBlockingStates(blockedIds: readonly Uuid[]): Promise<readonly BlockingState[]>;
  /** A part of them, in the same order: those after `after`, or the first. */
  pageBlockingStates(
    blockedIds: readonly Uuid[],
    page: { readonly after: BlockingState | null; readonly limit: number },
  ): Promise<readonly BlockingState[]>;
  /**
   * The active states of these accounts and of all that belongs to them, without the starts and ends of services
   * (ENT_STARTED, ENT_CANCELLED): most accounts have no others.
   */
  findBlocksOfAccounts(accountIds: readonly Uuid[]): Promise<readonly BlockingState[]>;
  /** The last active state of the service on each of these accounts up to an instant; accounts without one are left out. */
  findLatestBlockingStates(
    accountIds: readonly Uuid[],
    of: { readonly service: string; readonly at: Instant },
  ): Promise<readonly BlockingState[]>;
}

export interface SubscriptionWrites extends BundleWrites {
  /** A taken key throws BillingError 1016. */
  insertSubscriptions(subscriptions: readonly New<Subscription>[]): Promise<void>;
  insertEvents(events: readonly New<LifecycleEvent>[]): Promise<void>;
  /** Withdraws lifecycle events or brings them back; audited as UPDATE. */
  setEventActivity(
    changes: readonly Pick<LifecycleEvent, 'id' | 'isActive' | 'deactivatedBy'>[],
  ): Promise<void>;
  insertBlockingStates(states: readonly New<BlockingState>[]): Promise<void>;
  /** Audited as UPDATE. */
  withdrawBlockingStates(stateIds: readonly Uuid[]): Promise<void>;
  /** Audited as UPDATE of the subscription. */
  setChargedThrough(changes: readonly ChargedThroughChange[]): Promise<void>;
}

export interface ChargedThroughChange {
  readonly subscriptionId: Uuid;
  /** null = nothing is charged. */
  readonly chargedThrough: DatedInstant | null;
}

export type BundleSearch =
  /** Exactly the id, the account's id or the external key, held or carried before. */
  | { readonly kind: 'text'; readonly id: Uuid | null; readonly text: string }
  /** All clauses hold. */
  | { readonly kind: 'clauses'; readonly clauses: readonly SearchClause[] };

export interface BundleReads {
  findBundlesByIds(ids: readonly Uuid[]): Promise<readonly Bundle[]>;
  /** Bundles that hold these keys, and those that carried them until another bundle took them, in creation order. */
  findBundlesByKeys(externalKeys: readonly string[]): Promise<readonly Bundle[]>;
  /** The same, and bundles that had one of these keys before they were renamed; each once, in creation order. */
  findBundlesByPastKeys(externalKeys: readonly string[]): Promise<readonly Bundle[]>;
  /** In creation order. */
  findBundlesByAccounts(accountIds: readonly Uuid[]): Promise<readonly Bundle[]>;
  pageBundlesOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Bundle>>;
  pageBundles(request: PageRequest): Promise<Page<Bundle>>;
  /** `max` counts all bundles of the tenant. */
  searchBundles(search: BundleSearch, request: PageRequest): Promise<Page<Bundle>>;
}

export interface BundleWrites {
  /** A key that another bundle holds throws BillingError 1014. */
  insertBundles(bundles: readonly New<Bundle>[]): Promise<void>;
  /** Records the keys that these bundles carry now among their past ones; called before they get others. */
  keepBundleKeys(bundleIds: readonly Uuid[]): Promise<void>;
  /** Audited as UPDATE; a key that another bundle holds throws BillingError 1014. */
  setBundleKeys(changes: readonly Pick<Bundle, 'id' | 'externalKey' | 'retiredKey'>[]): Promise<void>;
}
