import type { PluginProperty, TransactionType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** What a gateway says about one call (payments §2.1). ERROR = declined, CANCELED = certain that nothing happened. */
export const PluginStatus = {
  PROCESSED: 'PROCESSED',
  PENDING: 'PENDING',
  ERROR: 'ERROR',
  CANCELED: 'CANCELED',
  UNDEFINED: 'UNDEFINED',
} as const;
export type PluginStatus = (typeof PluginStatus)[keyof typeof PluginStatus];

/** Call context that plugins see. */
export interface GatewayContext {
  readonly tenantId: Uuid;
  readonly userName: string;
  readonly userToken: Uuid;
  /** Business instant of the call. */
  readonly now: Instant;
}

export interface GatewayRequest {
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  /** The idempotency key: the same id may be presented again and must not charge twice. */
  readonly transactionId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly properties: readonly PluginProperty[];
}

export interface GatewayResult {
  readonly kbPaymentId: Uuid;
  readonly kbTransactionPaymentId: Uuid;
  readonly transactionType: TransactionType;
  readonly status?: PluginStatus;
  readonly amount?: Decimal;
  readonly currency?: Currency;
  readonly createdDate: Instant;
  readonly effectiveDate: Instant;
  readonly gatewayError?: string;
  readonly gatewayErrorCode?: string;
  readonly firstPaymentReferenceId?: string;
  readonly secondPaymentReferenceId?: string;
  readonly properties: readonly PluginProperty[];
}

export interface GatewayCapabilities {
  /** Default true. */
  readonly holdsPaymentMethods?: boolean;
  /**
   * Default false; true = it does nothing outside, so that the whole operation is one storage transaction and its outcome
   * is never unknown.
   */
  readonly sideEffectFree?: boolean;
  /**
   * Default false; true = `getPaymentInfo` lists every transaction that the gateway has ever received. A transaction that
   * is missing after its lease has ended then never reached the gateway: recovery books CANCELED (nothing happened)
   * instead of leaving the outcome unknown.
   */
  readonly completeLedger?: boolean;
}

/**
 * One payment gateway, registered under `name` (payments §2.1). Called outside any storage transaction and without a
 * lock, at least once per transaction id, within `payment.plugin.timeout`. A thrown `GatewayError` is a declared error;
 * any other throw, a timeout or an absent status means that nobody knows what happened. Automatic payment calls
 * `purchase` only; the payment operations that need the others call them.
 */
export interface PaymentGateway {
  readonly name: string;
  readonly capabilities?: GatewayCapabilities;
  /** Takes `amount` from the payment method. Null counts as an absent status. */
  purchase(request: GatewayRequest, context: GatewayContext): Promise<GatewayResult | null>;
  /** Every transaction of the payment that the gateway knows; recovery reads outcomes from it. */
  getPaymentInfo(
    request: {
      readonly accountId: Uuid;
      readonly paymentId: Uuid;
      readonly properties: readonly PluginProperty[];
    },
    context: GatewayContext,
  ): Promise<readonly GatewayResult[]>;
  addPaymentMethod(
    request: {
      readonly accountId: Uuid;
      readonly paymentMethodId: Uuid;
      readonly details: PaymentMethodDetails;
      readonly setDefault: boolean;
      readonly properties: readonly PluginProperty[];
    },
    context: GatewayContext,
  ): Promise<void>;
  getPaymentMethodDetail(
    request: {
      readonly accountId: Uuid;
      readonly paymentMethodId: Uuid;
      readonly properties: readonly PluginProperty[];
    },
    context: GatewayContext,
  ): Promise<PaymentMethodDetails>;
  setDefaultPaymentMethod(
    request: {
      readonly accountId: Uuid;
      readonly paymentMethodId: Uuid;
      readonly properties: readonly PluginProperty[];
    },
    context: GatewayContext,
  ): Promise<void>;
}

export interface PaymentMethodDetails {
  readonly externalPaymentMethodId: string | null;
  readonly isDefaultPaymentMethod: boolean;
  readonly properties: readonly PluginProperty[];
}

/** A gateway's own, declared error: answered as 400 (7199), the transaction stays unknown (payments §2.2). */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
}
