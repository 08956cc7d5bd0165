import type { Leading, PluginProperty, TransactionType } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { PaymentTransactionView, PaymentView } from '../views/payment-view.ts';

/** A payment after an operation, and the transaction that the operation made or completed: its status tells how it went. */
export interface PaymentResult {
  readonly payment: PaymentView;
  readonly transaction: PaymentTransactionView;
}

/** What every operation on a payment may say. */
export interface OperationInput {
  /** The client's own key of the transaction; one that has succeeded is not run again (7030). Default: its id. */
  readonly transactionExternalKey?: string | null;
  /** Default: now. */
  readonly effectiveDate?: Instant | null;
  /** Control plugins by name, in their order; default those of the tenant (payments §2.3). */
  readonly controlPlugins?: readonly string[];
  /** Plugin properties of the call. */
  readonly properties?: readonly PluginProperty[];
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
