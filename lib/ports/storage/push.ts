import type {
  BusEventType,
  DeliveryState,
  New,
  Page,
  PageRequest,
  PublishedBusEvent,
  PushDelivery,
  Rows,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly eventType?: BusEventType | undefined;
  readonly accountId?: Uuid | undefined;
}

export interface PushReads {
  /** Returns the records in creation order. */
  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<PushDelivery>>;
  find(id: Uuid): Promise<PushDelivery | null>;
  /**
   * Returns the record id of the last event that has a delivery to the callback or sink. Returns null if there is no
   * callback or if the sink is unknown.
   */
  lastEventId(sink?: string): Promise<number | null>;
}

export interface PushWrites {
  /** Schedules the delivery again, for this URL and at `dueOrder`. Its retry schedule starts from the beginning. */
  sendAgain(delivery: PushDelivery, to: { readonly url: string; readonly dueOrder: number }): Promise<void>;
}

export interface PushLease {
  readonly tenantRecordId: number;
  /** Fencing token of the lease. */
  readonly token: string;
}

/** Access across tenants for the dispatcher (platform §10.2). */
export interface PushStore {
  /**
   * Leases tenants that have due deliveries or pending events, and no valid lease. Returns their
   * record ids.
   */
  take(request: {
    readonly owner: string;
    readonly token: string;
    readonly limit: number;
    readonly businessNow: Instant;
    readonly systemNowMs: number;
    readonly leaseEndsAtMs: number;
  }): Rows<number>;
  /** Extends leases that this node still holds. */
  renew(leases: readonly PushLease[], leaseEndsAtMs: number): Promise<void>;
  owners(): Rows<string>;
  /** Ends all leases of these stopped nodes. */
  releaseFrom(owners: readonly string[]): Promise<void>;
  /** Ends leases that this node still holds. */
  release(leases: readonly PushLease[]): Promise<void>;
  /**
   * Returns due deliveries of the tenant. The result contains up to `limit` first attempts in order, then up to `limit`
   * retries. Omits deliveries that the caller already has, and first attempts of accounts for which the caller has
   * enough deliveries (0 means the tenant itself).
   */
  load(request: {
    readonly tenantRecordId: number;
    readonly businessNow: Instant;
    readonly limit: number;
    readonly held: readonly number[];
    readonly enoughOf: readonly number[];
  }): Rows<PushDelivery>;
  /**
   * Stores deliveries for the events in a range and extends the lease. Returns MOVED if the callback was replaced or
   * deleted, and LOST if the lease was lost. Nothing is stored in these two cases.
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
   * Stores the results of attempts and extends the lease.
   * @returns false if the lease was lost. In that case, nothing is stored.
   */
  record(
    lease: PushLease,
    changes: readonly Omit<
      PushDelivery,
      'id' | 'accountRecordId' | 'eventType' | 'body' | 'url' | 'userToken' | 'traceParent' | 'createdDate'
    >[],
    leaseEndsAtMs: number,
  ): Promise<boolean>;
  nextDue(after: Instant): Promise<Instant | null>;
  /** Returns the number of due events, counted up to a limit, and the due time of the oldest event. */
  backlog(request: { readonly businessNow: Instant; readonly limit: number }): Promise<{
    readonly due: number;
    readonly oldest: Instant | null;
  }>;
  hasDue(tenantRecordId: number | null, businessNow: Instant): Promise<boolean>;
  /** Deletes up to `limit` deliveries that ended before an instant. */
  purge(before: Instant, limit: number): Promise<number>;
  /**
   * Registers a function that is called after this process commits events of a tenant. After a commit by the host, the
   * tenant is null, which means that it may be any tenant.
   */
  onWritten(listener: (tenantRecordId: number | null) => void): () => void;
}

/** The registered event sinks of hosts (platform §10.6 rule 4). */
export interface SinkStore {
  /** Registers these sinks for all later events and marks them as used. */
  register(names: readonly string[]): Promise<void>;
  /**
   * Deletes up to `limit` deliveries of sinks that have not been used for the given time, then deletes the sinks. The
   * database's clock measures the time.
   */
  forget(unusedForMs: number, limit: number): Promise<void>;
}

/** Selects at most `limit` events with record ids above `after` and up to `upTo`. */
export interface EventsRequest {
  readonly after: number;
  /** The result of `EventStore.horizon`. Call `horizon` before this read. */
  readonly upTo: number;
  readonly limit: number;
  /** Types of events. Defaults to all types. */
  readonly types?: readonly BusEventType[] | undefined;
  /** If true, the newest events are selected and come first. Defaults to false. */
  readonly isNewestFirst?: boolean;
}

/** The published events of a tenant. They are kept as long as the queue history. */
export interface EventReads {
  /**
   * Returns the events sorted by record id, by default oldest first. The state of an event's queue entry is irrelevant.
   */
  list(request: EventsRequest): Rows<PublishedBusEvent>;
}

export interface EventStore extends EventReads {
  /**
   * Returns the record id up to which all events of a tenant, or of all tenants (null), are visible. Events committed
   * later have greater ids. The result does not advance while a transaction with events is open.
   */
  horizon(tenantRecordId: number | null): Promise<number>;
  /**
   * Registers a function that is called after this process commits events of a tenant. After a commit by the host, the
   * tenant is null, which means that it may be any tenant.
   */
  onPublished(listener: (tenantRecordId: number | null) => void): () => void;
}
