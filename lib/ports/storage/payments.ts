import type {
  AutoPayHold,
  ClauseSearch,
  InvoicePayment,
  New,
  Page,
  PageRequest,
  Payment,
  PaymentAttempt,
  PaymentMethod,
  PaymentTransaction,
  Rows,
  TextSearch,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export type PaymentMethodSearch =
  /**
   * Finds payment methods whose id or account id equals the text, or whose external key or plugin name contains it,
   * ignoring case.
   */
  TextSearch | ClauseSearch;

export type PaymentSearch =
  /**
   * Finds payments whose id, account id or method id equals the text, or whose external key contains it, ignoring case.
   */
  TextSearch | { readonly kind: 'states'; readonly stateNames: readonly string[] } | ClauseSearch;

export interface LastFailure {
  readonly invoiceId: Uuid;
  /** Record id of the transaction. A higher id means a later transaction. */
  readonly transactionRecordId: number;
  /** The reason for the failure, or null if the gateway did not return a reason. */
  readonly paymentResponse: PaymentTransaction['paymentResponse'];
}

export interface PaymentReads {
  findMethodsByIds(ids: readonly Uuid[]): Rows<PaymentMethod>;
  findMethodsByKeys(externalKeys: readonly string[]): Rows<PaymentMethod>;
  /** Returns the records in creation order. */
  findMethodsByAccounts(
    accountIds: readonly Uuid[],
    options: { readonly includeDeleted: boolean },
  ): Rows<PaymentMethod>;
  /** Returns active methods of one plugin or of all plugins. `max` counts all active methods of the tenant. */
  pageMethods(
    request: PageRequest,
    options: { readonly pluginName: string | null },
  ): Promise<Page<PaymentMethod>>;
  /** Returns a page of the active methods that match the search. `max` counts the same methods as in `pageMethods`. */
  searchMethods(
    search: PaymentMethodSearch,
    request: PageRequest,
    options: { readonly pluginName: string | null },
  ): Promise<Page<PaymentMethod>>;
  findByIds(ids: readonly Uuid[]): Rows<Payment>;
  findByKeys(externalKeys: readonly string[]): Rows<Payment>;
  /** Returns the records in creation order. */
  findByAccounts(accountIds: readonly Uuid[]): Rows<Payment>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Payment>>;
  /** Returns payments of the tenant, or of one gateway's methods. `max` counts all payments of the tenant. */
  page(request: PageRequest, options: { readonly pluginName: string | null }): Promise<Page<Payment>>;
  /** Returns the payments of the tenant, or of one gateway's methods, that match the search. */
  search(
    search: PaymentSearch,
    request: PageRequest,
    options: { readonly pluginName: string | null },
  ): Promise<Page<Payment>>;
  /** Returns the records in creation order. */
  findTransactions(paymentIds: readonly Uuid[]): Rows<PaymentTransaction>;
  findTransactionsByIds(ids: readonly Uuid[]): Rows<PaymentTransaction>;
  /** Returns the records in creation order. */
  findTransactionsByKeys(externalKeys: readonly string[]): Rows<PaymentTransaction>;
  /** Returns the refunds of invoice payments (`invoiceRefund`) that have an open outcome, in creation order. */
  findOpenInvoiceRefunds(accountRecordIds: readonly number[]): Rows<PaymentTransaction>;
  findAttemptsByIds(ids: readonly Uuid[]): Rows<PaymentAttempt>;
  /** Returns the attempts, oldest first. */
  findAttemptsByPaymentKeys(paymentExternalKeys: readonly string[]): Rows<PaymentAttempt>;
  /** Returns the attempts, oldest first. */
  findAttemptsByTransactionKeys(transactionExternalKeys: readonly string[]): Rows<PaymentAttempt>;
  findInvoicePaymentsByInvoices(invoiceIds: readonly Uuid[]): Rows<InvoicePayment>;
  /** Returns the newest failed PURCHASE of each invoice. Omits invoices without a failed PURCHASE. */
  findLastFailures(invoiceIds: readonly Uuid[]): Rows<LastFailure>;
  findInvoicePaymentsByPayments(paymentIds: readonly Uuid[]): Rows<InvoicePayment>;
  /** Returns the active holds of these invoices. */
  findHoldsByInvoices(invoiceIds: readonly Uuid[]): Rows<AutoPayHold>;
  /** Returns active holds in creation order. */
  findHoldsByAccounts(accountIds: readonly Uuid[]): Rows<AutoPayHold>;
}

/** Writes payments. Insert functions return the stored records in order. */
export interface PaymentWrites {
  /** Inserts methods. @throws BillingError 7031 if an external key is already used. */
  insertMethods(methods: readonly New<PaymentMethod>[]): Rows<PaymentMethod>;
  /** Writes `isActive`. The audit log records an UPDATE. */
  updateMethods(methods: readonly PaymentMethod[]): Promise<void>;
  /**
   * Reserves `count` consecutive payment numbers and returns the first one. Numbers may have gaps. Other callers wait
   * until the transaction ends, so call this last, or use `Storage.takePaymentNumber`.
   */
  takePaymentNumbers(count: number): Promise<number>;
  insertPayments(payments: readonly New<Payment>[]): Rows<Payment>;
  updatePayments(payments: readonly Payment[]): Promise<void>;
  /** Adds an UPDATE audit row for payments that have not changed themselves, but have a changed transaction. */
  noteUpdates(payments: readonly Payment[]): void;
  insertTransactions(transactions: readonly New<PaymentTransaction>[]): Rows<PaymentTransaction>;
  /**
   * Updates status, processed values, gateway fields, attempt, lease and `invoiceRefund` of transactions whose stored
   * status is still `expected` (payments §1.7 rule 7). Returns the ids of the updated transactions.
   */
  updateTransactions(
    changes: readonly {
      readonly transaction: PaymentTransaction;
      readonly expected: PaymentTransaction['status'];
    }[],
  ): Rows<Uuid>;
  /**
   * Leases PENDING transactions that have no lease for a call at `now`. Creates no history or audit rows (payments §5.1
   * rule 4). Returns the ids of the leased transactions.
   */
  leaseTransactions(
    ids: readonly Uuid[],
    lease: { readonly now: Instant; readonly leaseUntil: Instant },
  ): Rows<Uuid>;
  /** Ends leases that have expired at `now`. Creates no history or audit rows (payments §5.1 rule 4). */
  endLeases(ids: readonly Uuid[], over: { readonly now: Instant }): Promise<void>;
  insertAttempts(attempts: readonly New<PaymentAttempt>[]): Rows<PaymentAttempt>;
  updateAttempts(attempts: readonly PaymentAttempt[]): Promise<void>;
  insertInvoicePayments(rows: readonly New<InvoicePayment>[]): Rows<InvoicePayment>;
  updateInvoicePayments(rows: readonly InvoicePayment[]): Promise<void>;
  /** Inserts holds. Skips invoices with an active hold. */
  insertHolds(holds: readonly New<AutoPayHold>[]): Promise<void>;
  endHolds(holds: readonly Pick<AutoPayHold, 'id'>[]): Promise<void>;
}
