import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { Instant, LocalDate } from '../values/time/index.ts';
import type { AccountBalance } from './account.ts';

export const InvoiceStatus = { DRAFT: 'DRAFT', COMMITTED: 'COMMITTED', VOID: 'VOID' } as const;
export type InvoiceStatus = (typeof InvoiceStatus)[keyof typeof InvoiceStatus];

/** Stored sums of an invoice (invoicing §1.4); they change with the items and payments that cause them. */
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
  /**
   * The parent's invoice to which a child's is linked, null = not linked; and the account whose invoice that is or will
   * be.
   */
  readonly parentInvoiceId: Uuid | null;
  readonly parentAccountId: Uuid | null;
  /**
   * For a child's invoice that the parent pays: what it adds to the parent's summary (invoicing §12), 0 until the two are
   * linked. null = its own account pays.
   */
  readonly contributedAmount: Decimal | null;
  /** Id of the first invoice written by the same run. */
  readonly groupId: Uuid;
  readonly createdDate: Instant;
}

/** Stored state of an account's invoicing; `version` guards every write of it. */
export interface AccountInvoicingState {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly maxTargetDate: LocalDate | null;
  readonly accountCBA: Decimal;
  readonly accountBalance: Decimal;
  readonly version: number;
}

/** That the invoice of a date was foreseen and told of (invoicing §8.1); at most once each. */
export interface ToldInvoice {
  readonly accountRecordId: number;
  readonly targetDate: LocalDate;
  readonly createdDate: Instant;
}

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
