import {
  type CatalogProvider,
  type CatalogSource,
  catalogsOfBatch,
  withOverridePlans,
} from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import { type Account, ActingComponent, QueueName } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type DueItem, dueItemOf, eventNotification } from '../edits/bus-events.ts';
import { blockedPathOf, type DueWork, dueWork } from '../edits/due-work.ts';
import { findTouchedDate } from '../edits/subscription-edit.ts';
import { markDirty, saveEdits, type TrialNotices } from '../storing/save-changes.ts';
import { type EditTools, planNamesOf } from '../timeline/lifecycle-events.ts';

/**
 * Processes due lifecycle events and blocking states (§21). Each item is processed as of its own date, so moving the
 * clock in one large step has the same result as moving it in small steps.
 */
export function subscriptionEventHandler(
  ports: Pick<Ports, 'storage' | 'ids' | 'clock'>,
  catalogs: CatalogProvider,
  trials: TrialNotices,
): QueueHandler {
  return {
    name: 'subscription-events',
    topics: [QueueName.SUBSCRIPTION_EVENTS, QueueName.ENTITLEMENT_EVENTS, QueueName.TRIAL_NOTICES],
    async handle(batch) {
      const now = ports.clock.now();
      const catalogsOf = await catalogsOfBatch(catalogs, batch, now);
      if (catalogsOf === null) return;
      const tools = { now, nextId: () => ports.ids.next() };
      const outcome = await ports.storage.write(
        batch.tenant,
        batchAuthorship(batch.entries, ActingComponent.SUBSCRIPTION_TRANSITION, now),
        (session) => processDueItems(session, { batch, catalogsOf, trials }, tools),
      );
      batch.busy(outcome.busy);
      for (const { entry, error } of outcome.failed) batch.failed(entry, error);
    },
  };
}

/**
 * Processes the due items. The storage may run this function several times, so it returns the outcome, which the caller
 * reports after the commit.
 */
async function processDueItems(
  session: WriteSession,
  {
    batch,
    catalogsOf,
    trials,
  }: {
    readonly batch: HandlerBatch;
    readonly catalogsOf: CatalogSource;
    readonly trials: TrialNotices;
  },
  tools: EditTools,
) {
  const accounts = await session.tryLockAccounts(
    batch.entries.flatMap((entry) => entry.accountRecordId ?? []),
  );
  const lockedIds = new Set<number | null>(accounts.map(({ recordId }) => recordId));
  const { locked = [], busy = [] } = Object.groupBy(batch.entries, ({ accountRecordId }) =>
    lockedIds.has(accountRecordId) ? 'locked' : 'busy',
  );
  if (locked.length === 0) return { busy, failed: [] };

  const facts = await loadDueFacts(session, { accounts, entries: locked, catalogsOf });
  // A failed entry does not stop the other entries in the batch.
  const attempts = locked.map((entry) => {
    try {
      return { entry, work: dueWork(itemOf(entry), facts, tools) };
    } catch (error) {
      return { entry, error };
    }
  });
  const done = attempts.flatMap(({ entry, work }) => (work === undefined ? [] : { entry, work }));
  const works = done.map(({ work }) => work);
  await save(session, works, tools.now);
  await announceTrials(session, works, trials);
  await batch.finish(
    session,
    done.map(({ entry }) => entry),
  );
  return { busy, failed: attempts.filter(({ work }) => work === undefined) };
}

function itemOf(entry: ClaimedEntry): DueItem {
  const item = dueItemOf(entry.topic, entry.payload);
  assertInvariant(item, `Queue entry ${entry.recordId} of ${entry.topic} has no event id`, {
    recordId: entry.recordId,
  });
  return item;
}

async function save(session: WriteSession, done: readonly DueWork[], now: Instant): Promise<void> {
  const added = done.flatMap(({ addedEvents }) => addedEvents);
  if (added.length > 0) {
    await session.subscriptions.insertEvents(added);
    session.schedule(added.map(eventNotification));
    await markDirty(session, added.map(findTouchedDate));
  }
  const ends = done.flatMap(({ addOnEnds }) => addOnEnds);
  if (ends.length > 0) await saveEdits(session, ends, now);
  const busEvents = done.flatMap((work) => work.busEvents);
  if (busEvents.length > 0) session.publish(busEvents);
}

async function announceTrials(session: WriteSession, works: readonly DueWork[], trials: TrialNotices) {
  await trials.schedule(
    session,
    works.flatMap(({ trialEnds }) => trialEnds),
  );
  const announced = works.filter(({ announcedTrial }) => announcedTrial !== null);
  if (announced.length === 0 || !(await trials.areOn(session))) return;
  session.publish(announced.flatMap((work) => work.announcedTrial?.event ?? []));
  await session.subscriptions.setAnnouncedTrialEnds(
    announced.flatMap((work) => work.announcedTrial?.end ?? []),
  );
}

interface LoadDueFactsInput {
  readonly accounts: readonly Account[];
  readonly entries: readonly ClaimedEntry[];
  readonly catalogsOf: CatalogSource;
}

/** Loads the data for due work in a constant number of queries. */
async function loadDueFacts(session: ReadSession, { accounts, entries, catalogsOf }: LoadDueFactsInput) {
  const items = entries.flatMap((entry) => dueItemOf(entry.topic, entry.payload) ?? []);
  const blocks = items.filter((item) => item.kind === 'BLOCKING_STATE');
  const ids = items.map((item) => (item.kind === 'BLOCKING_STATE' ? item.blockedId : item.subscriptionId));
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
