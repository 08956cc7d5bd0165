import type { Authorship, NewBusEvent, TenantRef, UsageSubmission } from '../../records/index.ts';
import type { CheckStore } from './checks.ts';
import type { MonitoringStore, NodeStore } from './monitoring.ts';
import type { EventStore, PushStore, SinkStore } from './push.ts';
import type { QueueStore } from './queue.ts';
import type { EntryStore } from './queue-entries.ts';
import type { SecurityStore } from './security.ts';
import type {
  AskedByEvents,
  EventIdOf,
  LockWaitOf,
  ReadSession,
  SkippedEventsOf,
  WriteSession,
  WritesCreditNotesOf,
} from './session.ts';
import type { IdempotencyStore, SystemStore } from './system.ts';

export { ChangeType } from '../../records/index.ts';
export type * from './accounts.ts';
export type * from './accounts.ts';
export type * from './audit.ts';
export type * from './audit.ts';
export type * from './catalogs.ts';
export type * from './catalogs.ts';
export type * from './checks.ts';
export type * from './invoices.ts';
export type * from './invoices.ts';
export type * from './monitoring.ts';
export type * from './monitoring.ts';
export type * from './payments.ts';
export type * from './push.ts';
export type * from './push.ts';
export type * from './queue.ts';
export type * from './queue-entries.ts';
export type * from './queue-entries.ts';
export type * from './security.ts';
export type * from './session.ts';
export { ConcurrentChangeError, LeaseLostError, LockWait } from './session.ts';
export type * from './subscriptions.ts';
export type * from './subscriptions.ts';
export type * from './system.ts';
export type * from './system.ts';
export type * from './tags.ts';
export type * from './tags.ts';
export type * from './tenants.ts';
export type * from './tenants.ts';
export type * from './usage.ts';
export type * from './usage.ts';

/**
 * Everything the engine stores (adapters/mikro-orm/README.md). A session is opened for one tenant; outside a session
 * there is no repository except the queue and the system store, which hold no tenant's business data.
 *
 * `Host` is the type of the host application's own transaction handle, which `within` takes.
 */
export interface Storage<Host = never> {
  /** Runs `work` on one consistent snapshot of the tenant; takes no lock. */
  read<T>(tenant: TenantRef, work: (session: ReadSession) => Promise<T>): Promise<T>;
  /**
   * The same for work of at most one statement, which is a snapshot by itself, so that nothing is begun and ended around
   * it.
   * @throws InvariantError at a second statement.
   */
  readInOneStatement<T>(tenant: TenantRef, work: (session: ReadSession) => Promise<T>): Promise<T>;
  /**
   * Runs `work` as `read` does, and gives the text that it has written, piece by piece. The text is kept outside memory,
   * so that a slow reader delays nobody. The caller reads it to its end, or calls the iterator's `return`.
   */
  readText(
    tenant: TenantRef,
    work: (session: ReadSession, write: (text: string) => Promise<void>) => Promise<void>,
  ): Promise<AsyncIterable<string>>;
  /**
   * Runs `work` in one transaction that commits when it resolves and rolls back when it throws. A serialisation failure,
   * deadlock or ConcurrentChangeError re-runs `work` from the start, a bounded number of times, so `work` must do nothing
   * outside the session. Inside a host's transaction only ConcurrentChangeError does; the others end that transaction.
   */
  write<T>(
    tenant: TenantRef,
    authorship: Authorship,
    work: (session: WriteSession) => Promise<T>,
  ): Promise<T>;
  /**
   * Takes a payment number of the tenant outside any transaction, so that payments do not wait for each other's commits;
   * callers that come at once take theirs together. One that is not used is a gap. Inside a host's transaction it belongs
   * to that.
   */
  takePaymentNumber(tenant: TenantRef): Promise<number>;
  /**
   * Stores usage in one round trip. It is committed when the call resolves, except in a host's transaction. Of submissions
   * with one tracking id for one subscription the first is stored, also across callers. The answer has, for each submission
   * in the order given, null if it was stored, else the fingerprint of the usage that took its tracking id first. Takes no
   * lock of an account; waits only for callers that record the same tracking ids, or the same unit of the same subscription
   * on the same day. Writes no audit rows and no events. The caller limits texts, amounts and the number of submissions,
   * which are all in memory at once.
   */
  recordUsage(
    tenant: TenantRef,
    authorship: Authorship,
    submissions: readonly UsageSubmission[],
  ): Promise<readonly (string | null)[]>;
  /** The same storage; its `read` and `write` join the host's open transaction and leave its end to the host. */
  within(host: Host): Storage<Host>;
  /**
   * Registers `listener` for commits of this process that add queue entries which are due now or before the dispatcher's
   * next poll.
   */
  onCommit(listener: () => void): () => void;
  /** True if only this process can use the storage (SQLite), so that every claim found at the start is a dead one. */
  readonly singleNode: boolean;
  readonly queue: QueueStore;
  readonly entries: EntryStore;
  readonly monitoring: MonitoringStore;
  /** What the outside is told, over all tenants. */
  readonly events: EventStore;
  /** What goes to callbacks of tenants. */
  readonly push: PushStore;
  readonly nodes: NodeStore;
  /** What goes to the host's event sink of that name, of all tenants. */
  sink(name: string): PushStore;
  readonly sinks: SinkStore;
  readonly system: SystemStore;
  readonly security: SecurityStore;
  readonly idempotency: IdempotencyStore;
  readonly checks: CheckStore;
  /**
   * Makes sure that the schema is the one that this version knows: applies missing migrations if the storage was opened
   * to do so, else throws an error that names the command that does. From then on sessions follow the policy; what a
   * policy leaves out stays as it was.
   */
  prepare(policy?: StoragePolicy): Promise<void>;
  /** How the pool of connections is used; null if there is none. */
  poolUse(): Promise<PoolUse | null>;
  close(): Promise<void>;
}

/** What an engine tells its storage to follow. */
export interface StoragePolicy {
  /** How far records of lists are counted; default 20,000. */
  readonly countThreshold?: number;
  /** How long to wait for busy accounts; default five seconds. */
  readonly lockWaitOf?: LockWaitOf;
  /** Which bus events a tenant leaves out; default none. */
  readonly skippedEventsOf?: SkippedEventsOf;
  /** What bus events ask for besides; default nothing. */
  readonly askedByEvents?: AskedByEvents;
  /** Which bus events the outside is told of, those aside that a tenant leaves out; default none. */
  readonly eventIdOf?: EventIdOf;
  /**
   * Hears of the bus events of each transaction once it is committed, but for those inside a host's transaction; at once,
   * and it must not throw.
   */
  readonly onEvents?: (events: readonly NewBusEvent[]) => void;
  /** Where in a trace what is done now on this account stands, stored with the entries that it causes; default nowhere. */
  readonly traceParentOf?: (accountRecordId: number | null) => string | null;
  /** Wraps every transaction that writes, repeats included; default nothing. */
  readonly aroundWrite?: <T>(write: () => Promise<T>) => Promise<T>;
  /** Whether a tenant writes credit notes; default: none does. */
  readonly writesCreditNotesOf?: WritesCreditNotesOf;
  /**
   * The topics that have a handler in the engine; default all. A bus event of another type is stored as PROCESSED at
   * once, since no work is left.
   */
  readonly consumedTopics?: ReadonlySet<string>;
  /** How often the engine's dispatcher looks for due work by itself; default every 3 s. */
  readonly pollMs?: number;
}

/** Connections of a pool. */
export interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
}
