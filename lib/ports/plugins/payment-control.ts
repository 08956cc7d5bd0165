import type { PluginProperty, TransactionType } from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** The operation for which a control plugin is called (payments §2.3 rule 4). */
export interface PaymentControlContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid | null;
  readonly paymentMethodId: Uuid | null;
  readonly paymentPluginName: string | null;
  /** The attempt that records this run, or null for payment methods and hosted pages. */
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
  /** The amount that the gateway has processed, or null before the gateway was called. */
  readonly processedAmount: Decimal | null;
  readonly processedCurrency: Currency | null;
  /** False for an automatic payment or a retry. */
  readonly isApiPayment: boolean;
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly userToken: Uuid;
}

/** Changes that a control plugin makes before the operation. Absent fields change nothing. */
export interface PriorCallResult {
  /** If true, rejects the call with 422. */
  readonly isAborted?: boolean;
  /** Payment method. It is used only if the call names no method, or if `payment.method.overwrite` is set. */
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
  /**
   * Time at which the operation is run again, as a `Date` or ISO text. If several plugins return a time, the earliest
   * time is used.
   */
  readonly nextRetryDate?: Date | string | null;
}

/**
 * Controls operations on payments (payments §2.3). Plugins are registered under `name` and called before and after an
 * operation, outside storage transactions, with the time limit `payment.plugin.timeout`. If `priorCall` throws, the
 * operation ends; the caller gets a `BillingError` unchanged. Errors of the other two methods are logged. Arguments
 * are frozen: only results have an effect.
 */
export interface PaymentControl extends PluginIdentity {
  readonly name: string;
  priorCall?(
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ): Promise<HostInput<PriorCallResult> | null>;
  /** Called after SUCCESS and PENDING. */
  onSuccessCall?(
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ): Promise<SuccessCallResult | null>;
  /** Called after every status except SUCCESS and PENDING, and after errors that occur after the prior calls. */
  onFailureCall?(
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ): Promise<FailureCallResult | null>;
}
