import type { Account } from '../accounts/model.ts';
import type { CatalogSource } from '../catalog/catalog-source.ts';
import { withOverridePlans } from '../catalog/override-plans.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { Instant } from '../time/index.ts';
import { planNamesOf } from './lifecycle-order.ts';
import type { Bundle } from './model.ts';
import { type BundleView, bundleView } from './views.ts';

export interface LoadBundleViewsInput {
  readonly account: Account;
  /** Bundles of that account; the answer keeps their order. */
  readonly bundles: readonly Bundle[];
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
}

/** Loads what the read models of these bundles need, in a constant number of queries, and builds them. */
export async function loadBundleViews(
  session: ReadSession,
  { account, bundles, now, catalogsOf }: LoadBundleViewsInput,
): Promise<readonly BundleView[]> {
  if (bundles.length === 0) return [];
  const bundleIds = bundles.map((bundle) => bundle.id);
  const subscriptions = await session.subscriptions.findByBundles(bundleIds);
  const subscriptionIds = subscriptions.map((subscription) => subscription.id);
  const events = await session.subscriptions.findEvents(subscriptionIds);
  const states = await session.subscriptions.findBlockingStates([
    account.id,
    ...bundleIds,
    ...subscriptionIds,
  ]);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, [account.id]),
    accountIds: [account.id],
    planNames: planNamesOf(events),
  });
  const plans = plansOf(account.id);

  const bundleOfSubscription = new Map(subscriptions.map(({ id, bundleId }) => [id, bundleId]));
  const subscriptionsOf = Map.groupBy(subscriptions, (subscription) => subscription.bundleId);
  const eventsOf = Map.groupBy(events, (event) => bundleOfSubscription.get(event.subscriptionId));
  const statesOf = Map.groupBy(
    states,
    (state) => bundleOfSubscription.get(state.blockedId) ?? state.blockedId,
  );
  return bundles.map((bundle) =>
    bundleView({
      account,
      bundle,
      subscriptions: (subscriptionsOf.get(bundle.id) ?? []).toSorted((a, b) => a.recordId - b.recordId),
      events: eventsOf.get(bundle.id) ?? [],
      blockingStates: [...(statesOf.get(bundle.id) ?? []), ...(statesOf.get(account.id) ?? [])],
      plans,
      now,
    }),
  );
}
