import {
  amount,
  bigint,
  currency,
  date,
  enumeration,
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

export const InvoiceStatus = enumeration('DRAFT', 'COMMITTED', 'VOID');
export type InvoiceStatus = keyof typeof InvoiceStatus;

/** Stored sums of an invoice (invoicing §1.4), updated together with its items and payments. */
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
  /** Local date of the creating call; immutable. */
  invoiceDate: date({ searched: true }),
  targetDate: orNull(date({ searched: true })),
  commitDate: orNull(date({ audit: null })),
  currency: currency({ searched: true }),
  status: oneOf(InvoiceStatus, { searched: true }),
  isMigration: flag({ audit: 'migrated', searched: true }),
  isWrittenOff: flag({ audit: null }),
  isParentInvoice: flag({ searched: 'parent_invoice' }),
  /** The parent's summary of a child's invoice; null = not linked. */
  parentInvoiceId: orNull(id({ audit: null })),
  /** The account of the summary, also before it is linked. */
  parentAccountId: orNull(id({ audit: null })),
  /** The contribution to the parent's summary (invoicing §12), 0 until linked; null = its own account pays. */
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

/** A notice of an upcoming invoice that was published (invoicing §8.1); at most one per date. */
export const toldInvoiceFields = {
  accountRecordId: bigint(),
  targetDate: date(),
  createdDate: instant(),
};
export interface ToldInvoice extends RecordOf<typeof toldInvoiceFields> {}

/** The fields that decide the balance of an invoice (invoicing §1.4 rule 6). */
export type BalancedInvoice = Pick<Invoice, 'status' | 'isMigration' | 'isWrittenOff' | 'rawBalance'>;

/** The stored balances of an account, and its invoices that a parent pays, which these balances exclude. */
export interface StoredBalance extends AccountBalance {
  /** Invoices with their summary, if any; without those whose summary is settled or VOID. */
  readonly delegated: readonly {
    readonly invoice: BalancedInvoice;
    readonly summary: BalancedInvoice | null;
  }[];
}
