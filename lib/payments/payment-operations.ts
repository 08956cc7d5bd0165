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

/** Reads of payments, and operations on them. */
export interface PaymentOperations<C extends Leading = []>
  extends PaymentReadOperations<C>,
    PaymentListOperations<C>,
    DirectPaymentOperations<C>,
    ComboOperations<C>,
    PaymentRepairOperations<C> {}

/** A payment after an operation, and the transaction that the operation made or completed, with its status. */
export interface PaymentResult {
  readonly payment: PaymentView;
  readonly transaction: PaymentTransactionView;
}

/** Options of every operation on a payment. */
export interface OperationInput extends ControlledInput {
  /** The client's key of the transaction; a successful one is not run again (7030). Default: its id. */
  readonly transactionExternalKey?: string | null;
  /** Default: now. */
  readonly effectiveDate?: Instant | null;
}

/** A new payment, or one to try again after a failure. */
export interface NewPaymentInput extends OperationInput {
  readonly accountId: Uuid;
  /** More than 0; an authorization of 0 checks the method. */
  readonly amount: Decimal;
  /** Default: the account's. */
  readonly currency?: string | null;
  /** Default: the account's default method. */
  readonly paymentMethodId?: Uuid | null;
  /** A failed payment of the account to try again. */
  readonly paymentId?: Uuid | null;
  /** The client's key of the payment. Default: its id. */
  readonly externalKey?: string | null;
}

/** A payment by its id, otherwise by its key. */
export interface OfPayment extends OperationInput {
  readonly paymentId?: Uuid | null;
  readonly externalKey?: string | null;
}

/** A further amount of a payment, to capture, refund or charge back. */
export interface PaymentAmountInput extends OfPayment {
  readonly amount: Decimal;
  /** Default: the account's. */
  readonly currency?: string | null;
}

export interface VoidInput extends OfPayment {}

export interface ChargebackReversalInput extends OfPayment {
  /** Key of the chargeback. */
  readonly transactionExternalKey: string;
}

/** A pending transaction of a payment; missing members match any. */
export interface CompletionInput extends OfPayment {
  readonly transactionId?: Uuid | null;
  readonly transactionType?: TransactionType | null;
  /** Sent to the gateway instead of the stored amount, which does not change. */
  readonly amount?: Decimal | null;
  readonly currency?: string | null;
}

/** The outcome of a pending transaction that the gateway reported outside a call. */
export interface NotifiedOutcomeInput {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: NotifiedStatus;
}

/** A decline and a call that never reached the gateway are both failures of the payment. */
export type NotifiedStatus = 'SUCCESS' | 'PAYMENT_FAILURE' | 'PLUGIN_FAILURE';

/**
 * Operations on payments (payments §4). Each returns when its outcome is recorded; a decline or an uncertain outcome is
 * no error but a `transaction.status`. If nobody knows the outcome, they throw PAYMENT_PLUGIN_TIMEOUT (7100),
 * PAYMENT_PLUGIN_EXCEPTION (7199) for a declared error of the gateway, or PAYMENT_INTERNAL_ERROR (7019) for any other;
 * recovery then settles the payment `facts.paymentId`.
 *
 * All throw BillingError PAYMENT_INVALID_OPERATION (7032) if the payment's state forbids it, PAYMENT_INVALID_PARAMETER
 * (7031), PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030), PAYMENT_NO_SUCH_PAYMENT (7020), PAYMENT_NO_SUCH_PAYMENT_METHOD
 * (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_API_ABORTED (7106) if a control plugin stops it, and
 * PAYMENT_INTERNAL_ERROR (7019, `facts.isBusy`) if another call holds the payment, without any attempt.
 */
export interface DirectPaymentOperations<C extends Leading = []> {
  /** Holds the amount at the gateway for later captures. */
  authorize(...given: [...C, input: HostInput<NewPaymentInput>]): Promise<PaymentResult>;
  /** Takes the amount. */
  purchase(...given: [...C, input: HostInput<NewPaymentInput>]): Promise<PaymentResult>;
  /** Sends the amount to the payment method. It is not account credit. */
  credit(...given: [...C, input: HostInput<NewPaymentInput>]): Promise<PaymentResult>;
  /** Takes an authorized amount; possibly in several captures. */
  capture(...given: [...C, input: HostInput<PaymentAmountInput>]): Promise<PaymentResult>;
  /** Refunds an amount, at most the taken amount that is not refunded yet. */
  refund(...given: [...C, input: HostInput<PaymentAmountInput>]): Promise<PaymentResult>;
  /** Voids the latest successful transaction before money has moved. */
  void(...given: [...C, input: HostInput<VoidInput>]): Promise<PaymentResult>;
  /** Records a chargeback of the network; no gateway is called. */
  chargeback(...given: [...C, input: HostInput<PaymentAmountInput>]): Promise<PaymentResult>;
  /**
   * Records that a chargeback has ended in the merchant's favor.
   * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) if every chargeback with the key was reversed or failed.
   */
  reverseChargeback(...given: [...C, input: HostInput<ChargebackReversalInput>]): Promise<PaymentResult>;
  /** Asks the gateway again about a pending transaction; returns a successful one as it is. */
  complete(...given: [...C, input: HostInput<CompletionInput>]): Promise<PaymentResult>;
  /**
   * Records an outcome that the gateway reported outside a call; the gateway is not asked.
   * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) unless the transaction is pending.
   */
  recordNotifiedOutcome(...given: [...C, input: HostInput<NotifiedOutcomeInput>]): Promise<PaymentResult>;
}

/** An account by its id or external key, otherwise a new one. */
export interface ComboAccount extends AccountInput {
  readonly accountId?: Uuid | null;
}

/** A method of the account by its id or external key, otherwise a new one; none without a plugin name. */
export interface ComboPaymentMethod extends Pick<PaymentMethodInput, 'details'> {
  readonly paymentMethodId?: Uuid | null;
  readonly pluginName?: string | null;
  readonly externalKey?: string | null;
}

/** Account and payment method of a combined request; created ones stay in any case. */
export interface ComboParties {
  readonly account: ComboAccount;
  /** Default: the account's default method. */
  readonly paymentMethod?: ComboPaymentMethod | null;
  /** Plugin properties for adding the method. */
  readonly paymentMethodProperties?: readonly PluginProperty[];
  /** What may be created; default: both. */
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
   * and transaction are checked in this order before anything is written. A new method becomes the default if it is the
   * account's first.
   * @throws BillingError as `authorize`, `accounts.create` and `paymentMethods.add`; ACCOUNT_DOES_NOT_EXIST_FOR_ID
   * (3002), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) if creation is not allowed, PRECONDITION_FAILED (60006) for another
   * type of transaction, MISSING_OR_INVALID_FIELD (60003) without an amount.
   */
  combo(...given: [...C, input: HostInput<ComboPaymentInput>]): Promise<PaymentResult>;
}

/** The retry of a transaction, by its id, otherwise by its external key. */
export interface ScheduledRetryInput {
  readonly transactionId?: Uuid | null;
  readonly transactionExternalKey?: string | null;
}

/** A correction of a transaction and its payment. */
export interface TransactionFixInput {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: FixedStatus;
  /** State of the payment. Default: by type and status of the transaction. */
  readonly stateName?: PaymentStateName | null;
  /**
   * The state that decides the next operations. Default for the payment's latest transaction: the new state if it is a
   * success, otherwise the latest earlier success; otherwise unchanged.
   */
  readonly lastSuccessStateName?: PaymentStateName | null;
  /** The processed amount, if it differs from the requested one. */
  readonly processedAmount?: Decimal | null;
  readonly processedCurrency?: string | null;
  /** With `IPCD_RETRIES` = `true`, a failed payment of an invoice is retried. */
  readonly properties?: readonly PluginProperty[];
}

/** Operators' corrections of payments. */
export interface PaymentRepairOperations<C extends Leading = []> {
  /**
   * Cancels the planned retry of the latest attempt with the transaction's external key, if there is one. The attempt
   * stays RETRIED.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020) for an unknown transaction id, PAYMENT_INVALID_PARAMETER (7031)
   * with neither id nor key.
   */
  cancelScheduledRetry(...given: [...C, input: HostInput<ScheduledRetryInput>]): Promise<void>;

  /**
   * Corrects the recorded outcome of a transaction without asking the gateway. Events, the invoice's balance, its
   * attempt and its retry follow the new status.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020), PAYMENT_INVALID_PARAMETER (7031),
   * PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030) if another transaction of the key has succeeded or is open too,
   * PAYMENT_INTERNAL_ERROR (7019, `facts.isBusy`) while a call of the payment is running.
   */
  fixTransaction(...given: [...C, input: HostInput<TransactionFixInput>]): Promise<PaymentResult>;
}

export interface PaymentReadOptions extends PluginInfoOptions {
  /** Default false. */
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

  /** Returns the (latest) payment with this transaction key. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  ofTransactionKey(
    ...given: [...C, transactionExternalKey: string, options?: HostInput<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /** Returns a payment with its invoice, if it has one. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  invoicePayment(
    ...given: [...C, paymentId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<InvoicePaymentView>;

  /** Returns the account's payments, oldest first. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<readonly PaymentView[]>;

  /** Returns the account's payments with their invoices, oldest first. @throws BillingError as `ofAccount`. */
  invoicePaymentsOfAccount(
    ...given: [...C, accountId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;

  /** Returns all payments of the invoice, oldest first. @throws BillingError INVOICE_NOT_FOUND (4006). */
  invoicePaymentsOfInvoice(
    ...given: [...C, invoiceId: Uuid | string, options?: HostInput<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;
}

/** A page of payments, and the options of each. */
export interface PaymentListRequest extends PageRequest, PaymentReadOptions {
  /** Selects payments of this gateway. Default: all gateways. */
  readonly pluginName?: string | null;
}

/** Lists of the tenant's payments. A page takes a constant number of queries, with attempts too. */
export interface PaymentListOperations<C extends Leading = []> {
  /**
   * Returns a page of the tenant's payments in creation order with their counts.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028).
   */
  page(...given: [...C, request: HostInput<PaymentListRequest>]): Promise<Page<PaymentView>>;

  /**
   * Returns a page of payments whose own, account or method id is the key, or whose external key or state name (such as
   * `_FAILED`) contains it, or that match the clauses of a key in operator form (http-api §8). With `pluginName`, that
   * gateway searches its own books, without payments unknown here; a gateway without a search is searched in our
   * payments.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid key in operator form, PAYMENT_NO_SUCH_PAYMENT_PLUGIN
   * (7028), PAYMENT_PLUGIN_SEARCH_PAYMENTS (7105) if the gateway's search fails.
   */
  search(...given: [...C, key: string, request: HostInput<PaymentListRequest>]): Promise<Page<PaymentView>>;
}

export interface InvoicePaymentInput extends ControlledInput {
  readonly invoiceId: Uuid;
  /** The account of the invoice, to be checked if given. */
  readonly accountId?: Uuid | null;
  /** Default: the balance. */
  readonly amount?: Decimal | null;
  /** Default: the account's default method; not with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /** Whether it was paid by check, cash or transfer; default false. */
  readonly isExternal?: boolean;
  readonly externalKey?: string | null;
  readonly transactionExternalKey?: string | null;
}

/** Payment of all unpaid invoices. */
export interface PayAllInput extends ControlledInput {
  readonly accountId: Uuid;
  /** The amount to spend, on the oldest invoice first; default: the whole debt. */
  readonly amount?: Decimal | null;
  /** Default: the account's default method; not with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /** Whether it was paid by check, cash or transfer, so that the rest becomes account credit; default false. */
  readonly isExternal?: boolean;
  /** Whether the rest may become account credit; otherwise it is refused without a payment; default true. */
  readonly mayCredit?: boolean;
  /** Invoices up to this target date; default today in the account's zone. */
  readonly targetDate?: LocalDate | null;
}

/** The invoices that were tried, oldest first, including unpaid ones. */
export interface PaidInvoices {
  readonly invoiceIds: readonly Uuid[];
  /** Their earliest and latest target date. */
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
}

export interface InvoiceRefundInput extends Omit<PaymentAmountInput, 'amount'> {
  readonly paymentId: Uuid;
  /** Default: the sum of the adjustments. */
  readonly amount?: Decimal | null;
  /** Whether the items of `adjustments` reduce the invoice; default false: the invoice is owed again. */
  readonly isAdjusted?: boolean;
  readonly adjustments?: readonly RefundAdjustmentInput[];
  /** Whether the refund is a separate payment through a different method. Default false. */
  readonly isExternal?: boolean;
  /** The method of the external payment, with `isExternal`. Default: the account's external method. */
  readonly paymentMethodId?: Uuid | null;
}

export interface InvoiceChargebackInput extends PaymentAmountInput {
  /** Whether a chargeback beyond the rest is recorded as a failed transaction instead of refused; default false. */
  readonly recordsExcess?: boolean;
}

/** Payments of invoices (payments §9). Errors as for operations on payments; a decline is not an error. */
export interface InvoicePaymentOperations<C extends Leading = []> {
  /**
   * Pays an invoice; returns null if nothing is due or it cannot be paid now.
   * @throws BillingError INVOICE_NOT_FOUND (4006), PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021),
   * PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_EXCEPTION (7199) for
   * more than the balance.
   */
  pay(...given: [...C, input: HostInput<InvoicePaymentInput>]): Promise<PaymentResult | null>;

  /**
   * Pays the unpaid invoices of an account, the oldest first, even if some fail; returns null if there were none.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_NO_SUCH_PAYMENT_METHOD (7000),
   * PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) if the rest must not become
   * credit.
   */
  payAll(...given: [...C, input: HostInput<PayAllInput>]): Promise<PaidInvoices | null>;

  /**
   * Refunds a paid invoice, which stays settled with adjustments and is owed again without.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_REFUND_AMOUNT_TOO_HIGH (4906),
   * INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST (4907), INVOICE_ITEMS_ADJUSTMENT_MISSING (4025).
   */
  refund(...given: [...C, input: HostInput<InvoiceRefundInput>]): Promise<PaymentResult>;

  /**
   * Records a chargeback of a paid invoice, which is owed again.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901),
   * INVOICE_CHARGE_BACK_AMOUNT_IS_NEGATIVE (4902).
   */
  chargeback(...given: [...C, input: HostInput<InvoiceChargebackInput>]): Promise<PaymentResult>;

  /**
   * Records that a chargeback has ended in the merchant's favor.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024).
   */
  reverseChargeback(...given: [...C, input: HostInput<ChargebackReversalInput>]): Promise<PaymentResult>;

  /** Asks the gateway again about a pending transaction. @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900). */
  complete(...given: [...C, input: HostInput<CompletionInput>]): Promise<PaymentResult>;
}
