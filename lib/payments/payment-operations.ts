import type {
  AccountInput,
  Leading,
  Page,
  PageRequest,
  PluginProperty,
  TransactionType,
} from '../records/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { Instant, LocalDate } from '../values/time/index.ts';
import type { PaymentMethodInput } from './methods/payment-method-operations.ts';
import type { RefundAdjustmentInput } from './planning/refund-adjustments.ts';
import type { ControlledInput, PluginInfoOptions } from './plugins/gateway-info.ts';
import type { PaymentStateName } from './state/payment-state.ts';
import type { InvoicePaymentView, PaymentTransactionView, PaymentView } from './state/payment-view.ts';
import type { FixedStatus } from './state/transaction-outcome.ts';

/** What was paid, and how it went; operations on payments. */
export interface PaymentOperations<C extends Leading = []>
  extends PaymentReadOperations<C>,
    PaymentListOperations<C>,
    DirectPaymentOperations<C>,
    ComboOperations<C>,
    PaymentRepairOperations<C> {}

/** A payment after an operation, and the transaction that the operation made or completed: its status tells how it went. */
export interface PaymentResult {
  readonly payment: PaymentView;
  readonly transaction: PaymentTransactionView;
}

/** What every operation on a payment may say. */
export interface OperationInput extends ControlledInput {
  /** The client's own key of the transaction; one that has succeeded is not run again (7030). Default: its id. */
  readonly transactionExternalKey?: string | null;
  /** Default: now. */
  readonly effectiveDate?: Instant | null;
}

/** A payment to begin, or to try again after a failure. */
export interface NewPaymentInput extends OperationInput {
  readonly accountId: Uuid;
  /** More than 0; of an authorization 0 checks the method. */
  readonly amount: Decimal;
  /** Default: the account's. */
  readonly currency?: string | null;
  /** Default: the account's default method. */
  readonly paymentMethodId?: Uuid | null;
  /** A payment of the account that is to be tried again. */
  readonly paymentId?: Uuid | null;
  /** The client's own key of the payment. Default: its id. */
  readonly externalKey?: string | null;
}

/** Which payment: by its id, else by its key. */
export interface OfPayment extends OperationInput {
  readonly paymentId?: Uuid | null;
  readonly externalKey?: string | null;
}

/** More of a payment: of what was authorized, or of what was taken. */
export interface PaymentAmountInput extends OfPayment {
  readonly amount: Decimal;
  /** Default: the account's. */
  readonly currency?: string | null;
}

export interface VoidInput extends OfPayment {}

export interface ChargebackReversalInput extends OfPayment {
  /** Key of the chargeback that has ended. */
  readonly transactionExternalKey: string;
}

/** Which pending transaction of which payment; what is not given is not looked at. */
export interface CompletionInput extends OfPayment {
  readonly transactionId?: Uuid | null;
  readonly transactionType?: TransactionType | null;
  /** Told to the gateway instead of what is stored; what is stored stays. */
  readonly amount?: Decimal | null;
  readonly currency?: string | null;
}

/** How a pending transaction has ended, as the gateway has told by another way. */
export interface NotifiedOutcomeInput {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: NotifiedStatus;
}

/** A gateway's decline, or a call that never reached it, are both a failure of the payment. */
export type NotifiedStatus = 'SUCCESS' | 'PAYMENT_FAILURE' | 'PLUGIN_FAILURE';

/**
 * Operations on payments (payments §4). Each answers when its outcome is recorded; a gateway that declines, or cannot
 * say, is no error: `transaction.status` tells. They throw when nobody knows what happened: PAYMENT_PLUGIN_TIMEOUT
 * (7100), PAYMENT_PLUGIN_EXCEPTION (7199) for an error that the gateway declares, PAYMENT_INTERNAL_ERROR (7019) for any
 * other; `facts.paymentId` names the payment, which recovery settles.
 *
 * All throw BillingError PAYMENT_INVALID_OPERATION (7032) where the payment's state forbids it,
 * PAYMENT_INVALID_PARAMETER (7031), PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030), PAYMENT_NO_SUCH_PAYMENT (7020),
 * PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_API_ABORTED (7106) when a
 * control plugin stops it, and PAYMENT_INTERNAL_ERROR (7019, `facts.isBusy`) when another call holds the payment:
 * nothing was attempted then.
 */
export interface DirectPaymentOperations<C extends Leading = []> {
  /** Has the gateway promise the amount, to be captured later. */
  authorize(...given: [...C, input: Given<NewPaymentInput>]): Promise<PaymentResult>;
  /** Takes the amount. */
  purchase(...given: [...C, input: Given<NewPaymentInput>]): Promise<PaymentResult>;
  /** Sends the amount to the payment method. It is no credit of the account. */
  credit(...given: [...C, input: Given<NewPaymentInput>]): Promise<PaymentResult>;
  /** Takes an amount of what was authorized; may come several times. */
  capture(...given: [...C, input: Given<PaymentAmountInput>]): Promise<PaymentResult>;
  /** Gives an amount back, at most what was taken and not given back yet. */
  refund(...given: [...C, input: Given<PaymentAmountInput>]): Promise<PaymentResult>;
  /** Takes the latest successful transaction back, before money has moved. */
  void(...given: [...C, input: Given<VoidInput>]): Promise<PaymentResult>;
  /** Records what the network has taken back; no gateway is asked. */
  chargeback(...given: [...C, input: Given<PaymentAmountInput>]): Promise<PaymentResult>;
  /**
   * Records that a chargeback has ended in the merchant's favour.
   * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) when no chargeback of the key stands.
   */
  reverseChargeback(...given: [...C, input: Given<ChargebackReversalInput>]): Promise<PaymentResult>;
  /** Asks the gateway once more for a pending transaction; one that has succeeded already is given as it is. */
  complete(...given: [...C, input: Given<CompletionInput>]): Promise<PaymentResult>;
  /**
   * Records how a pending transaction has ended, as the gateway has told by another way; it is not asked.
   * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) unless the transaction is pending.
   */
  recordNotifiedOutcome(...given: [...C, input: Given<NotifiedOutcomeInput>]): Promise<PaymentResult>;
}

/** An account by its id, else by its external key; else it is made of the rest. */
export interface ComboAccount extends AccountInput {
  readonly accountId?: Uuid | null;
}

/** A method of the account by its id, else by its external key; else it is added. Without a plugin's name it is none. */
export interface ComboPaymentMethod extends Pick<PaymentMethodInput, 'details'> {
  readonly paymentMethodId?: Uuid | null;
  readonly pluginName?: string | null;
  readonly externalKey?: string | null;
}

/** Account and payment method of a combined request; what is made stays, whatever becomes of the rest. */
export interface ComboParties {
  readonly account: ComboAccount;
  /** Default: the account's default method. */
  readonly paymentMethod?: ComboPaymentMethod | null;
  /** Plugin properties of the addition of the method. */
  readonly paymentMethodProperties?: readonly PluginProperty[];
  /** What may be made; default: all. */
  readonly mayCreate?: { readonly account: boolean; readonly paymentMethod: boolean };
}

export interface ComboPaymentInput
  extends ComboParties,
    Omit<NewPaymentInput, 'accountId' | 'paymentMethodId' | 'paymentId'> {
  readonly transactionType: 'AUTHORIZE' | 'PURCHASE' | 'CREDIT';
}

export interface ComboOperations<C extends Leading = []> {
  /**
   * Begins a payment together with its account and payment method, which are found or else made (payments §11). What is
   * given is checked in this order before anything is written: account, method, what may be made, transaction. A method
   * that is added becomes the default if it is the account's first.
   * @throws BillingError as `authorize`, `accounts.create` and `paymentMethods.add`; ACCOUNT_DOES_NOT_EXIST_FOR_ID
   * (3002), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for what may not be made, PRECONDITION_FAILED (60006) for another
   * type of transaction, MISSING_OR_INVALID_FIELD (60003) without an amount.
   */
  combo(...given: [...C, input: Given<ComboPaymentInput>]): Promise<PaymentResult>;
}

/** Which retry: that of a transaction, by its id, else by its external key. */
export interface ScheduledRetryInput {
  readonly transactionId?: Uuid | null;
  readonly transactionExternalKey?: string | null;
}

/** What a transaction, and with it its payment, really is. */
export interface TransactionFixInput {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: FixedStatus;
  /** State of the payment. Default: what type and status of the transaction imply. */
  readonly stateName?: PaymentStateName | null;
  /**
   * The state that decides what may be done next. Default, where the transaction is the payment's latest: the new state if
   * it is a success, else that of the latest success before; otherwise it stays.
   */
  readonly lastSuccessStateName?: PaymentStateName | null;
  /** What was really processed, where that is not what was requested. */
  readonly processedAmount?: Decimal | null;
  readonly processedCurrency?: string | null;
  /** `IPCD_RETRIES` = `true`: a payment of an invoice that has failed is tried again. */
  readonly properties?: readonly PluginProperty[];
}

/** What operators do about payments that went wrong. */
export interface PaymentRepairOperations<C extends Leading = []> {
  /**
   * Takes back the retry that is planned for the latest attempt with the transaction's external key; where there is none
   * nothing happens. The attempt stays RETRIED.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020) for an unknown transaction id, PAYMENT_INVALID_PARAMETER (7031)
   * with neither id nor key.
   */
  cancelScheduledRetry(...given: [...C, input: Given<ScheduledRetryInput>]): Promise<void>;

  /**
   * Says how a transaction has really ended, whatever is recorded of it; the gateway is not asked. What follows from its
   * status follows: events, the invoice's balance, the state of its attempt and of its retry.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020), PAYMENT_INVALID_PARAMETER (7031),
   * PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030) where another transaction of the key has succeeded or is open, beside one that is to be so too, PAYMENT_INTERNAL_ERROR (7019,
   * `facts.isBusy`) while a call of the payment is running.
   */
  fixTransaction(...given: [...C, input: Given<TransactionFixInput>]): Promise<PaymentResult>;
}

export interface PaymentReadOptions extends PluginInfoOptions {
  /** Default false. */
  readonly withAttempts?: boolean;
}

/** Reads of payments. */
export interface PaymentReadOperations<C extends Leading = []> {
  /** One payment. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  get(...given: [...C, paymentId: Uuid | string, options?: Given<PaymentReadOptions>]): Promise<PaymentView>;

  /** The payment with this external key. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  getByKey(...given: [...C, externalKey: string, options?: Given<PaymentReadOptions>]): Promise<PaymentView>;

  /** The payment of a transaction. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  ofTransaction(
    ...given: [...C, transactionId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /**
   * The payment of the transactions with this external key; of several payments that of the latest.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020).
   */
  ofTransactionKey(
    ...given: [...C, transactionExternalKey: string, options?: Given<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /**
   * One payment with the invoice that it pays, null of a direct one.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020).
   */
  invoicePayment(
    ...given: [...C, paymentId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<InvoicePaymentView>;

  /** The account's payments, oldest first. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<readonly PaymentView[]>;

  /**
   * The account's payments with the invoices that they pay, oldest first.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  invoicePaymentsOfAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;

  /**
   * Every payment of the invoice, failed ones included, oldest first.
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  invoicePaymentsOfInvoice(
    ...given: [...C, invoiceId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;
}

/** Which window, and what is shown of each payment. */
export interface PaymentListRequest extends PageRequest, PaymentReadOptions {
  /** Payments of this gateway only; default: of all. */
  readonly pluginName?: string | null;
}

/** Lists of the tenant's payments. A page takes a constant number of queries, with attempts too. */
export interface PaymentListOperations<C extends Leading = []> {
  /**
   * A window of the tenant's payments in creation order, with the counts that pagination headers show.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028).
   */
  page(...given: [...C, request: Given<PaymentListRequest>]): Promise<Page<PaymentView>>;

  /**
   * A window of the payments that have the key as their id, their account's or their method's, or in their external key;
   * of those in a state whose name contains it, such as `_FAILED`; or of those that meet the clauses of a key in operator
   * form (http-api §8). With `pluginName` that gateway searches its own books, and what it finds and we do not know is
   * left out; one without a search of its own is searched in our payments of it.
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read,
   * PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_SEARCH_PAYMENTS (7105) when the gateway's search fails.
   */
  search(...given: [...C, key: string, request: Given<PaymentListRequest>]): Promise<Page<PaymentView>>;
}

export interface InvoicePaymentInput extends ControlledInput {
  readonly invoiceId: Uuid;
  /** The account of the invoice, where it is to be checked. */
  readonly accountId?: Uuid | null;
  /** Default: the balance. */
  readonly amount?: Decimal | null;
  /** Default: the account's default method; not with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /** Whether it was paid by cheque, cash or transfer; default false. */
  readonly isExternal?: boolean;
  readonly externalKey?: string | null;
  readonly transactionExternalKey?: string | null;
}

/** Payment of all that is unpaid. */
export interface PayAllInput extends ControlledInput {
  readonly accountId: Uuid;
  /** What is spent, on the oldest invoice first; default all that is owed. */
  readonly amount?: Decimal | null;
  /** Default: the account's default method; not with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /** Whether it was paid by cheque, cash or transfer: what is left over becomes account credit then; default false. */
  readonly isExternal?: boolean;
  /** Whether what is left over may become account credit; if not it is refused, and nothing is paid; default true. */
  readonly mayCredit?: boolean;
  /** Invoices up to this target date; default today in the account's zone. */
  readonly targetDate?: LocalDate | null;
}

/** The invoices that were tried, oldest first, those that could not be paid included. */
export interface PaidInvoices {
  readonly invoiceIds: readonly Uuid[];
  /** The earliest and the latest target date of them. */
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
}

export interface InvoiceRefundInput extends Omit<PaymentAmountInput, 'amount'> {
  readonly paymentId: Uuid;
  /** Default: the sum of the adjustments. */
  readonly amount?: Decimal | null;
  /** Whether the items of `adjustments` are taken off the invoice too; default false: it owes the amount again. */
  readonly isAdjusted?: boolean;
  readonly adjustments?: readonly RefundAdjustmentInput[];
  /** Whether the money goes back another way than it came: by a payment of its own; default false. */
  readonly isExternal?: boolean;
  /** With `isExternal`: the method of that payment; default the account's external one. */
  readonly paymentMethodId?: Uuid | null;
}

export interface InvoiceChargebackInput extends PaymentAmountInput {
  /** Whether one of more than what is left is recorded as a failed transaction instead of refused; default false. */
  readonly recordsExcess?: boolean;
}

/**
 * Payments of invoices (payments §9). Errors as of the operations on payments; a gateway that declines is no error.
 */
export interface InvoicePaymentOperations<C extends Leading = []> {
  /**
   * Pays an invoice; null = there was nothing to pay, or it cannot be paid now.
   * @throws BillingError INVOICE_NOT_FOUND (4006), PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021),
   * PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_EXCEPTION (7199) for
   * more than is owed.
   */
  pay(...given: [...C, input: Given<InvoicePaymentInput>]): Promise<PaymentResult | null>;

  /**
   * Pays the unpaid invoices of an account, the oldest first; one that fails does not stop the others. Null = there was
   * none.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_NO_SUCH_PAYMENT_METHOD (7000),
   * PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for a rest that may not become
   * credit.
   */
  payAll(...given: [...C, input: Given<PayAllInput>]): Promise<PaidInvoices | null>;

  /**
   * Gives money of a paid invoice back; with adjustments the invoice stays settled, without it owes it again.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_REFUND_AMOUNT_TOO_HIGH (4906),
   * INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST (4907), INVOICE_ITEMS_ADJUSTMENT_MISSING (4025).
   */
  refund(...given: [...C, input: Given<InvoiceRefundInput>]): Promise<PaymentResult>;

  /**
   * Records what the network has taken back of a paid invoice: it owes it again.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901),
   * INVOICE_CHARGE_BACK_AMOUNT_IS_NEGATIVE (4902).
   */
  chargeback(...given: [...C, input: Given<InvoiceChargebackInput>]): Promise<PaymentResult>;

  /**
   * Records that a chargeback has ended in the merchant's favour.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024).
   */
  reverseChargeback(...given: [...C, input: Given<ChargebackReversalInput>]): Promise<PaymentResult>;

  /** Asks the gateway once more for a pending transaction. @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900). */
  complete(...given: [...C, input: Given<CompletionInput>]): Promise<PaymentResult>;
}
