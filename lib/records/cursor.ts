import type { Uuid } from '../values/ids/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import type { BillingEvent } from './billing-event.ts';
import type { UsageReading } from './usage/usage-interval.ts';

/** The invoicing progress of a subscription (invoicing §1.5, §7). */
export interface InvoicingCursor {
  readonly subscriptionId: Uuid;
  readonly settledThrough: LocalDate | null;
  readonly dirtyFrom: LocalDate | null;
  readonly nextDueDate: LocalDate | null;
  /**
   * The usage that the next run reads. Null (the default) without charged usage; otherwise runs of the account look
   * for late usage.
   */
  readonly usage?: UsageReading | null;
}

/** The charge that repeats while nothing changes, stored so that a run reads neither events nor catalog. */
export interface OngoingCharge {
  /** The billing event in force. */
  readonly event: BillingEvent;
}

/** A stored cursor, with the number of items on the last day with items (invoicing §8.4). */
export interface StoredCursor extends InvoicingCursor {
  /** Record id of the cursor. Absent for a new subscription. */
  readonly recordId?: number;
  readonly accountRecordId: number;
  /** Catalog revision of the last evaluation; null if there was none, or if it is unknown. */
  readonly catalogRevision: number | null;
  readonly itemsDate: LocalDate | null;
  readonly itemsCount: number;
  /**
   * The ongoing charge, which is valid while the subscription is not dirty and the catalog has the same revision.
   * Null means that the events must be read.
   */
  readonly ongoing: OngoingCharge | null;
  readonly usage: UsageReading | null;
}

export interface CursorToSave extends StoredCursor {
  /** True if the stored ongoing charge is current, so that it need not be written. */
  readonly keepsOngoing?: boolean;
}
