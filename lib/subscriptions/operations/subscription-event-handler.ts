import { type CatalogProvider, type CatalogSource, catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import { ActingComponent, type NewBusEvent, QueueName } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { touchedBy } from '../edits/dirty-days.ts';
import { type DueFacts, type DueWork, dueWork } from '../edits/due-work.ts';
import { loadDueFacts } from '../storing/load-due-facts.ts';
import { markDirty } from '../storing/mark-dirty.ts';
import { saveEdits } from '../storing/save-edits.ts';
import { type DueItem, dueItemOf, eventNotification } from '../telling/notifications.ts';

/**
 * Makes lifecycle events and blocking states take effect when their queue entries fall due (§21). Each
 * entry's own date is its logical time, so a clock that jumps gives the same result as one that walks.
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

  /** Storage may run this again from the start, so the batch learns the outcome only after the commit. */
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

  /** Does the work of one entry; an entry that fails does not hold back the others of the batch. */
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
