import { enumeration, f, type RecordOf } from '../values/fields/index.ts';
import type { AccountBalance } from './account.ts';

export const InvoiceStatus = enumeration('DRAFT', 'COMMITTED', 'VOID');
export type InvoiceStatus = keyof typeof InvoiceStatus;

/** Stored sums of an invoice (invoicing §1.4). They are updated together with its items and payments. */
export const invoiceAmountFields = {
  amount: f.amount({ audit: null }),
  creditAdj: f.amount({ audit: null }),
  refundAdj: f.amount({ audit: null }),
  /** Raw balance: the sum of all item amounts minus the paid amount. A positive balance is owed. */
  rawBalance: f.amount({ audit: null }),
};
export interface InvoiceAmounts extends RecordOf<typeof invoiceAmountFields> {}

export const invoiceFields = {
  recordId: f.recordId,
  id: f.id({ searched: true }),
  accountId: f.id({ searched: true }),
  accountRecordId: f.bigint(),
  invoiceNumber: f.bigint(),
  /** Local date of the call that created the invoice. Immutable. */
  invoiceDate: f.date({ searched: true }),
  targetDate: f.orNull(f.date({ searched: true })),
  commitDate: f.orNull(f.date({ audit: null })),
  /**
   * The instant of the commit. Documents show the seller data of this instant. The value is null while the invoice is
   * a DRAFT.
   */
  issuedDate: f.orNull(f.instant({ audit: null })),
  currency: f.currency({ searched: true }),
  status: f.oneOf(InvoiceStatus, { searched: true }),
  isMigration: f.flag({ audit: 'migrated', searched: true }),
  isWrittenOff: f.flag({ audit: null }),
  isParentInvoice: f.flag({ searched: 'parent_invoice' }),
  /** The parent's summary that contains a child's invoice, or null if the invoice is not in a summary. */
  parentInvoiceId: f.orNull(f.id({ audit: null })),
  /** The account of the parent. It is set even before the invoice is in a summary. */
  parentAccountId: f.orNull(f.id({ audit: null })),
  /**
   * The amount that the invoice contributes to the parent's summary (invoicing §12). It is 0 until the invoice is in
   * the summary. The value is null if the invoice's own account pays.
   */
  contributedAmount: f.orNull(f.amount({ audit: null })),
  /** Text for the reader of documents. */
  note: f.orNull(f.text({ max: 2_000, ours: true })),
  /** Id of the first invoice that the same run created. */
  groupId: f.id({ audit: 'grpId', searched: true }),
  createdDate: f.instant({ searched: true }),
  ...invoiceAmountFields,
};
export interface Invoice extends RecordOf<typeof invoiceFields> {}

/** Stored invoicing state of an account. Each write must match `version`. */
export const invoicingStateFields = {
  accountId: f.id(),
  accountRecordId: f.bigint(),
  maxTargetDate: f.orNull(f.date()),
  accountCBA: f.amount(),
  accountBalance: f.amount(),
  version: f.integer(),
};
export interface AccountInvoicingState extends RecordOf<typeof invoicingStateFields> {}

/** A published announcement of an upcoming invoice (invoicing §8.1). There is at most one per date. */
export const invoiceAnnouncementFields = {
  accountRecordId: f.bigint(),
  targetDate: f.date(),
  createdDate: f.instant(),
};
export interface InvoiceAnnouncement extends RecordOf<typeof invoiceAnnouncementFields> {}

/** The fields that determine the balance of an invoice (invoicing §1.4 rule 6). */
export type BalancedInvoice = Pick<Invoice, 'status' | 'isMigration' | 'isWrittenOff' | 'rawBalance'>;

/**
 * The stored balances of an account. They exclude invoices that a parent pays. These invoices are listed separately.
 */
export interface StoredBalance extends AccountBalance {
  /** The invoices that a parent pays, with their summaries if any. Excludes invoices with a settled or VOID summary. */
  readonly delegated: readonly {
    readonly invoice: BalancedInvoice;
    readonly summary: BalancedInvoice | null;
  }[];
}
