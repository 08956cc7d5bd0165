import type {
  AccountInput,
  Leading,
  Page,
  PageRequest,
  PluginProperty,
  TransactionType,
} from '../records/index.ts';
import type { HostInput } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { Instant, LocalDate } from '../values/time/index.ts';
import type { PaymentMethodInput } from './methods/payment-method-operations.ts';
import type { RefundAdjustmentInput } from './planning/refund-adjustments.ts';
import type { ControlledInput, PluginInfoOptions } from './plugins/gateway-info.ts';
import type { PaymentStateName } from './state/payment-state.ts';
import type { InvoicePaymentView, PaymentTransactionView, PaymentView } from './state/payment-view.ts';
import type { FixedStatus } from './state/transaction-outcome.ts';

/** Operations on payments, including reads. */
export interface PaymentOperations<C extends Leading = []>
  extends PaymentReadOperations<C>,
    PaymentListOperations<C>,
    DirectPaymentOperations<C>,
    ComboOperations<C>,
    PaymentRepairOperations<C> {}

/** A payment after an operation, with the transaction that the operation created or completed. */
export interface PaymentResult {
  readonly payment: PaymentView;
  readonly transaction: PaymentTransactionView;
}

/** Options of every operation on a payment. */
export interface OperationInput extends ControlledInput {
  /**
   * The client's key of the transaction. A successful transaction is not run again (7030). Defaults to the
   * transaction's id.
   */
  readonly transactionExternalKey?: string | null;
  /** Effective date. Defaults to now. */
  readonly effectiveDate?: Instant | null;
}

/** A new payment, or a failed payment that is repeated. */
export interface NewPaymentInput extends OperationInput {
  readonly accountId: Uuid;
  /** Amount greater than 0. The amount of an authorization may be 0, which only checks the payment method. */
  readonly amount: Decimal;
  /** Currency. Defaults to the account's currency. */
  readonly currency?: string | null;
  /** Payment method. Defaults to the account's default method. */
  readonly paymentMethodId?: Uuid | null;
  /** Id of a failed payment of the account. The operation repeats this payment. */
  readonly paymentId?: Uuid | null;
  /** The client's key of the payment. Defaults to the payment's id. */
  readonly externalKey?: string | null;
}

/** A payment, identified by its id or, if the id is absent, by its key. */
export interface OfPayment extends OperationInput {
  readonly paymentId?: Uuid | null;
  readonly externalKey?: string | null;
}

/** An amount to capture, refund or charge back on an existing payment. */
export interface PaymentAmountInput extends OfPayment {
  readonly amount: Decimal;
  /** Currency. Defaults to the account's currency. */
  readonly currency?: string | null;
}

export interface VoidInput extends OfPayment {}

export interface ChargebackReversalInput extends OfPayment {
  /** Key of the chargeback. */
  readonly transactionExternalKey: string;
}

/** A pending transaction of a payment. An absent field matches any value. */
export interface CompletionInput extends OfPayment {
  readonly transactionId?: Uuid | null;
  readonly transactionType?: TransactionType | null;
  /** Amount sent to the gateway instead of the stored amount. The stored amount does not change. */
  readonly amount?: Decimal | null;
  readonly currency?: string | null;
}

/** The outcome of a pending transaction that the gateway reported asynchronously. */
export interface NotifiedOutcomeInput {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: NotifiedStatus;
}

/** The reported status. A decline, and a call that never reached the gateway, both count as failures of the payment. */
export type NotifiedStatus = 'SUCCESS' | 'PAYMENT_FAILURE' | 'PLUGIN_FAILURE';

/**
 * Operations on payments (payments §4). Each operation returns when its outcome is recorded. A decline or an
 * uncertain outcome is a `transaction.status`, not an error. If the outcome is unknown, operations throw
 * PAYMENT_PLUGIN_TIMEOUT (7100), PAYMENT_PLUGIN_EXCEPTION (7199) for an error that the gateway declares, or
 * PAYMENT_INTERNAL_ERROR (7019) for any other; recovery then settles the payment `facts.paymentId`.
 *
 * All throw BillingError PAYMENT_INVALID_OPERATION (7032) if the payment's state forbids it,
 * PAYMENT_INVALID_PARAMETER (7031), PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030), PAYMENT_NO_SUCH_PAYMENT
 * (7020), PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028),
 * PAYMENT_PLUGIN_API_ABORTED (7106) if a control plugin stops it, and PAYMENT_INTERNAL_ERROR (7019,
 * `facts.isBusy`) if another call holds the payment, without any attempt.
 */
export interface DirectPaymentOperations<C extends Leading = []> {
  /** Reserves the amount at the gateway for later captures. */
  authorize(...given: [...C, input: HostInput<NewPaymentInput>]): Promise<PaymentResult>;
  /** Charges the amount in one step, without a separate capture. */
  purchase(...given: [...C, input: HostInput<NewPaymentInput>]): Promise<PaymentResult>;
  /** Sends the amount to the payment method. The amount does not become account credit. */
  credit(...given: [...C, input: HostInput<NewPaymentInput>]): Promise<PaymentResult>;
  /** Captures an authorized amount, possibly in several captures. */
  capture(...given: [...C, input: HostInput<PaymentAmountInput>]): Promise<PaymentResult>;
  /** Refunds an amount. The maximum is the captured amount that has not been refunded yet. */
  refund(...given: [...C, input: HostInput<PaymentAmountInput>]): Promise<PaymentResult>;
  /** Voids the latest successful transaction. This is possible only if no money has moved. */
  void(...given: [...C, input: HostInput<VoidInput>]): Promise<PaymentResult>;
  /** Records a chargeback that the card network made. Does not call a gateway. */
  chargeback(...given: [...C, input: HostInput<PaymentAmountInput>]): Promise<PaymentResult>;
  /**
   * Records that a chargeback has ended in the merchant's favor.
   * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) if every chargeback with the key was reversed or
   * failed.
   */
  reverseChargeback(...given: [...C, input: HostInput<ChargebackReversalInput>]): Promise<PaymentResult>;
  /**
   * Queries the gateway about a pending transaction. A transaction that has already succeeded is returned unchanged.
   */
  complete(...given: [...C, input: HostInput<CompletionInput>]): Promise<PaymentResult>;
  /**
   * Records an outcome that the gateway reported asynchronously. Does not call the gateway.
   * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) if the transaction is not pending.
   */
  recordNotifiedOutcome(...given: [...C, input: HostInput<NotifiedOutcomeInput>]): Promise<PaymentResult>;
}

/** An existing account, identified by its id or external key, or a new account. */
export interface ComboAccount extends AccountInput {
  readonly accountId?: Uuid | null;
}

/**
 * A payment method of the account, identified by its id or external key, or a new method. Without a plugin name, the
 * payment uses no method.
 */
export interface ComboPaymentMethod extends Pick<PaymentMethodInput, 'details'> {
  readonly paymentMethodId?: Uuid | null;
  readonly pluginName?: string | null;
  readonly externalKey?: string | null;
}

/** Account and payment method of a combined request. Newly created objects remain even if the payment fails. */
export interface ComboParties {
  readonly account: ComboAccount;
  /** Payment method. Defaults to the account's default method. */
  readonly paymentMethod?: ComboPaymentMethod | null;
  /** Plugin properties for adding the method. */
  readonly paymentMethodProperties?: readonly PluginProperty[];
  /** Specifies which objects the request may create. By default, it may create both an account and a payment method. */
  readonly mayCreate?: { readonly account: boolean; readonly paymentMethod: boolean };
}

export interface ComboPaymentInput
  extends ComboParties,
    Omit<NewPaymentInput, 'accountId' | 'paymentMethodId' | 'paymentId'> {
  readonly transactionType: 'AUTHORIZE' | 'PURCHASE' | 'CREDIT';
}

export interface ComboOperations<C extends Leading = []> {
  /**
   * Begins a payment with an existing or new account and payment method (payments §11). Account, method, permissions
   * and transaction are checked in this order before anything is written. The first method of an account becomes its
   * default.
   * @throws BillingError with the codes of `authorize`, `accounts.create` and `paymentMethods.add`;
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) if creation is not allowed,
   * PRECONDITION_FAILED (60006) for another type of transaction, MISSING_OR_INVALID_FIELD (60003) without an amount.
   */
  combo(...given: [...C, input: HostInput<ComboPaymentInput>]): Promise<PaymentResult>;
}

/** The retry of a transaction. The transaction is identified by its id or, if the id is absent, by its external key. */
export interface ScheduledRetryInput {
  readonly transactionId?: Uuid | null;
  readonly transactionExternalKey?: string | null;
}

/** A correction of a transaction and its payment. */
export interface TransactionFixInput {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: FixedStatus;
  /** New state of the payment. By default, it follows from the type and status of the transaction. */
  readonly stateName?: PaymentStateName | null;
  /**
   * The state that determines the next operations. For the payment's latest transaction, the default is the new state
   * if that state is a success, otherwise the latest earlier success state. For an earlier transaction, the default is
   * the current value.
   */
  readonly lastSuccessStateName?: PaymentStateName | null;
  /** The processed amount. Required only if it differs from the requested amount. */
  readonly processedAmount?: Decimal | null;
  readonly processedCurrency?: string | null;
  /** Plugin properties. If `IPCD_RETRIES` is `true`, the engine retries a failed payment of an invoice. */
  readonly properties?: readonly PluginProperty[];
}

/** Operations with which operators correct payments. */
export interface PaymentRepairOperations<C extends Leading = []> {
  /**
   * Cancels the planned retry of the latest attempt with the transaction's external key, if a retry is planned. The
   * attempt stays RETRIED.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020) for an unknown transaction id, PAYMENT_INVALID_PARAMETER (7031)
   * if neither id nor key is given.
   */
  cancelScheduledRetry(...given: [...C, input: HostInput<ScheduledRetryInput>]): Promise<void>;

  /**
   * Corrects the recorded outcome of a transaction without calling the gateway. Events, the invoice's balance, its
   * attempt and its retry follow the new status.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020), PAYMENT_INVALID_PARAMETER (7031),
   * PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030) if another transaction of the key has succeeded or is open too,
   * PAYMENT_INTERNAL_ERROR (7019, `facts.isBusy`) while a call of the payment is running.
   */
  fixTransaction(...given: [...C, input: HostInput<TransactionFixInput>]): Promise<PaymentResult>;
}

export interface PaymentReadOptions extends PluginInfoOptions {
  /** If true, also returns the attempts of each payment. Defaults to false. */
  readonly withAttempts?: boolean;
}

/** Reads of payments. */
export interface PaymentReadOperations<C extends Leading = []> {
  /** Returns one payment. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  get(
    ...given: [...C, paymentId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /** Returns the payment with this external key. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  getByKey(
    ...given: [...C, externalKey: string, options?: HostInput<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /** Returns the payment of a transaction. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  ofTransaction(
    ...given: [...C, transactionId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /** Returns the latest payment with this transaction key. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  ofTransactionKey(
    ...given: [...C, transactionExternalKey: string, options?: HostInput<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /**
   * Returns a payment with its invoice, if the payment has one.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020).
   */
  invoicePayment(
    ...given: [...C, paymentId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<InvoicePaymentView>;

  /** Returns the account's payments, oldest first. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<readonly PaymentView[]>;

  /**
   * Returns the account's payments with their invoices, oldest first.
   * @throws BillingError The errors of `ofAccount`.
   */
  invoicePaymentsOfAccount(
    ...given: [...C, accountId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;

  /** Returns all payments of the invoice, oldest first. @throws BillingError INVOICE_NOT_FOUND (4006). */
  invoicePaymentsOfInvoice(
    ...given: [...C, invoiceId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;
}

/** A request for a page of payments, with options for the returned payments. */
export interface PaymentListRequest extends PageRequest, PaymentReadOptions {
  /** The gateway whose payments are selected. Defaults to all gateways. */
  readonly pluginName?: string | null;
}

/** Lists of the tenant's payments. A page takes a constant number of queries, even if it includes attempts. */
export interface PaymentListOperations<C extends Leading = []> {
  /**
   * Returns a page of the tenant's payments in creation order, with the counts for pagination.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028).
   */
  page(...given: [...C, request: HostInput<PaymentListRequest>]): Promise<Page<PaymentView>>;

  /**
   * Returns a page of payments that match the key. The key is the id of a payment, account or method, part of
   * an external key or state name (such as `_FAILED`), or clauses in operator form (http-api §8). With
   * `pluginName`, that gateway searches its own records, and payments unknown to the engine are omitted. For
   * a gateway without a search, the stored payments are searched.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid key in operator form,
   * PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_SEARCH_PAYMENTS (7105) if the gateway's search
   * fails.
   */
  search(...given: [...C, key: string, request: HostInput<PaymentListRequest>]): Promise<Page<PaymentView>>;
}

export interface InvoicePaymentInput extends ControlledInput {
  readonly invoiceId: Uuid;
  /**
   * The account of the invoice. If this field is present, the engine checks that the invoice belongs to the account.
   */
  readonly accountId?: Uuid | null;
  /** Amount to pay. Defaults to the balance. */
  readonly amount?: Decimal | null;
  /** Payment method. Defaults to the account's default method. Not allowed with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /** True if the invoice was paid by check, cash or transfer. Defaults to false. */
  readonly isExternal?: boolean;
  readonly externalKey?: string | null;
  readonly transactionExternalKey?: string | null;
}

/** Payment of all unpaid invoices. */
export interface PayAllInput extends ControlledInput {
  readonly accountId: Uuid;
  /** The amount to pay. It is applied to the oldest invoice first. Defaults to the whole debt. */
  readonly amount?: Decimal | null;
  /** Payment method. Defaults to the account's default method. Not allowed with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /**
   * True if the invoices were paid by check, cash or transfer. Any excess amount then becomes account credit. Defaults
   * to false.
   */
  readonly isExternal?: boolean;
  /**
   * If true (the default), an excess amount may become account credit. If false, a payment with an excess amount is
   * rejected.
   */
  readonly mayCredit?: boolean;
  /** Target date up to which invoices are paid. Defaults to today in the account's time zone. */
  readonly targetDate?: LocalDate | null;
}

/** The invoices that the call tried to pay, oldest first. They include invoices that remain unpaid. */
export interface PaidInvoices {
  readonly invoiceIds: readonly Uuid[];
  /** Earliest target date of the invoices. */
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
}

export interface InvoiceRefundInput extends Omit<PaymentAmountInput, 'amount'> {
  readonly paymentId: Uuid;
  /** Amount of the refund. Defaults to the sum of the adjustments with their taxes. */
  readonly amount?: Decimal | null;
  /** If true, the items in `adjustments` reduce the invoice. If false (the default), the invoice is owed again. */
  readonly isAdjusted?: boolean;
  /** Items to adjust. The taxes of these charges are adjusted automatically, unless `adjustments` contains them. */
  readonly adjustments?: readonly RefundAdjustmentInput[];
  /** True if the refund is a separate payment through another method. Defaults to false. */
  readonly isExternal?: boolean;
  /** Payment method of the refund if `isExternal` is true. Defaults to the account's external method. */
  readonly paymentMethodId?: Uuid | null;
}

export interface InvoiceChargebackInput extends PaymentAmountInput {
  /**
   * If true, a chargeback that exceeds the remaining amount is recorded as a failed transaction. If false (the
   * default), it is rejected.
   */
  readonly recordsExcess?: boolean;
}

/**
 * Operations on payments of invoices (payments §9). The errors are the same as for operations on payments. A decline
 * is not an error.
 */
export interface InvoicePaymentOperations<C extends Leading = []> {
  /**
   * Pays an invoice. Returns null if nothing is due, or if the invoice cannot be paid now.
   * @throws BillingError INVOICE_NOT_FOUND (4006), PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021),
   * PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_EXCEPTION (7199) for
   * an amount greater than the balance.
   */
  pay(...given: [...C, input: HostInput<InvoicePaymentInput>]): Promise<PaymentResult | null>;

  /**
   * Pays the unpaid invoices of an account, the oldest first, even if some payments fail. Returns null if there are no
   * unpaid invoices.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_NO_SUCH_PAYMENT_METHOD (7000),
   * PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) if there is an excess amount that
   * must not become credit.
   */
  payAll(...given: [...C, input: HostInput<PayAllInput>]): Promise<PaidInvoices | null>;

  /**
   * Refunds a paid invoice. With adjustments, the invoice stays settled. Without adjustments, the invoice is owed
   * again.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_REFUND_AMOUNT_TOO_HIGH (4906),
   * INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST (4907), INVOICE_ITEMS_ADJUSTMENT_MISSING (4025).
   */
  refund(...given: [...C, input: HostInput<InvoiceRefundInput>]): Promise<PaymentResult>;

  /**
   * Records a chargeback of a paid invoice. The invoice is then owed again.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901),
   * INVOICE_CHARGE_BACK_AMOUNT_IS_NEGATIVE (4902).
   */
  chargeback(...given: [...C, input: HostInput<InvoiceChargebackInput>]): Promise<PaymentResult>;

  /**
   * Records that a chargeback has ended in the merchant's favor.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024).
   */
  reverseChargeback(...given: [...C, input: HostInput<ChargebackReversalInput>]): Promise<PaymentResult>;

  /** Queries the gateway about a pending transaction. @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900). */
  complete(...given: [...C, input: HostInput<CompletionInput>]): Promise<PaymentResult>;
}
