import { lockAccount } from '../accounts/service.ts';
import type { CatalogSource } from '../catalog/catalog-source.ts';
import { withOverridePlans } from '../catalog/override-plans.ts';
import { assertInvariant } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { billCycleDaySources } from './bill-cycle-sources.ts';
import { withDerivedPhases } from './derived-phases.ts';
import { planNamesOf } from './lifecycle-order.ts';
import { noSuchSubscription } from './no-such-subscription.ts';
import type { RunningSubscription } from './running-subscription.ts';
import { transitionsOf } from './transitions.ts';

export interface LoadRunningInput {
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
  { subscriptionId, catalogsOf, planName = null }: LoadRunningInput,
): Promise<RunningSubscription> {
  const [known] = await session.subscriptions.findByIds([subscriptionId]);
  if (known === undefined) throw noSuchSubscription(subscriptionId);
  const account = await lockAccount(session, known.accountId);
  const subscriptions = await session.subscriptions.findByBundles([known.bundleId]);
  const [bundle] = await session.subscriptions.findBundlesByIds([known.bundleId]);
  const subscription = subscriptions.find(({ id }) => id === subscriptionId);
  assertInvariant(bundle && subscription, `Subscription ${subscriptionId} has no bundle`, { subscriptionId });
  const allEvents = await session.subscriptions.findEvents(subscriptions.map(({ id }) => id));
  const blockingStates = await session.subscriptions.findBlockingStates([
    account.id,
    bundle.id,
    subscriptionId,
  ]);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, [account.id]),
    accountIds: [account.id],
    planNames: [...planNamesOf(allEvents), planName],
  });
  const catalog = plansOf(account.id);

  const eventsOf = Map.groupBy(allEvents, (event) => event.subscriptionId);
  const timelines = subscriptions.map((each) => {
    const events = withDerivedPhases({
      events: eventsOf.get(each.id) ?? [],
      plans: catalog,
      zone: account.timeZone,
    });
    return { subscription: each, transitions: transitionsOf(events, catalog) };
  });
  const own = timelines.find((timeline) => timeline.subscription === subscription);
  const billCycleDays = billCycleDaySources(timelines, account).get(subscriptionId);
  assertInvariant(own && billCycleDays, `Subscription ${subscriptionId} has no start of its billing`, {
    subscriptionId,
  });
  return {
    account,
    subscription,
    bundle,
    events: eventsOf.get(subscriptionId) ?? [],
    transitions: own.transitions,
    blockingStates,
    billCycleDays,
    catalog,
  };
}
