import type {
  BusEventType,
  DeliveryState,
  New,
  Page,
  PageRequest,
  PublishedBusEvent,
  PushDelivery,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** Which deliveries of a tenant are listed. */
export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly eventType?: BusEventType | undefined;
  readonly accountId?: Uuid | undefined;
}

export interface PushReads {
  /** In the order in which they were written. */
  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<PushDelivery>>;
  find(id: Uuid): Promise<PushDelivery | null>;
  /**
   * The record id of the event up to which there are deliveries, to the callback or to that event sink; null = no callback
   * is registered, or no sink of that name.
   */
  takenUpTo(sink?: string): Promise<number | null>;
}

export interface PushWrites {
  /** Has a delivery sent to this URL at `dueOrder`, with the schedule of retries from its start. */
  sendAgain(delivery: PushDelivery, to: { readonly url: string; readonly dueOrder: number }): Promise<void>;
}

/** One node's right to send the pushes of a tenant. */
export interface PushLease {
  readonly tenantRecordId: number;
  /** Fencing token. */
  readonly token: string;
}

/** Cross-tenant access to the deliveries, for their dispatcher (platform §10.2). */
export interface PushStore {
  /**
   * Takes tenants that have something to send and whose pushes no node sends, in one statement; a lease that has ended is
   * free. Returns the record ids of the tenants.
   */
  take(request: {
    readonly owner: string;
    readonly token: string;
    readonly limit: number;
    readonly businessNow: Instant;
    readonly systemNowMs: number;
    readonly leaseEndsAtMs: number;
  }): Promise<readonly number[]>;
  /** Extends the leases that are still ours. */
  renew(leases: readonly PushLease[], leaseEndsAtMs: number): Promise<void>;
  /** Names of the nodes that have leases. */
  owners(): Promise<readonly string[]>;
  /** Ends all leases of these nodes, which have ended. */
  releaseFrom(owners: readonly string[]): Promise<void>;
  /** Ends leases that are still ours. */
  release(leases: readonly PushLease[]): Promise<void>;
  /**
   * Deliveries of the tenant that are due: at most `limit` first attempts in their order, then as many retries. Those that
   * the caller holds are left out, and first attempts of accounts that it has enough of (0 = of the tenant itself).
   */
  load(request: {
    readonly tenantRecordId: number;
    readonly businessNow: Instant;
    readonly limit: number;
    readonly held: readonly number[];
    readonly enoughOf: readonly number[];
  }): Promise<readonly PushDelivery[]>;
  /**
   * Stores deliveries of all events after one up to another, and extends the lease. MOVED: another callback was registered
   * or it was deleted meanwhile; LOST: the lease is not ours any more. Then nothing is stored.
   */
  takeUp(
    lease: PushLease,
    taken: {
      readonly after: number;
      readonly upTo: number;
      readonly deliveries: readonly New<PushDelivery>[];
    },
    leaseEndsAtMs: number,
  ): Promise<'TAKEN' | 'MOVED' | 'LOST'>;
  /**
   * Stores what attempts came to, and extends the lease.
   * @returns false if the lease is not ours any more: then nothing is stored.
   */
  record(
    lease: PushLease,
    changes: readonly Omit<
      PushDelivery,
      'id' | 'accountRecordId' | 'eventType' | 'body' | 'url' | 'userToken' | 'traceParent' | 'createdDate'
    >[],
    leaseEndsAtMs: number,
  ): Promise<boolean>;
  /** When the next retry falls due after that, or null. */
  nextDue(after: Instant): Promise<Instant | null>;
  /** How many events are due to be sent, counted up to a limit, and since when the oldest is. */
  backlog(request: { readonly businessNow: Instant; readonly limit: number }): Promise<{
    readonly due: number;
    readonly oldest: Instant | null;
  }>;
  /** Whether anything of a tenant, or of any (null), is due. */
  hasDue(tenantRecordId: number | null, businessNow: Instant): Promise<boolean>;
  /** Deletes deliveries that ended before, at most `limit`. */
  purge(before: Instant, limit: number): Promise<number>;
  /**
   * Calls `listener` when this process has committed events of a tenant that are to be sent or, after a host's commit, of any
   * (null).
   */
  onWritten(listener: (tenantRecordId: number | null) => void): () => void;
}

/** Which event sinks of hosts there are (platform §10.6 rule 4). */
export interface SinkStore {
  /** What happens from now on is for these sinks, where it was not before; they are in use now. */
  register(names: readonly string[]): Promise<void>;
  /**
   * Forgets the sinks that were registered last longer ago than that, by the database's own time: of their deliveries at most
   * `limit`; with the last of these all else.
   */
  forget(unusedForMs: number, limit: number): Promise<void>;
}

/** Which events are read: those with a record id above `after` and at most `upTo`, the first `limit` of them. */
export interface EventsRequest {
  readonly after: number;
  /** As `EventStore.horizon` has given it before this read began. */
  readonly upTo: number;
  readonly limit: number;
  /** Only events of these types; default: of all. */
  readonly types?: readonly BusEventType[] | undefined;
}

/** What the outside is told of a tenant, for as long as queue history is kept. */
export interface EventReads {
  /** By record id. An event stays where it is, whatever becomes of its entry in the queue. */
  list(request: EventsRequest): Promise<readonly PublishedBusEvent[]>;
}

/** What the outside is told of all tenants, and of the system. */
export interface EventStore extends EventReads {
  /**
   * The record id up to which nothing of a tenant, or of any (null), is missing to a read that begins afterwards: later commits
   * have greater ones. An open transaction that has told something of the tenant holds it back.
   */
  horizon(tenantRecordId: number | null): Promise<number>;
  /**
   * Calls `listener` when this process has committed something that is told: of a tenant or, after a host's commit, of any
   * (null).
   */
  onTold(listener: (tenantRecordId: number | null) => void): () => void;
}
