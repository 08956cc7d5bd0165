import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { Instant, LocalDate } from '../values/time/index.ts';
import type { ItemBasis } from './item-basis.ts';

export const InvoiceStatus = { DRAFT: 'DRAFT', COMMITTED: 'COMMITTED', VOID: 'VOID' } as const;
export type InvoiceStatus = (typeof InvoiceStatus)[keyof typeof InvoiceStatus];

/** Item types in output order for equal start dates (invoicing.md §1.3). */
export const InvoiceItemType = {
  EXTERNAL_CHARGE: 'EXTERNAL_CHARGE',
  FIXED: 'FIXED',
  RECURRING: 'RECURRING',
  REPAIR_ADJ: 'REPAIR_ADJ',
  CBA_ADJ: 'CBA_ADJ',
  CREDIT_ADJ: 'CREDIT_ADJ',
  ITEM_ADJ: 'ITEM_ADJ',
  USAGE: 'USAGE',
  TAX: 'TAX',
  PARENT_SUMMARY: 'PARENT_SUMMARY',
} as const;
export type InvoiceItemType = (typeof InvoiceItemType)[keyof typeof InvoiceItemType];

/** Kept sums of an invoice (invoicing.md §1.4); they change with the items and payments that cause them. */
export interface InvoiceAmounts {
  readonly amount: Decimal;
  readonly creditAdj: Decimal;
  readonly refundAdj: Decimal;
  /** Σ all item amounts − paid; positive = owed. */
  readonly rawBalance: Decimal;
}

export interface Invoice extends InvoiceAmounts {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly invoiceNumber: number;
  /** Local date of the call that created the invoice; never changes. */
  readonly invoiceDate: LocalDate;
  readonly targetDate: LocalDate | null;
  readonly commitDate: LocalDate | null;
  readonly currency: Currency;
  readonly status: InvoiceStatus;
  readonly isMigration: boolean;
  readonly isWrittenOff: boolean;
  readonly isParentInvoice: boolean;
  /** The parent's invoice that a child's is linked to, null = not linked; and whose that is, or is going to be. */
  readonly parentInvoiceId: Uuid | null;
  readonly parentAccountId: Uuid | null;
  /**
   * Of a child's invoice that the parent pays: what it adds to the parent's summary (invoicing.md §12), 0 until the two
   * are linked. null = its own account pays.
   */
  readonly contributedAmount: Decimal | null;
  /** Id of the first invoice written by the same run. */
  readonly groupId: Uuid;
  readonly createdDate: Instant;
}

export interface InvoiceItem {
  readonly recordId: number;
  readonly id: Uuid;
  readonly invoiceId: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly itemType: InvoiceItemType;
  readonly childAccountId: Uuid | null;
  readonly bundleId: Uuid | null;
  readonly subscriptionId: Uuid | null;
  readonly productName: string | null;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly usageName: string | null;
  readonly description: string | null;
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
  readonly amount: Decimal;
  readonly rate: Decimal | null;
  readonly currency: Currency;
  readonly quantity: Decimal | null;
  readonly linkedItemId: Uuid | null;
  readonly itemDetails: string | null;
  readonly catalogEffectiveDate: Instant | null;
  /** amount − Σ|ITEM_ADJ| − Σ|REPAIR_ADJ| on this item (BilledItemState of invoicing.md §1.5). */
  readonly repairable: Decimal;
  readonly createdDate: Instant;
}

/** A new item to be stored. */
export interface AddedItem extends Omit<InvoiceItem, 'recordId'> {
  /** The facts behind the amount, where it is computed. */
  readonly basis?: ItemBasis | undefined;
}

/**
 * What is billed and in force, by days (invoicing.md §1.5). One record with a kind in place of three tables:
 * RECURRING = CoverageRow, FIXED = FixedRow (no end date), FREE = FreeRow (a zero-amount recurring item).
 */
export interface CoverageRow {
  readonly kind: 'RECURRING' | 'FIXED' | 'FREE';
  readonly subscriptionId: Uuid;
  readonly itemId: Uuid;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate | null;
  readonly planName: string;
  readonly phaseName: string;
  readonly rate: Decimal | null;
  readonly amount: Decimal;
}

/** Where the invoicing of a subscription stands (invoicing.md §1.5, §7). */
export interface InvoicingCursor {
  readonly subscriptionId: Uuid;
  readonly settledThrough: LocalDate | null;
  readonly dirtyFrom: LocalDate | null;
  readonly nextDueDate: LocalDate | null;
}

/**
 * What bills a subscription on while nothing changes, kept so that a run needs neither its events nor the catalog for it: the
 * billing event in force (see `ongoing-charge.ts`).
 */
export interface OngoingCharge {
  readonly subscriptionRecordId: number;
  readonly bundleId: Uuid;
  /** `totalOrdering` of the event. */
  readonly eventRecordId: number;
  /** The rest of the event as a JSON array: amounts and dates as text, instants as epoch milliseconds. */
  readonly event: string;
}

/** A cursor as it is kept: whose it is, and how many items its subscription got on the last day it got any (§8.4). */
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

/** Kept state of an account's invoicing; `version` guards every write of it. */
export interface AccountInvoicingState {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly maxTargetDate: LocalDate | null;
  readonly accountCBA: Decimal;
  readonly accountBalance: Decimal;
  readonly version: number;
}
