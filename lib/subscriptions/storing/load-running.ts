import { lockAccount } from '../../accounts/index.ts';
import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Bundle } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { runningSubscriptions } from '../edits/running-in-bundles.ts';
import type { RunningInBundle, RunningSubscription } from '../edits/running-subscription.ts';
import { planNamesOf } from '../timeline/lifecycle-order.ts';
import { loadSubscription } from './load-known.ts';

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
  { account, bundles, catalogsOf, planName = null }: LoadRunningInput,
): Promise<readonly RunningSubscription[]> {
  if (bundles.length === 0) return [];
  const bundleIds = bundles.map(({ id }) => id);
  const subscriptions = await session.subscriptions.findByBundles(bundleIds);
  const ids = subscriptions.map(({ id }) => id);
  const events = await session.subscriptions.findEvents(ids);
  const blockingStates = await session.subscriptions.findBlockingStates([account.id, ...bundleIds, ...ids]);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, [account.id]),
    accountIds: [account.id],
    planNames: [...planNamesOf(events), planName],
  });
  return runningSubscriptions({
    account,
    bundles,
    subscriptions,
    events,
    blockingStates,
    catalog: plansOf(account.id),
  });
}
