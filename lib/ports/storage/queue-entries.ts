import type { PushDelivery, QueueEntry, QueueKind, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** A live or finished queue entry, as operators see it (platform §9.1). */
export interface OperatorEntry extends QueueEntry {
  /**
   * End of the entry's lease, or time of its next attempt, in system time. The value is null if the entry has
   * neither.
   */
  readonly availableAtMs: number | null;
  /** The last error. */
  readonly reason: string | null;
  /** True if an operator cleared the entry and no node has claimed it since (platform §12.4). */
  readonly isCleared: boolean;
  /** The id of the tenant, or null for the system. */
  readonly tenantId: Uuid | null;
  readonly accountId: Uuid | null;
}

/** A live or failed entry, with the entries that precede it. */
export interface PositionedEntry extends OperatorEntry {
  /** The entry of the same account that is being processed, with its node. */
  readonly underWay: { readonly recordId: number; readonly owner: string | null } | null;
  /** Record id of the first entry of the same account that precedes this entry. */
  readonly behind: number | null;
}

/** A push for operators. */
export interface OperatorDelivery extends PushDelivery {
  readonly tenantRecordId: number;
  readonly tenantId: Uuid | null;
}

export interface OfTenants {
  /** Tenants by record id (0 means the system). Null means all tenants. */
  readonly tenants: readonly number[] | null;
}

export interface EntriesOf extends OfTenants {
  readonly kind: QueueKind;
}

/** A part of the queue. AVAILABLE and PROCESSING entries are live. */
export type EntryPart = 'AVAILABLE' | 'PROCESSING' | 'FAILED';

/** Selects entries. A bus entry is due when it is created. A notification is due on its effective date. */
export interface EntryLook extends EntriesOf {
  readonly part: EntryPart;
  /** Account of the entries. Null selects the entries of all accounts and of the tenant itself. */
  readonly accountId: Uuid | null;
  /** Earliest due time. Null means no limit. Ignored for live entries. */
  readonly from: Instant | null;
  /** Exclusive end of the due times. Null means no limit. */
  readonly before: Instant | null;
  readonly limit: number;
}

export interface ChosenEntries extends EntriesOf {
  readonly recordIds: readonly number[];
}

/** The queue of several tenants or of all tenants, for operators (platform §12). */
export interface EntryStore {
  /** Returns entries in a part of the queue, oldest first. Live entries are in claim order. */
  see(look: EntryLook): Rows<PositionedEntry>;
  /** Returns the finished entries among the entries with the last `among` record ids, newest first. */
  recent(request: EntriesOf & { readonly limit: number; readonly among: number }): Rows<OperatorEntry>;
  /**
   * Makes stuck entries available immediately on any node, and resets their number of failures. An entry is stuck if it
   * is late and has no lease. Returns the record ids of the stuck entries.
   */
  clear(request: ChosenEntries & { readonly before: Instant; readonly systemNowMs: number }): Rows<number>;
  /**
   * Inserts AVAILABLE copies of FAILED entries. The copies have no failures, and all handlers run again. Marks the
   * originals as REAPED. Returns the number of copies.
   */
  reinsert(request: ChosenEntries & { readonly now: Instant }): Promise<number>;
  countProcessing(kind: QueueKind): Promise<number>;
  /** Returns unsent pushes that were due before the given time, oldest first. */
  lateDeliveries(
    request: OfTenants & { readonly before: Instant; readonly limit: number },
  ): Rows<OperatorDelivery>;
  /** Returns finished pushes among the last `among` pushes of all tenants, newest first. */
  recentDeliveries(
    request: OfTenants & { readonly limit: number; readonly among: number },
  ): Rows<OperatorDelivery>;
  /** Returns failed pushes that were due at or after `from` and before `to`, oldest first. */
  failedDeliveries(
    request: OfTenants &
      Pick<EntryLook, 'accountId' | 'limit'> & { readonly from: Instant; readonly to: Instant },
  ): Rows<OperatorDelivery>;
  /**
   * Makes pushes that were due before the given time due immediately, and resets their number of failures. Returns the
   * number of these pushes.
   */
  clearDeliveries(
    request: OfTenants & { readonly recordIds: readonly number[]; readonly before: Instant },
  ): Promise<number>;
  /** Restarts the retry schedule of failed pushes. Returns the number of these pushes. */
  resendDeliveries(
    request: OfTenants & { readonly recordIds: readonly number[]; readonly now: Instant },
  ): Promise<number>;
}

/** A part of a queue. FINISHED entries are in the history; all other entries are live. */
export type QueuePart = 'FINISHED' | 'AVAILABLE' | 'PROCESSING';

export interface QueuePageRequest {
  readonly kind: QueueKind;
  readonly part: QueuePart;
  /** Account of the entries. Null selects the entries of all accounts and of the tenant itself. */
  readonly accountRecordId: number | null;
  /** Topics of the entries. Null selects all topics. */
  readonly topics: readonly string[] | null;
  /** First due instant; null means any. */
  readonly from: Instant | null;
  /** Last due instant; null means any. */
  readonly to: Instant | null;
  /** Last entry of the previous page. Null requests the first page. */
  readonly after: Pick<QueueEntry, 'effectiveDate' | 'recordId'> | null;
  readonly limit: number;
}

export interface DeliveryPageRequest
  extends Pick<QueuePageRequest, 'accountRecordId' | 'from' | 'to' | 'limit'> {
  readonly part: 'FINISHED' | 'AVAILABLE';
  readonly afterRecordId: number;
}

/** The queue of a tenant, divided into pages. Each page is read at constant cost. */
export interface QueuePages {
  /** Returns entries sorted by due instant, then by record id. */
  entries(request: QueuePageRequest): Rows<QueueEntry>;
  /** Returns the pushes, sorted by record id. */
  deliveries(request: DeliveryPageRequest): Rows<PushDelivery>;
}
