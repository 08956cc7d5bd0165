import type { Uuid } from '../values/ids/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import type { BillingEvent } from './billing-event.ts';

/** Where the invoicing of a subscription stands (invoicing §1.5, §7). */
export interface InvoicingCursor {
  readonly subscriptionId: Uuid;
  readonly settledThrough: LocalDate | null;
  readonly dirtyFrom: LocalDate | null;
  readonly nextDueDate: LocalDate | null;
}

/** What bills a subscription on while nothing changes, kept so that a run needs neither its events nor the catalog for it. */
export interface OngoingCharge {
  /** The billing event in force. */
  readonly event: BillingEvent;
}

/** A cursor as it is kept: whose it is, and how many items its subscription got on the last day it got any (invoicing §8.4). */
export interface StoredCursor extends InvoicingCursor {
  /** Number of the row that it was read from, in which it is saved again; absent = of a new subscription. */
  readonly recordId?: number;
  readonly accountRecordId: number;
  /** Revision of the catalog under which it was last evaluated; null = not yet, or before revisions were kept. */
  readonly catalogRevision: number | null;
  readonly itemsDate: LocalDate | null;
  readonly itemsCount: number;
  /** Holds while the subscription is not dirty and its catalog has the same revision; null = its events tell. */
  readonly ongoing: OngoingCharge | null;
}

/** A cursor as it is to be kept. */
export interface CursorToSave extends StoredCursor {
  /** True of a cursor that was read: its ongoing charge is the one that is stored, and need not be written. */
  readonly keepsOngoing?: boolean;
}
