import {
  type CatalogProvider,
  type CatalogSource,
  catalogsOfBatch,
  withOverridePlans,
} from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import { type Account, ActingComponent, type NewBusEvent, QueueName } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type DueItem, dueItemOf, eventNotification } from '../edits/bus-events.ts';
import { blockedPathOf, type DueFacts, type DueWork, dueWork } from '../edits/due-work.ts';
import { touchedBy } from '../edits/subscription-edit.ts';
import { markDirty, saveEdits } from '../storing/save-changes.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';

/**
 * Processes due lifecycle events and blocking states (§21), each at its own date, so that a jump of the clock gives the
 * same result as its steps.
 */
export class SubscriptionEventHandler implements QueueHandler {
  readonly name = 'subscription-events';
  readonly topics = [QueueName.SUBSCRIPTION_EVENTS, QueueName.ENTITLEMENT_EVENTS];
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'clock'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'clock'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const now = this.#ports.clock.now();
    const catalogsOf = await catalogsOfBatch(this.#catalogs, batch, now);
    if (catalogsOf === null) return;
    const outcome = await this.#ports.storage.write(
      batch.tenant,
      batchAuthorship(batch.entries, ActingComponent.SUBSCRIPTION_TRANSITION, now),
      (session) => this.#work(session, { batch, catalogsOf, now }),
    );
    batch.busy(outcome.busy);
    for (const { entry, error } of outcome.failed) batch.failed(entry, error);
  }

  /** Storage may repeat this work, so the batch gets the outcome only after the commit. */
  async #work(session: WriteSession, { batch, catalogsOf, now }: BatchWork): Promise<BatchOutcome> {
    const accounts = await session.tryLockAccounts(
      batch.entries.flatMap((entry) => entry.accountRecordId ?? []),
    );
    const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
    const isLocked = (entry: ClaimedEntry): boolean =>
      entry.accountRecordId !== null && accountOf.has(entry.accountRecordId);
    const locked = batch.entries.filter(isLocked);
    const busy = batch.entries.filter((entry) => !isLocked(entry));
    if (locked.length === 0) return { busy, failed: [] };

    const facts = await loadDueFacts(session, { accounts, entries: locked, catalogsOf });
    const attempts = locked.map((entry) => this.#attempt(entry, facts, now));
    const done = attempts.filter((attempt) => 'work' in attempt);
    const failed = attempts.filter((attempt) => 'error' in attempt);
    await save(session, done, now);
    await batch.finish(
      session,
      done.map(({ entry }) => entry),
    );
    return { busy, failed };
  }

  /** A failed entry does not stop the others of the batch. */
  #attempt(entry: ClaimedEntry, facts: DueFacts, now: Instant): Done | Failed {
    try {
      return { entry, work: dueWork(itemOf(entry), facts, { now, nextId: () => this.#ports.ids.next() }) };
    } catch (error) {
      return { entry, error };
    }
  }
}

interface BatchWork {
  readonly batch: HandlerBatch;
  readonly catalogsOf: CatalogSource;
  readonly now: Instant;
}

interface Done {
  readonly entry: ClaimedEntry;
  readonly work: DueWork;
}

interface Failed {
  readonly entry: ClaimedEntry;
  readonly error: unknown;
}

interface BatchOutcome {
  readonly busy: readonly ClaimedEntry[];
  readonly failed: readonly Failed[];
}

function itemOf(entry: ClaimedEntry): DueItem {
  const item = dueItemOf(entry.topic, entry.payload);
  assertInvariant(item, `Queue entry ${entry.recordId} of ${entry.topic} names no event`, {
    recordId: entry.recordId,
  });
  return item;
}

async function save(session: WriteSession, done: readonly Done[], now: Instant): Promise<void> {
  const added = done.flatMap(({ work }) => work.addedEvents);
  if (added.length > 0) {
    await session.subscriptions.insertEvents(added);
    session.schedule(added.map(eventNotification));
    await markDirty(session, added.map(touchedBy));
  }
  const ends = done.flatMap(({ work }) => work.addOnEnds);
  if (ends.length > 0) await saveEdits(session, ends, now);
  const busEvents: readonly NewBusEvent[] = done.flatMap(({ work }) => work.busEvents);
  if (busEvents.length > 0) session.publish(busEvents);
}

interface LoadDueFactsInput {
  readonly accounts: readonly Account[];
  readonly entries: readonly ClaimedEntry[];
  readonly catalogsOf: CatalogSource;
}

/** In a constant number of queries. */
async function loadDueFacts(session: ReadSession, { accounts, entries, catalogsOf }: LoadDueFactsInput) {
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
