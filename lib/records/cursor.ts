import type { Uuid } from '../values/ids/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import type { BillingEvent } from './billing-event.ts';
import type { UsageReading } from './usage/usage-interval.ts';

/** Where the invoicing of a subscription stands (invoicing §1.5, §7). */
export interface InvoicingCursor {
  readonly subscriptionId: Uuid;
  readonly settledThrough: LocalDate | null;
  readonly dirtyFrom: LocalDate | null;
  readonly nextDueDate: LocalDate | null;
  /** null = nothing of it has charged usage; for the others, runs of the account look for late usage. Default null. */
  readonly usage?: UsageReading | null;
}

/** What bills a subscription on while nothing changes, stored so that a run needs neither its events nor the catalog. */
export interface OngoingCharge {
  /** The billing event in force. */
  readonly event: BillingEvent;
}

/**
 * A cursor as it is stored: with its account, and how many items its subscription got on the last day it got any
 * (invoicing §8.4).
 */
export interface StoredCursor extends InvoicingCursor {
  /** Record id of the row that it was read from, in which it is saved again; absent for a new subscription. */
  readonly recordId?: number;
  readonly accountRecordId: number;
  /** Revision of the catalog under which it was last evaluated; null = not yet, or before revisions were recorded. */
  readonly catalogRevision: number | null;
  readonly itemsDate: LocalDate | null;
  readonly itemsCount: number;
  /** Holds while the subscription is not dirty and its catalog has the same revision; null = its events have to be read. */
  readonly ongoing: OngoingCharge | null;
  readonly usage: UsageReading | null;
}

/** A cursor as it is to be stored. */
export interface CursorToSave extends StoredCursor {
  /** True for a cursor that was read: its ongoing charge is the stored one and need not be written. */
  readonly keepsOngoing?: boolean;
}
