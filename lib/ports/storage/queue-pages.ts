import type { PushDelivery, QueueEntry, QueueKind } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** FINISHED and FAILED = in the history, of any outcome or of that one; AVAILABLE and PROCESSING = live. */
export type QueuePart = 'FINISHED' | 'FAILED' | 'AVAILABLE' | 'PROCESSING';

export interface QueuePageRequest {
  readonly kind: QueueKind;
  readonly part: QueuePart;
  /** Null = of any account, and those of a tenant itself. */
  readonly accountRecordId: number | null;
  /** Null = of all. */
  readonly topics: readonly string[] | null;
  /** First instant at which they were due; null = any. */
  readonly from: Instant | null;
  /** Last instant at which they were, or will be, due; null = any. */
  readonly to: Instant | null;
  /** The last one of the page before; null = this is the first. */
  readonly after: Pick<QueueEntry, 'effectiveDate' | 'recordId'> | null;
  readonly limit: number;
}

export interface DeliveryPageRequest
  extends Pick<QueuePageRequest, 'accountRecordId' | 'from' | 'to' | 'limit'> {
  readonly part: 'FINISHED' | 'AVAILABLE';
  readonly afterRecordId: number;
}

/** The queue of a tenant as a list; a page costs no more for the pages before it. */
export interface QueuePages {
  /** Entries in the order in which they were, or will be, due, then by number. */
  entries(request: QueuePageRequest): Promise<readonly QueueEntry[]>;
  /** Pushes in the order of their numbers. */
  deliveries(request: DeliveryPageRequest): Promise<readonly PushDelivery[]>;
}

/** An entry as operators see it. */
export interface SeenEntry extends QueueEntry {
  readonly tenantId: Uuid | null;
  readonly accountId: Uuid | null;
  /** End of its lease, or time of its next attempt (system time); null = neither. */
  readonly availableAtMs: number | null;
  /** What went wrong last. */
  readonly reason: string | null;
  /** Number and node of the entry of its account that is being processed. */
  readonly underWay: { readonly recordId: number; readonly owner: string | null } | null;
  /** Number of the first entry of its account that goes before it. */
  readonly behind: number | null;
}

/** The queues of all tenants, for operators. */
export interface QueueLooks {
  /** Entries of one tenant or of all (null = all), in the order of `QueuePages.entries`. */
  see(
    request: Omit<QueuePageRequest, 'accountRecordId'> & {
      readonly tenantRecordId: number | null;
      /** Null = of any account, and those of a tenant itself. */
      readonly accountId: Uuid | null;
    },
  ): Promise<readonly SeenEntry[]>;
}
