import { lockAccount } from '../../accounts/index.ts';
import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Bundle, Subscription } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type RunningInBundle,
  type RunningSubscription,
  runningSubscriptions,
} from '../edits/running-subscription.ts';
import { noSuchBundle, noSuchSubscription } from '../requests/unknown-objects.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';

export interface LockRunningInput {
  readonly subscriptionId: Uuid;
  readonly catalogsOf: CatalogSource;
  /** A plan that the operation reads besides those of the subscription. */
  readonly planName?: string | null;
}

/**
 * Locks a subscription's account and reads what operations on the subscription are decided from: the rows of its bundle
 * only.
 * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), BUSY (60018).
 */
export async function lockRunning(
  session: WriteSession,
  { subscriptionId, catalogsOf, planName = null }: LockRunningInput,
): Promise<RunningSubscription> {
  return (await lockRunningInBundle(session, { subscriptionId, catalogsOf, planName })).running;
}

/** As `lockRunning`, for operations that concern the rest of the bundle: a base and its add-ons. */
export async function lockRunningInBundle(
  session: WriteSession,
  { subscriptionId, catalogsOf, planName = null }: LockRunningInput,
): Promise<RunningInBundle> {
  const known = await loadSubscription(session, subscriptionId);
  const account = await lockAccount(session, known.accountId);
  const bundles = await session.subscriptions.findBundlesByIds([known.bundleId]);
  const bundle = await loadRunning(session, { account, bundles, catalogsOf, planName });
  const running = bundle.find(({ subscription }) => subscription.id === subscriptionId);
  assertInvariant(running, `Subscription ${subscriptionId} has no bundle`, { subscriptionId });
  return { running, bundle };
}

export interface LoadRunningInput extends Omit<LockRunningInput, 'subscriptionId'> {
  /** Its lock is held. */
  readonly account: Account;
  /** Bundles of that account. */
  readonly bundles: readonly Bundle[];
}

/** Reads the subscriptions of whole bundles, in a constant number of statements. */
export async function loadRunning(
  session: ReadSession,
  { account, ...of }: LoadRunningInput,
): Promise<readonly RunningSubscription[]> {
  return loadRunningOf(session, { ...of, accounts: [account] });
}

interface LoadRunningOfInput extends Omit<LoadRunningInput, 'account'> {
  /** Their locks are held. */
  readonly accounts: readonly Account[];
  /** Bundles of these accounts. */
  readonly bundles: readonly Bundle[];
}

/** As `loadRunning`, for bundles of many accounts; account after account. */
export async function loadRunningOf(
  session: ReadSession,
  { accounts, bundles, catalogsOf, planName = null }: LoadRunningOfInput,
): Promise<readonly RunningSubscription[]> {
  if (bundles.length === 0) return [];
  const accountIds = accounts.map(({ id }) => id);
  const bundleIds = bundles.map(({ id }) => id);
  const subscriptions = await session.subscriptions.findByBundles(bundleIds);
  const ids = subscriptions.map(({ id }) => id);
  const events = await session.subscriptions.findEvents(ids);
  const objectIds = [...accountIds, ...bundleIds, ...ids];
  const blockingStates = await session.subscriptions.findBlockingStates(objectIds);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, accountIds),
    accountIds,
    planNames: [...planNamesOf(events), planName],
  });
  const bundlesOf = Map.groupBy(bundles, ({ accountId }) => accountId);
  const subscriptionsOf = Map.groupBy(subscriptions, ({ accountId }) => accountId);
  const eventsOf = Map.groupBy(events, ({ accountRecordId }) => accountRecordId);
  const statesOf = Map.groupBy(blockingStates, ({ accountRecordId }) => accountRecordId);
  return accounts.flatMap((account) =>
    runningSubscriptions({
      account,
      bundles: bundlesOf.get(account.id) ?? [],
      subscriptions: subscriptionsOf.get(account.id) ?? [],
      events: eventsOf.get(account.recordId) ?? [],
      blockingStates: statesOf.get(account.recordId) ?? [],
      catalog: plansOf(account.id),
    }),
  );
}

/** @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID. */
export async function loadBundle(session: ReadSession, bundleId: Uuid): Promise<Bundle> {
  const [bundle] = await session.subscriptions.findBundlesByIds([bundleId]);
  if (bundle === undefined) throw noSuchBundle(bundleId);
  return bundle;
}

/** @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID. */
export async function loadSubscription(session: ReadSession, subscriptionId: Uuid): Promise<Subscription> {
  const [subscription] = await session.subscriptions.findByIds([subscriptionId]);
  if (subscription === undefined) throw noSuchSubscription(subscriptionId);
  return subscription;
}
