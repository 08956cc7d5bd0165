import {
  amount,
  bigint,
  currency,
  date,
  flag,
  id,
  instant,
  integer,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
} from '../values/fields/index.ts';
import type { AccountBalance } from './account.ts';

export const InvoiceStatus = { DRAFT: 'DRAFT', COMMITTED: 'COMMITTED', VOID: 'VOID' } as const;
export type InvoiceStatus = (typeof InvoiceStatus)[keyof typeof InvoiceStatus];

/** Stored sums of an invoice (invoicing §1.4); they change with the items and payments that cause them. */
export const invoiceAmountFields = {
  amount: amount({ audit: null }),
  creditAdj: amount({ audit: null }),
  refundAdj: amount({ audit: null }),
  /** Σ all item amounts − paid; positive = owed. */
  rawBalance: amount({ audit: null }),
};
export interface InvoiceAmounts extends RecordOf<typeof invoiceAmountFields> {}

export const invoiceFields = {
  recordId,
  id: id({ searched: true }),
  accountId: id({ searched: true }),
  accountRecordId: bigint(),
  invoiceNumber: bigint(),
  /** Local date of the call that created the invoice; never changes. */
  invoiceDate: date({ searched: true }),
  targetDate: orNull(date({ searched: true })),
  commitDate: orNull(date({ audit: null })),
  currency: currency({ searched: true }),
  status: oneOf(InvoiceStatus, { searched: true }),
  isMigration: flag({ audit: 'migrated', searched: true }),
  isWrittenOff: flag({ audit: null }),
  isParentInvoice: flag({ searched: 'parent_invoice' }),
  /**
   * The parent's invoice to which a child's is linked, null = not linked; and the account whose invoice that is or will
   * be.
   */
  parentInvoiceId: orNull(id({ audit: null })),
  parentAccountId: orNull(id({ audit: null })),
  /**
   * For a child's invoice that the parent pays: what it adds to the parent's summary (invoicing §12), 0 until the two are
   * linked. null = its own account pays.
   */
  contributedAmount: orNull(amount({ audit: null })),
  /** Id of the first invoice written by the same run. */
  groupId: id({ audit: 'grpId', searched: true }),
  createdDate: instant({ searched: true }),
  ...invoiceAmountFields,
};
export interface Invoice extends RecordOf<typeof invoiceFields> {}

/** Stored state of an account's invoicing; `version` guards every write of it. */
export const invoicingStateFields = {
  accountId: id(),
  accountRecordId: bigint(),
  maxTargetDate: orNull(date()),
  accountCBA: amount(),
  accountBalance: amount(),
  version: integer(),
};
export interface AccountInvoicingState extends RecordOf<typeof invoicingStateFields> {}

/** That the invoice of a date was foreseen and told of (invoicing §8.1); at most once each. */
export const toldInvoiceFields = {
  accountRecordId: bigint(),
  targetDate: date(),
  createdDate: instant(),
};
export interface ToldInvoice extends RecordOf<typeof toldInvoiceFields> {}

/** What decides the balance of an invoice (invoicing §1.4 rule 6). */
export type BalancedInvoice = Pick<Invoice, 'status' | 'isMigration' | 'isWrittenOff' | 'rawBalance'>;

/**
 * The stored balances of an account, and those of its invoices that a parent pays, whose balances are stored with no
 * account.
 */
export interface StoredBalance extends AccountBalance {
  /** Each with the summary that it is linked to, if any; invoices whose summary is settled or VOID are left out. */
  readonly delegated: readonly {
    readonly invoice: BalancedInvoice;
    readonly summary: BalancedInvoice | null;
  }[];
}
