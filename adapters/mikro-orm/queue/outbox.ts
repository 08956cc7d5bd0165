import type { SkippedEvents, StoragePolicy } from '../../../lib/ports/storage/index.ts';
import {
  type Authorship,
  type NewBusEvent,
  type NewNotification,
  ProcessingState,
  QueueKind,
  QueueName,
} from '../../../lib/records/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import type { EncodedEntry } from '../sql/dialect.ts';
import { isIn, raw, sql } from '../sql/sql.ts';
import { queueEntriesTable, type StoredEntry } from '../tables/queue.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { UNCLAIMED } from './entry-store.ts';

type Dispatch = Pick<StoragePolicy, 'isConsumed' | 'traceParentOf'> &
  Pick<Required<StoragePolicy>, 'eventIdOf'> & { readonly pollMs: number };

interface FlushedOutbox {
  /** True if an entry becomes due before the next poll of the dispatchers. */
  readonly dueNow: boolean;
  readonly tells: boolean;
  readonly published: readonly NewBusEvent[];
}

const noSkips: SkippedEvents = { notStored: [], notDispatched: [] };

/**
 * The bus events and notifications that are stored together with the changes of a transaction (lib/README.md rule 6).
 */
export class Outbox {
  readonly #authorship: Authorship;
  readonly #policy: Dispatch;
  readonly #published: NewBusEvent[] = [];
  #entries: StoredEntry[] = [];

  constructor(authorship: Authorship, policy: Dispatch) {
    this.#authorship = authorship;
    this.#policy = policy;
  }

  publish(events: readonly NewBusEvent[]): void {
    for (const event of events) this.#published.push(event);
    const now = this.#authorship.createdDate;
    const { isConsumed = () => true, eventIdOf } = this.#policy;
    for (const event of events) {
      const { type, accountRecordId, payload } = event;
      this.#entries.push({
        ...this.#entryOf(accountRecordId),
        kind: QueueKind.BUS,
        topic: type,
        payload,
        effectiveDate: now,
        dueOrder: 0,
        uniqueKey: null,
        // An event for which no handler has work goes directly into the history. The event is stored for readers and
        // never claimed.
        processingState: isConsumed(event, now) ? ProcessingState.AVAILABLE : ProcessingState.PROCESSED,
        eventId: eventIdOf(event),
      });
    }
  }

  schedule(notifications: readonly NewNotification[]): void {
    for (const { queueName, accountRecordId, effectiveDate, payload, uniqueKey } of notifications) {
      this.#entries.push({
        ...this.#entryOf(accountRecordId),
        kind: QueueKind.NOTIFICATION,
        topic: queueName,
        payload,
        effectiveDate,
        dueOrder: Math.max(1, effectiveDate),
        uniqueKey,
        processingState: ProcessingState.AVAILABLE,
        eventId: null,
      });
    }
  }

  async unschedule(scope: TenantScope, uniqueKeys: readonly string[]): Promise<void> {
    if (uniqueKeys.length === 0) return;
    const keys = new Set(uniqueKeys);
    this.#entries = this.#entries.filter(({ uniqueKey }) => uniqueKey === null || !keys.has(uniqueKey));
    await scope.runner.dialect.moveEntries(
      scope.runner,
      sql`${scope.ofTenant} and ${isIn('unique_key', 'text', uniqueKeys)}
        and processing_state = ${ProcessingState.AVAILABLE}`,
      ProcessingState.REMOVED,
    );
  }

  async unscheduleFuture(scope: TenantScope, accountRecordId: number, after: Instant): Promise<void> {
    this.#entries = this.#entries.filter(
      (entry) =>
        entry.kind !== QueueKind.NOTIFICATION ||
        entry.accountRecordId !== accountRecordId ||
        entry.topic === QueueName.PUSH_NOTIFICATIONS ||
        entry.effectiveDate <= after,
    );
    // Notifications are selected by their due order, which is 0 for bus entries.
    await scope.runner.dialect.moveEntries(
      scope.runner,
      sql`${scope.ofTenant} and account_record_id = ${accountRecordId}
        and due_order > ${Math.max(1, after)} and topic <> ${QueueName.PUSH_NOTIFICATIONS}
        and processing_state = ${raw(`'${ProcessingState.AVAILABLE}'`)}`,
      ProcessingState.REMOVED,
    );
  }

  /** Passes the entries to the commit. Adds requested notifications and removes skipped events. */
  async flush(
    scope: TenantScope,
    {
      skipped,
      followUpWork,
    }: {
      readonly skipped: () => Promise<SkippedEvents>;
      readonly followUpWork: (events: readonly NewBusEvent[]) => Promise<readonly NewNotification[]>;
    },
  ): Promise<FlushedOutbox> {
    const published = this.#published.splice(0);
    if (published.length > 0) this.schedule(await followUpWork(published));
    const collected = this.#entries.splice(0);
    const skips = published.length > 0 ? await skipped() : noSkips;
    const entries = withoutSkipped(collected, skips);
    if (entries.length === 0) return { dueNow: false, tells: false, published };
    const encoded = entries.map(
      (entry): EncodedEntry => ({
        cells: queueEntriesTable.encode(scope.tenantRecordId, entry),
        live: entry.processingState === ProcessingState.AVAILABLE,
        announcedTenant: entry.eventId === null ? null : scope.tenantRecordId,
      }),
    );
    const { runner } = scope;
    runner.leaveToCommit(runner.dialect.insertEntries(runner, encoded));
    const soon = this.#authorship.createdDate + this.#policy.pollMs;
    const dueNow = entries.some(
      (entry) => entry.processingState === ProcessingState.AVAILABLE && entry.dueOrder <= soon,
    );
    return { dueNow, tells: entries.some(({ eventId }) => eventId !== null), published };
  }

  #entryOf(accountRecordId: number | null) {
    return {
      accountRecordId,
      userToken: this.#authorship.userTokenOf(accountRecordId),
      traceParent: this.#policy.traceParentOf?.(accountRecordId) ?? null,
      createdDate: this.#authorship.createdDate,
      errorCount: 0,
      ...UNCLAIMED,
      doneHandlers: [],
      reason: null,
    };
  }
}

function isEvent({ kind }: StoredEntry) {
  return kind === QueueKind.BUS;
}

/** Returns the entries to dispatch. Skipped events are stored in the history immediately and are not published. */
function withoutSkipped(entries: readonly StoredEntry[], { notStored, notDispatched }: SkippedEvents) {
  if (notStored.length === 0 && notDispatched.length === 0) return entries;
  return entries
    .filter((entry) => !isEvent(entry) || !notStored.includes(entry.topic))
    .map((entry) =>
      isEvent(entry) && notDispatched.includes(entry.topic)
        ? { ...entry, processingState: ProcessingState.PROCESSED, eventId: null }
        : entry,
    );
}
