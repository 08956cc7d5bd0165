import type {
  AutoPayHold,
  InvoicePayment,
  New,
  Page,
  PageRequest,
  Payment,
  PaymentAttempt,
  PaymentMethod,
  PaymentTransaction,
  SearchClause,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export type PaymentMethodSearch =
  /** The whole id or account id, or part of external key or plugin name in any letter case. */
  | { readonly kind: 'text'; readonly id: Uuid | null; readonly text: string }
  /** All clauses hold. */
  | { readonly kind: 'clauses'; readonly clauses: readonly SearchClause[] };

export type PaymentSearch =
  /** Exactly the payment's id, its account's or its method's, or a part of the external key in any letter case. */
  | { readonly kind: 'text'; readonly id: Uuid | null; readonly text: string }
  /** One of these states. */
  | { readonly kind: 'states'; readonly stateNames: readonly string[] }
  /** All clauses hold. */
  | { readonly kind: 'clauses'; readonly clauses: readonly SearchClause[] };

export interface LastFailure {
  readonly invoiceId: Uuid;
  /** The later of two has the higher one. */
  readonly transactionRecordId: number;
  /** Null where the gateway gave no reason. */
  readonly paymentResponse: PaymentTransaction['paymentResponse'];
}

export interface PaymentReads {
  findMethodsByIds(ids: readonly Uuid[]): Promise<readonly PaymentMethod[]>;
  findMethodsByKeys(externalKeys: readonly string[]): Promise<readonly PaymentMethod[]>;
  /** In creation order. */
  findMethodsByAccounts(
    accountIds: readonly Uuid[],
    options: { readonly includeDeleted: boolean },
  ): Promise<readonly PaymentMethod[]>;
  /** Active ones, of this plugin or of all; `max` counts all active ones of the tenant. */
  pageMethods(
    request: PageRequest,
    options: { readonly pluginName: string | null },
  ): Promise<Page<PaymentMethod>>;
  /** Among active ones; otherwise as `pageMethods`. */
  searchMethods(
    search: PaymentMethodSearch,
    request: PageRequest,
    options: { readonly pluginName: string | null },
  ): Promise<Page<PaymentMethod>>;
  findByIds(ids: readonly Uuid[]): Promise<readonly Payment[]>;
  findByKeys(externalKeys: readonly string[]): Promise<readonly Payment[]>;
  /** In creation order. */
  findByAccounts(accountIds: readonly Uuid[]): Promise<readonly Payment[]>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Payment>>;
  /** Of the tenant, or those on methods of one gateway; `max` counts all payments of the tenant. */
  page(request: PageRequest, options: { readonly pluginName: string | null }): Promise<Page<Payment>>;
  /** Of the tenant, or among those on methods of one gateway; `max` counts all payments of the tenant. */
  search(
    search: PaymentSearch,
    request: PageRequest,
    options: { readonly pluginName: string | null },
  ): Promise<Page<Payment>>;
  /** In creation order. */
  findTransactions(paymentIds: readonly Uuid[]): Promise<readonly PaymentTransaction[]>;
  findTransactionsByIds(ids: readonly Uuid[]): Promise<readonly PaymentTransaction[]>;
  /** In creation order. */
  findTransactionsByKeys(externalKeys: readonly string[]): Promise<readonly PaymentTransaction[]>;
  /** Refunds of invoices' payments of these accounts whose outcome is open (`invoiceRefund`), in creation order. */
  findOpenInvoiceRefunds(accountRecordIds: readonly number[]): Promise<readonly PaymentTransaction[]>;
  findAttemptsByIds(ids: readonly Uuid[]): Promise<readonly PaymentAttempt[]>;
  /** Attempts with these payment external keys, oldest first. */
  findAttemptsByPaymentKeys(paymentExternalKeys: readonly string[]): Promise<readonly PaymentAttempt[]>;
  /** Attempts with these transaction external keys, oldest first. */
  findAttemptsByTransactionKeys(
    transactionExternalKeys: readonly string[],
  ): Promise<readonly PaymentAttempt[]>;
  findInvoicePaymentsByInvoices(invoiceIds: readonly Uuid[]): Promise<readonly InvoicePayment[]>;
  /** Of each invoice the newest PURCHASE that has failed; invoices without one are left out. */
  findLastFailures(invoiceIds: readonly Uuid[]): Promise<readonly LastFailure[]>;
  findInvoicePaymentsByPayments(paymentIds: readonly Uuid[]): Promise<readonly InvoicePayment[]>;
  /** Active ones. */
  findHoldsByInvoices(invoiceIds: readonly Uuid[]): Promise<readonly AutoPayHold[]>;
  /** Active ones, in creation order. */
  findHoldsByAccounts(accountIds: readonly Uuid[]): Promise<readonly AutoPayHold[]>;
}

export interface PaymentWrites {
  /** A taken external key throws BillingError 7031. */
  insertMethods(methods: readonly New<PaymentMethod>[]): Promise<void>;
  /** Writes `isActive`; audited as UPDATE. */
  updateMethods(methods: readonly PaymentMethod[]): Promise<void>;
  /**
   * Takes `count` consecutive payment numbers of the tenant and returns the first; gaps are allowed. Until the
   * transaction ends nobody else takes any: hence last, or before it by `Storage.takePaymentNumber`.
   */
  takePaymentNumbers(count: number): Promise<number>;
  insertPayments(payments: readonly New<Payment>[]): Promise<void>;
  /** Writes `stateName` and `lastSuccessStateName`. */
  updatePayments(payments: readonly Payment[]): Promise<void>;
  /** Audits payments as UPDATE, as they are: what has changed is one of their transactions. */
  noteUpdates(payments: readonly Payment[]): void;
  insertTransactions(transactions: readonly New<PaymentTransaction>[]): Promise<void>;
  /**
   * Writes status, processed values, gateway fields, attempt, lease and `invoiceRefund` where the stored status is still `expected`
   * (compare-and-set, payments §1.7 rule 7); returns the ids that were written.
   */
  updateTransactions(
    changes: readonly {
      readonly transaction: PaymentTransaction;
      readonly expected: PaymentTransaction['status'];
    }[],
  ): Promise<readonly Uuid[]>;
  /**
   * Leases PENDING transactions for a call, those that no live lease holds at `now`; no history, no audit (payments
   * §5.1 rule 4). Returns the ids that were leased.
   */
  leaseTransactions(
    ids: readonly Uuid[],
    lease: { readonly now: Instant; readonly leaseUntil: Instant },
  ): Promise<readonly Uuid[]>;
  /** Ends the leases of these transactions that are over at `now`; no history, no audit (payments §5.1 rule 4). */
  endLeases(ids: readonly Uuid[], over: { readonly now: Instant }): Promise<void>;
  insertAttempts(attempts: readonly New<PaymentAttempt>[]): Promise<void>;
  updateAttempts(attempts: readonly PaymentAttempt[]): Promise<void>;
  insertInvoicePayments(rows: readonly New<InvoicePayment>[]): Promise<void>;
  updateInvoicePayments(rows: readonly InvoicePayment[]): Promise<void>;
  /** Leaves out a hold for an invoice that already has an active one. */
  insertHolds(holds: readonly New<AutoPayHold>[]): Promise<void>;
  /** Makes these holds inactive. */
  endHolds(holds: readonly Pick<AutoPayHold, 'id'>[]): Promise<void>;
}
