import type { PushDelivery, QueueEntry, QueueKind } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** FINISHED = in the history; AVAILABLE and PROCESSING = live. */
export type QueuePart = 'FINISHED' | 'AVAILABLE' | 'PROCESSING';

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
