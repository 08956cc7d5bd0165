import type { PluginProperty, TransactionType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** What an operation is about that a control plugin is asked about (payments §2.3 rule 4). */
export interface PaymentControlContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid | null;
  readonly paymentMethodId: Uuid | null;
  /** Name of the gateway. */
  readonly paymentPluginName: string | null;
  /** The attempt that records this run; null where none is written: methods and hosted pages. */
  readonly attemptId: Uuid | null;
  readonly paymentId: Uuid | null;
  readonly paymentExternalKey: string | null;
  readonly transactionId: Uuid | null;
  readonly transactionExternalKey: string | null;
  readonly paymentApiType: 'PAYMENT_TRANSACTION' | 'PAYMENT_METHOD' | 'HPP';
  readonly transactionType: TransactionType | null;
  readonly hppType: 'BUILD_FORM_DESCRIPTOR' | 'PROCESS_NOTIFICATION' | null;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  /** What the gateway has processed; null before its call. */
  readonly processedAmount: Decimal | null;
  readonly processedCurrency: Currency | null;
  /** False: the engine pays by itself, or tries again. */
  readonly isApiPayment: boolean;
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly userToken: Uuid;
}

/** What a control plugin makes of an operation before it runs; what is not given stays. */
export interface PriorCallResult {
  /** True: nothing happens, the call is answered 422. */
  readonly isAborted?: boolean;
  /** Only where none was named, unless `payment.method.overwrite` is set. */
  readonly adjustedPaymentMethodId?: Uuid | null;
  readonly adjustedPluginName?: string | null;
  readonly adjustedAmount?: Decimal | null;
  readonly adjustedCurrency?: Currency | null;
  readonly adjustedProperties?: readonly PluginProperty[] | null;
}

export interface SuccessCallResult {
  readonly adjustedProperties?: readonly PluginProperty[] | null;
}

export interface FailureCallResult extends SuccessCallResult {
  /** When the operation is to run again; of several plugins the earliest counts. */
  readonly nextRetryDate?: Date | null;
}

/**
 * Stands before and behind operations on payments, registered under `name` (payments §2.3). Called outside any storage
 * transaction, within `payment.plugin.timeout`. A throw of `priorCall` ends the operation: a `BillingError` is answered as
 * it is. What the other two throw is logged. What it is given is frozen: only its answers count.
 */
export interface PaymentControl extends PluginIdentity {
  readonly name: string;
  priorCall?(
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ): Promise<PriorCallResult | null>;
  /** After SUCCESS and PENDING. */
  onSuccessCall?(
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ): Promise<SuccessCallResult | null>;
  /** After every other status, and after errors behind the prior calls. */
  onFailureCall?(
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ): Promise<FailureCallResult | null>;
}
