import type {
  Invoice,
  New,
  PaymentTransaction,
  Rows,
  StoredFigures,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** The last row that a count has read, given by its position in the order of the count and its record id. */
export interface CountPosition {
  readonly order: number;
  readonly recordId: number;
}

/** A part of a count. It covers at most `limit` rows after the position. */
export interface CountPart {
  /** Null starts with the first row. */
  readonly after: CountPosition | null;
  readonly limit: number;
}

/** The sums of one part of a count, and the position of its last row. The position is null if this is the last part. */
export interface CountedPart<T> {
  readonly sums: readonly T[];
  readonly last: CountPosition | null;
}

/** The sum of invoices with the same currency, status and payer. */
export interface InvoiceSum extends Pick<Invoice, 'currency' | 'status' | 'isMigration'> {
  /** True if a parent pays the invoices. */
  readonly isDelegated: boolean;
  readonly count: number;
  readonly amount: Decimal;
}

/**
 * The sum of transactions with the same type, status and currency. For successful transactions, it is the sum of the
 * processed amounts.
 */
export interface TransactionSum {
  readonly transactionType: TransactionType;
  readonly status: TransactionStatus;
  /** The currency of the transactions, or null for voids and for reversals of chargebacks. */
  readonly currency: Currency | null;
  /** True if an earlier transaction of the same payment and type failed. Set only for successful transactions. */
  readonly isRecovery: boolean;
  readonly count: number;
  readonly amount: Decimal;
}

/** Subscriptions on the same plan. */
export interface PlanSum {
  readonly planName: string;
  readonly count: number;
  readonly quantity: number;
}

/** A failed transaction with its account and invoice. */
export interface FailedTransaction
  extends Pick<
    PaymentTransaction,
    | 'recordId'
    | 'id'
    | 'paymentId'
    | 'transactionType'
    | 'status'
    | 'amount'
    | 'currency'
    | 'gatewayErrorCode'
    | 'gatewayErrorMsg'
    | 'paymentResponse'
    | 'effectiveDate'
  > {
  readonly accountId: Uuid;
  readonly accountKey: string;
  readonly accountName: string | null;
  /** Null if the payment pays no invoice. */
  readonly invoiceId: Uuid | null;
  /** True if a later transaction of the same payment, or of another payment of its invoice, was successful. */
  readonly isRecovered: boolean;
}

export interface ReportReads {
  figures(names: readonly string[]): Rows<StoredFigures>;
  /** Returns the totals of the invoices in a range of dates. Both dates are included. */
  sumInvoices(
    dates: { readonly from: LocalDate; readonly to: LocalDate },
    part: CountPart,
  ): Promise<CountedPart<InvoiceSum>>;
  /** Returns the totals of the transactions in a range of effective dates. The end date is excluded. */
  sumTransactions(
    dates: { readonly from: Instant; readonly to: Instant },
    part: CountPart,
  ): Promise<CountedPart<TransactionSum>>;
  /** Returns the voids, chargebacks and chargeback reversals for the same range of records. */
  voidsAndChargebacks(
    dates: { readonly from: Instant; readonly to: Instant },
    part: { readonly after: CountPosition | null; readonly last: CountPosition | null },
  ): Rows<Pick<PaymentTransaction, 'paymentId' | 'recordId'>>;
  /** Returns the totals of the subscriptions that are billed at the instant. Parts are ordered by account. */
  sumSubscriptions(at: Instant, part: CountPart): Promise<CountedPart<PlanSum>>;
  /** Returns failed payments, starting with the latest. */
  failedPayments(request: {
    readonly from: Instant;
    readonly to: Instant;
    readonly limit: number;
  }): Rows<FailedTransaction>;
}

export interface ReportWrites {
  /** Saves the figures with these names. Existing figures are replaced. */
  saveFigures(figures: readonly New<StoredFigures>[]): Promise<void>;
}
