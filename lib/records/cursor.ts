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
   * The usage that the next run must read. The value is null (the default) if no usage is charged. If usage is charged,
   * runs of the account check for late usage.
   */
  readonly usage?: UsageReading | null;
}

/**
 * The charge that is repeated as long as nothing changes. It is stored so that a run need not read the events and the
 * catalog.
 */
export interface OngoingCharge {
  /** The billing event in force. */
  readonly event: BillingEvent;
}

/** A stored cursor, and the number of items on the last day that has items (invoicing §8.4). */
export interface StoredCursor extends InvoicingCursor {
  /** Record id of the cursor. The field is absent for a new subscription. */
  readonly recordId?: number;
  readonly accountRecordId: number;
  /** Catalog revision of the last evaluation, or null if there was no evaluation or the revision is unknown. */
  readonly catalogRevision: number | null;
  readonly itemsDate: LocalDate | null;
  readonly itemsCount: number;
  /**
   * The ongoing charge. It is valid as long as the subscription is not dirty and the catalog has the same revision. If
   * the value is null, the events must be read.
   */
  readonly ongoing: OngoingCharge | null;
  readonly usage: UsageReading | null;
}

export interface CursorToSave extends StoredCursor {
  /** True if the stored ongoing charge is up to date and need not be written. */
  readonly keepsOngoing?: boolean;
}
