import type { Account } from '../accounts/model.ts';
import type { CatalogSource } from '../catalog/catalog-source.ts';
import { withOverridePlans } from '../catalog/override-plans.ts';
import { assertInvariant } from '../errors/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { Instant } from '../time/index.ts';
import { planNamesOf } from './lifecycle-order.ts';
import type { Bundle } from './model.ts';
import { readablePlans } from './readable-plans.ts';
import { type BundleView, bundleView } from './views.ts';

export interface LoadBundleViewsInput {
  readonly accounts: readonly Account[];
  /** Bundles of these accounts; the answer keeps their order. */
  readonly bundles: readonly Bundle[];
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
}

/** Loads what the read models of these bundles need, in a constant number of queries, and builds them. */
export async function loadBundleViews(
  session: ReadSession,
  { accounts, bundles, now, catalogsOf }: LoadBundleViewsInput,
): Promise<readonly BundleView[]> {
  if (bundles.length === 0) return [];
  const bundleIds = bundles.map((bundle) => bundle.id);
  const subscriptions = await session.subscriptions.findByBundles(bundleIds);
  const subscriptionIds = subscriptions.map((subscription) => subscription.id);
  const events = await session.subscriptions.findEvents(subscriptionIds);
  const accountIds = accounts.map(({ id }) => id);
  const states = await session.subscriptions.findBlockingStates([
    ...accountIds,
    ...bundleIds,
    ...subscriptionIds,
  ]);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, accountIds),
    accountIds,
    planNames: planNamesOf(events),
  });

  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  const bundleOfSubscription = new Map(subscriptions.map(({ id, bundleId }) => [id, bundleId]));
  const subscriptionsOf = Map.groupBy(subscriptions, (subscription) => subscription.bundleId);
  const eventsOf = Map.groupBy(events, (event) => bundleOfSubscription.get(event.subscriptionId));
  const statesOf = Map.groupBy(
    states,
    (state) => bundleOfSubscription.get(state.blockedId) ?? state.blockedId,
  );
  return bundles.map((bundle) => {
    const account = accountOf.get(bundle.accountId);
    assertInvariant(account, `The account of bundle ${bundle.id} was not loaded`, { bundleId: bundle.id });
    return bundleView({
      account,
      bundle,
      subscriptions: (subscriptionsOf.get(bundle.id) ?? []).toSorted((a, b) => a.recordId - b.recordId),
      events: eventsOf.get(bundle.id) ?? [],
      blockingStates: [...(statesOf.get(bundle.id) ?? []), ...(statesOf.get(account.id) ?? [])],
      plans: readablePlans(plansOf(account.id)),
      now,
    });
  });
}
