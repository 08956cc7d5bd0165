import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import type { ClaimedEntry, ReadSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { blockedPathOf, type DueFacts } from '../edits/due-work.ts';
import { dueItemOf } from '../telling/notifications.ts';
import { planNamesOf } from '../timeline/lifecycle-order.ts';

interface LoadDueFactsInput {
  readonly accounts: readonly Account[];
  readonly entries: readonly ClaimedEntry[];
  readonly catalogsOf: CatalogSource;
}

/** Loads the bundles of the whole batch, in a constant number of queries. */
export async function loadDueFacts(
  session: ReadSession,
  { accounts, entries, catalogsOf }: LoadDueFactsInput,
): Promise<DueFacts> {
  const items = entries.flatMap((entry) => dueItemOf(entry.topic, entry.payload) ?? []);
  const blocks = items.filter((item) => item.kind === 'BLOCKING_STATE');
  const ids = items.map((item) => (item.kind === 'LIFECYCLE_EVENT' ? item.subscriptionId : item.blockedId));
  const due = await session.subscriptions.findByIds(ids);
  const foundBundles = await session.subscriptions.findBundlesByIds([
    ...new Set([...due.map(({ bundleId }) => bundleId), ...blocks.map(({ blockedId }) => blockedId)]),
  ]);
  const bundles = new Map(foundBundles.map((bundle) => [bundle.id, bundle]));
  const found = await session.subscriptions.findByBundles([...bundles.keys()]);
  const subscriptions = new Map(found.map((subscription) => [subscription.id, subscription]));
  const events = await session.subscriptions.findEvents([...subscriptions.keys()]);
  const blockedIds = blocks.flatMap((item) => blockedPathOf(item, { subscriptions, bundles }));
  const stateIds = new Set([...subscriptions.keys(), ...blockedIds]);
  const blockingStates = await session.subscriptions.findBlockingStates([...stateIds]);
  const accountIds = accounts.map((account) => account.id);
  return {
    accounts: new Map(accounts.map((account) => [account.id, account])),
    subscriptions,
    bundles,
    events: Map.groupBy(events, (event) => event.subscriptionId),
    blockingStates,
    plansOf: await withOverridePlans(session, {
      catalogOf: await catalogsOf(session, accountIds),
      accountIds,
      planNames: planNamesOf(events),
    }),
  };
}
