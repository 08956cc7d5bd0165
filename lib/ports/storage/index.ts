import type { Authorship, NewBusEvent, TenantRef, UsageSubmission } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CellStore } from './cells.ts';
import type { CheckStore } from './checks.ts';
import type { DrawnCounter, QuotaDraw } from './features.ts';
import type { MonitoringStore, NodeStore } from './monitoring.ts';
import type { TenantMoveStore } from './moves.ts';
import type { EventStore, PushStore, SinkStore } from './push.ts';
import type { QueueStore } from './queue.ts';
import type { EntryStore } from './queue-entries.ts';
import type { SecurityStore } from './security.ts';
import type {
  EventIdOf,
  FollowUpWork,
  LockWaitOf,
  ReadSession,
  SkippedEventsOf,
  WriteSession,
  WritesCreditNotesOf,
} from './session.ts';
import type { IdempotencyStore, SecretStore, SystemStore } from './system.ts';

export { ChangeType } from '../../records/index.ts';
export type * from './accounts.ts';
export type * from './audit.ts';
export type * from './catalogs.ts';
export type * from './cells.ts';
export type * from './checks.ts';
export type * from './coupons.ts';
export type * from './e-invoices.ts';
export type * from './features.ts';
export type * from './invoices.ts';
export type * from './monitoring.ts';
export type * from './moves.ts';
export { FenceState } from './moves.ts';
export type * from './payments.ts';
export type * from './push.ts';
export type * from './queue.ts';
export type * from './queue-entries.ts';
export type * from './reports.ts';
export type * from './security.ts';
export type * from './session.ts';
export { ConcurrentChangeError, LeaseLostError, LockWait } from './session.ts';
export type * from './subscriptions.ts';
export type * from './system.ts';
export { EncryptedKind } from './system.ts';
export type * from './tags.ts';
export type * from './tenants.ts';
export type * from './usage.ts';

/**
 * Everything that the engine stores (adapters/mikro-orm/README.md). A session belongs to one tenant. Only the queue
 * and the system store, which contain no business data, are outside sessions. `Host` is the type of the host's
 * transaction handle, which `within` receives.
 */
export interface Storage<Host = never> {
  /** Runs `work` on one consistent snapshot of the tenant. Takes no lock. */
  read<T>(tenant: TenantRef, work: (session: ReadSession) => Promise<T>): Promise<T>;
  /**
   * Reads with at most one statement, so that no transaction is needed.
   * @throws InvariantError if a second statement is executed.
   */
  readInOneStatement<T>(tenant: TenantRef, work: (session: ReadSession) => Promise<T>): Promise<T>;
  /**
   * Runs `work` like `read`, and streams the text that `work` writes. The text is not kept in memory, and a slow reader
   * does not delay other calls. Read the stream to its end, or call the iterator's `return`.
   */
  readText(
    tenant: TenantRef,
    work: (session: ReadSession, write: (text: string) => Promise<void>) => Promise<void>,
  ): Promise<AsyncIterable<string>>;
  /**
   * Runs `work` in one transaction that commits when `work` resolves and rolls back when it throws. A
   * serialization failure, deadlock or ConcurrentChangeError repeats `work` a limited number of times, so
   * `work` must have no effects outside the session. In a host's transaction only ConcurrentChangeError
   * repeats `work`; the other failures end that transaction.
   */
  write<T>(
    tenant: TenantRef,
    authorship: Authorship,
    work: (session: WriteSession) => Promise<T>,
  ): Promise<T>;
  /**
   * Takes a payment number of the tenant outside any transaction, so that payments do not wait for each other's
   * commits; concurrent callers share one statement. Unused numbers leave gaps. In a host's transaction, the number
   * belongs to that transaction.
   */
  takePaymentNumber(tenant: TenantRef): Promise<number>;
  /**
   * Draws from a counter like `FeatureWrites.draw`, in one statement outside any transaction. Creates no events.
   */
  drawQuota(tenant: TenantRef, draw: QuotaDraw): Promise<DrawnCounter | null>;
  /**
   * Stores usage in one round trip, committed when the call resolves, except in a host's transaction. Of several
   * submissions with one tracking id for one subscription, the first is stored, also across callers. Returns for each
   * submission, in order, null if it was stored, otherwise the fingerprint of the first usage with its tracking id.
   * Waits only for callers with the same tracking ids, or with the same unit and day of a subscription. Creates no
   * audit rows or events, and takes no account locks. The caller must limit the input, because it is in memory as a
   * whole.
   */
  recordUsage(
    tenant: TenantRef,
    submissions: readonly UsageSubmission[],
  ): Promise<readonly (string | null)[]>;
  /** Joins the host's open transaction. Only the host can end that transaction. */
  within(host: Host): Storage<Host>;
  /**
   * Registers a function that is called when this process commits queue entries that are due now or before the next
   * poll.
   */
  onCommit(listener: () => void): () => void;
  /**
   * Calls `listener` after each commit by this process that changes audited records of accounts or a tenant's
   * configuration. The listener is called before the call that made the changes returns. Changes in a host's
   * transaction are reported after its commit, if the host's library reports commits.
   */
  onChange(listener: (change: StoredChange) => void): () => void;
  /**
   * True if only this process can use the storage (SQLite). If true, all claims found at startup have been abandoned.
   */
  readonly singleNode: boolean;
  readonly queue: QueueStore;
  readonly entries: EntryStore;
  readonly monitoring: MonitoringStore;
  /** The published events of all tenants. */
  readonly events: EventStore;
  readonly push: PushStore;
  readonly nodes: NodeStore;
  /** Returns the deliveries of all tenants to an event sink. */
  sink(name: string): PushStore;
  readonly sinks: SinkStore;
  readonly system: SystemStore;
  readonly security: SecurityStore;
  readonly idempotency: IdempotencyStore;
  readonly secrets: SecretStore;
  readonly checks: CheckStore;
  /** The directory of cells or, in a cell, data about the cell itself (cells §1). */
  readonly cells: CellStore;
  /** The steps of a tenant's move that concern this cell (cells §3). */
  readonly moves: TenantMoveStore;
  /**
   * Checks the schema version. Applies missing migrations if the storage was opened for that purpose. Otherwise, if
   * migrations are missing, throws an error that names the command to run. Then applies the policy to sessions; omitted
   * members stay unchanged.
   */
  prepare(policy?: StoragePolicy): Promise<void>;
  /** Returns the usage of the connection pool, or null if there is no pool. */
  poolUse(): Promise<PoolUse | null>;
  close(): Promise<void>;
}

/** The changes of a commit. */
export interface StoredChange {
  readonly tenantRecordId: number;
  /** The changed accounts. If null, the configuration of the tenant has changed, which affects all of its accounts. */
  readonly accountRecordIds: ReadonlySet<number> | null;
}

export interface StoragePolicy {
  /** Number of records up to which the total of a list is counted. Defaults to 20,000. */
  readonly countThreshold?: number;
  /** Returns how long a call waits for busy accounts. Defaults to five seconds. */
  readonly lockWaitOf?: LockWaitOf;
  /** Returns the bus events that a tenant skips. Defaults to none. */
  readonly skippedEventsOf?: SkippedEventsOf;
  /** Returns additional work that bus events cause. Defaults to none. */
  readonly jobsOfEvents?: FollowUpWork;
  /** Returns the public ids of bus events that are not skipped. By default, bus events have no public ids. */
  readonly eventIdOf?: EventIdOf;
  /**
   * Called with the bus events of each committed transaction, except host transactions. It must be synchronous and must
   * not throw.
   */
  readonly onEvents?: (events: readonly NewBusEvent[]) => void;
  /** Returns the trace position to store with queue entries. By default, no position is stored. */
  readonly traceParentOf?: (accountRecordId: number | null) => string | null;
  /**
   * Called for each attempt of a transaction that writes, and must run that attempt. By default, attempts run directly.
   */
  readonly aroundWrite?: <T>(write: () => Promise<T>) => Promise<T>;
  readonly writesCreditNotesOf?: WritesCreditNotesOf;
  /**
   * Returns true if a handler of the engine must process the event. By default, returns true for all events. An event
   * that no handler must process is stored as PROCESSED.
   */
  readonly isConsumed?: (event: NewBusEvent, now: Instant) => boolean;
  /** Milliseconds between polls of the dispatcher. Defaults to 3,000. */
  readonly pollMs?: number;
}

export interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}
