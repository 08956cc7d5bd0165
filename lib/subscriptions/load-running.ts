import { lockAccount } from '../accounts/lock-account.ts';
import type { CatalogSource } from '../catalog/index.ts';
import { withOverridePlans } from '../catalog/index.ts';
import type { ReadSession, WriteSession } from '../ports/storage/index.ts';
import type { Account, Bundle } from '../records/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { billCycleDaySources } from './bill-cycle-sources.ts';
import { timelinesOf } from './bundle-timelines.ts';
import { withDerivedPhases } from './derived-phases.ts';
import { planNamesOf } from './lifecycle-order.ts';
import { noSuchSubscription } from './no-such-subscription.ts';
import type { RunningSubscription } from './running-subscription.ts';

export interface LockRunningInput {
  readonly subscriptionId: Uuid;
  readonly catalogsOf: CatalogSource;
  /** A plan that the operation reads besides those of the subscription. */
  readonly planName?: string | null;
}

/**
 * Takes the lock of a subscription's account and reads what operations on it are decided from: the rows of its bundle only.
 * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), BUSY (60018).
 */
export async function lockRunning(
  session: WriteSession,
  { subscriptionId, catalogsOf, planName = null }: LockRunningInput,
): Promise<RunningSubscription> {
  return (await lockRunningInBundle(session, { subscriptionId, catalogsOf, planName })).running;
}

/** A subscription among all those of its bundle, ended ones included. */
export interface RunningInBundle {
  readonly running: RunningSubscription;
  /** All subscriptions of the bundle, `running` too. */
  readonly bundle: readonly RunningSubscription[];
}

/** As `lockRunning`, for operations that concern the rest of the bundle: a base and its add-ons. */
export async function lockRunningInBundle(
  session: WriteSession,
  { subscriptionId, catalogsOf, planName = null }: LockRunningInput,
): Promise<RunningInBundle> {
  const [known] = await session.subscriptions.findByIds([subscriptionId]);
  if (known === undefined) throw noSuchSubscription(subscriptionId);
  const account = await lockAccount(session, known.accountId);
  const bundles = await session.subscriptions.findBundlesByIds([known.bundleId]);
  const bundle = await loadRunning(session, { account, bundles, catalogsOf, planName });
  const running = bundle.find(({ subscription }) => subscription.id === subscriptionId);
  assertInvariant(running, `Subscription ${subscriptionId} has no bundle`, { subscriptionId });
  return { running, bundle };
}

export interface LoadRunningInput extends Omit<LockRunningInput, 'subscriptionId'> {
  /** Under its lock. */
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
  const bundleOf = new Map(bundles.map((bundle) => [bundle.id, bundle]));
  const subscriptions = await session.subscriptions.findByBundles([...bundleOf.keys()]);
  const ids = subscriptions.map(({ id }) => id);
  const allEvents = await session.subscriptions.findEvents(ids);
  const states = await session.subscriptions.findBlockingStates([account.id, ...bundleOf.keys(), ...ids]);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, [account.id]),
    accountIds: [account.id],
    planNames: [...planNamesOf(allEvents), planName],
  });
  const catalog = plansOf(account.id);
  const eventsOf = Map.groupBy(allEvents, ({ subscriptionId }) => subscriptionId);
  const statesOf = Map.groupBy(states, ({ blockedId }) => blockedId);

  const histories = subscriptions.map((subscription) => ({
    subscription,
    events: eventsOf.get(subscription.id) ?? [],
    blockingStates: statesOf.get(subscription.id) ?? [],
  }));
  const timelines = timelinesOf(histories, {
    plans: catalog,
    eventsOf: (events) => withDerivedPhases({ events, plans: catalog, zone: account.timeZone }),
  });
  const sources = billCycleDaySources(timelines, account);
  return timelines.map(({ subscription, events, transitions, baseEnd }) => {
    const bundle = bundleOf.get(subscription.bundleId);
    const billCycleDays = sources.get(subscription.id);
    assertInvariant(bundle && billCycleDays, `Subscription ${subscription.id} has no start of its billing`, {
      subscriptionId: subscription.id,
    });
    const blockingStates = [account.id, bundle.id, subscription.id].flatMap((id) => statesOf.get(id) ?? []);
    return {
      account,
      subscription,
      bundle,
      events,
      transitions,
      blockingStates,
      baseEnd,
      billCycleDays,
      catalog,
    };
  });
}
