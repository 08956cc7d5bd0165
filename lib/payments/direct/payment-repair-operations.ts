import type { Leading, PluginProperty } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { FixedStatus } from '../state/fixed-states.ts';
import type { PaymentStateName } from '../state/payment-state.ts';
import type { PaymentResult } from './direct-payment-operations.ts';

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
