import type { BusEventType, PublishedBusEvent } from '../../records/index.ts';

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
