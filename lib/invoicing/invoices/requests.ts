import type { InvoiceFilter } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import type { ManualItem, MigrationItem } from './manual-items.ts';
import type { NewInvoiceItem } from './new-item.ts';

export interface GenerateRequest {
  readonly accountId: Uuid;
  /** Target date, as a local date of the account. Defaults to today. */
  readonly targetDate?: LocalDate | null;
  /**
   * If true, adds the items to the account's oldest DRAFT if there is one. The tag AUTO_INVOICING_REUSE_DRAFT has the
   * same effect.
   */
  readonly reuseDraft?: boolean;
  readonly draftId?: Uuid | null;
  /** If true, ignores the safety bounds for this run (§8.4). Defaults to false. */
  readonly acceptBounds?: boolean;
}

/** An account that automatic runs skip. */
export interface AccountParking {
  readonly accountId: Uuid;
  readonly parkedDate: Instant;
  /** Why the account is parked: the error of the failed run, or the reason that a user gave. */
  readonly reason: string;
}

/** The outcome of an invoice run for a parked account. */
export interface ParkedRun {
  readonly accountId: Uuid;
  /** Name of the error, such as INVOICE_NOTHING_TO_DO. The value is null if the run created an invoice. */
  readonly error: string | null;
}

export interface InvoiceGroupRequest {
  readonly accountId: Uuid;
  readonly groupId: Uuid;
  /** If true, also returns the items of the children's invoices in a parent's summary. Defaults to false. */
  readonly withChildrenItems?: boolean | undefined;
}

/** Filters for a list of an account's invoices. */
export interface AccountInvoicesRequest extends Partial<Omit<InvoiceFilter, 'openOnly'>> {
  readonly accountId: Uuid;
  /** If true, returns only unpaid invoices. Defaults to false. */
  readonly unpaidOnly?: boolean;
  /** If true, also returns the items of each invoice. Defaults to false. */
  readonly withItems?: boolean;
  /** If true, also returns VOID invoices. Defaults to false. */
  readonly includeVoided?: boolean;
}

export interface ManualItemsRequest {
  readonly accountId: Uuid;
  readonly items: readonly ManualItem[];
  /** Local date of the account. Defaults to today. */
  readonly requestedDate?: LocalDate | null | undefined;
  /** If true, a new invoice is COMMITTED immediately. If false (the default), it is a DRAFT. */
  readonly autoCommit?: boolean | undefined;
}

export interface ItemAdjustmentRequest {
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  readonly invoiceItemId: Uuid;
  /** Amount greater than 0. Defaults to the remainder of the item. */
  readonly amount?: Decimal | null | undefined;
  readonly currency?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly itemDetails?: string | null | undefined;
  /** Local date of the account. Defaults to today. */
  readonly requestedDate?: LocalDate | null | undefined;
}

export interface InvoiceNoteRequest {
  /** Id of a DRAFT invoice. */
  readonly invoiceId: Uuid;
  /** Note of up to 2,000 characters. Null removes the note. */
  readonly note?: string | null | undefined;
}

export interface DeleteCreditRequest {
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  /** Id of a CBA_ADJ item of the invoice. */
  readonly invoiceItemId: Uuid;
}

export interface MigrationInvoiceRequest {
  readonly accountId: Uuid;
  /** At least one item. */
  readonly items: readonly MigrationItem[];
  /** Local date of the account. Defaults to today. */
  readonly targetDate?: LocalDate | null | undefined;
}

/** A subscription for which the next run and the evaluation of its whole history produce different items. */
export interface CoverageDifference {
  readonly subscriptionId: Uuid;
  /** Items that the evaluation of the whole history produces. Their ids are generated. */
  readonly expected: readonly NewInvoiceItem[];
  /** Items of the run. */
  readonly found: readonly NewInvoiceItem[];
}
