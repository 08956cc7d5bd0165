import type { BlockingState, Bundle, LifecycleEvent, Subscription } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { timelinesOf } from '../add-ons/bundle-timelines.ts';
import { billCycleDaySources } from '../timeline/bill-cycle-sources.ts';
import type { RunningSubscription } from './running-subscription.ts';

/** What is stored about whole bundles of an account. */
export interface StoredBundles extends Pick<RunningSubscription, 'account' | 'catalog'> {
  readonly bundles: readonly Bundle[];
  readonly subscriptions: readonly Subscription[];
  /** Active lifecycle events of these subscriptions. */
  readonly events: readonly LifecycleEvent[];
  /** Active states of the account, the bundles and the subscriptions. */
  readonly blockingStates: readonly BlockingState[];
}

/** The subscriptions of whole bundles, in the form in which operations decide on them. */
export function runningSubscriptions(facts: StoredBundles): readonly RunningSubscription[] {
  const { account, catalog } = facts;
  const bundleOf = new Map(facts.bundles.map((bundle) => [bundle.id, bundle]));
  const eventsOf = Map.groupBy(facts.events, ({ subscriptionId }) => subscriptionId);
  const statesOf = Map.groupBy(facts.blockingStates, ({ blockedId }) => blockedId);

  const histories = facts.subscriptions.map((subscription) => ({
    subscription,
    events: eventsOf.get(subscription.id) ?? [],
    blockingStates: statesOf.get(subscription.id) ?? [],
  }));
  const timelines = timelinesOf(histories, {
    plans: catalog,
    zone: account.timeZone,
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
