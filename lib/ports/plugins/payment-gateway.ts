import type { PluginProperty, TransactionType } from '../../records/index.ts';
import { enumeration } from '../../values/fields/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/**
 * The outcome of one call (payments §2.1). ERROR means that the gateway declined the operation. CANCELED means that it
 * is certain that nothing happened.
 */
export const PluginStatus = enumeration('PROCESSED', 'PENDING', 'ERROR', 'CANCELED', 'UNDEFINED');
export type PluginStatus = keyof typeof PluginStatus;

export interface GatewayContext {
  readonly tenantId: Uuid;
  readonly userName: string;
  readonly userToken: Uuid;
  /** Business instant of the call. */
  readonly now: Date;
}

/** The fields of every transaction request. VOID has no amount. */
export interface GatewayTransaction {
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  /** The idempotency key. A request that is repeated with the same id must take effect only once. */
  readonly transactionId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly properties: readonly PluginProperty[];
  /**
   * True if the transaction was sent before and is pending (payments §6.1). The result must be its earlier outcome. If
   * this request cannot be sent, the result is not CANCELED.
   */
  readonly isCompletion?: boolean;
}

export interface GatewayRequest extends GatewayTransaction {
  readonly amount: Decimal;
  readonly currency: Currency;
}

/** One of the values of `T`, or any other text. The engine validates it when it reads the result. */
export type OpenText<T extends string> = T | (string & Record<never, never>);

/** The gateway's record of one transaction. The engine validates it, so gateways need no type casts. */
export interface GatewayResult {
  readonly kbPaymentId: Uuid | string;
  readonly kbTransactionPaymentId: Uuid | string;
  readonly transactionType: OpenText<TransactionType>;
  readonly status?: OpenText<PluginStatus>;
  /** Processed amount. A number, and any amount with too many digits, is rounded to the minor unit of the currency. */
  readonly amount?: Decimal | string | number;
  readonly currency?: OpenText<Currency>;
  /** Creation date of the transaction, as a `Date` or ISO text. `effectiveDate` has the same type. */
  readonly createdDate: Date | string;
  readonly effectiveDate: Date | string;
  readonly gatewayError?: string;
  readonly gatewayErrorCode?: string;
  readonly firstPaymentReferenceId?: string;
  readonly secondPaymentReferenceId?: string;
  /** Reason for a decline, one of `PaymentResponse`. Overdue conditions can use it. Any other text counts as OTHER. */
  readonly paymentResponse?: string;
  readonly properties: readonly PluginProperty[];
}

export interface GatewayCapabilities {
  /** True (the default) if the gateway stores payment methods. */
  readonly holdsPaymentMethods?: boolean;
  /**
   * True if the gateway has no external effects. An operation is then one storage transaction, and its outcome is never
   * unknown. Defaults to false.
   */
  readonly sideEffectFree?: boolean;
  /**
   * True if `getPaymentInfo` lists every transaction that the gateway ever received. If a transaction is missing,
   * recovery records it as CANCELED instead of UNKNOWN a few minutes after its call ended, so no request may take
   * longer than that. Defaults to false.
   */
  readonly completeLedger?: boolean;
}

/** An operation that moves or promises money. A null result has no status, so the outcome is unknown. */
export type GatewayOperation<R extends GatewayTransaction = GatewayRequest> = (
  request: R,
  context: GatewayContext,
) => Promise<GatewayResult | null>;

export interface PaymentQuestion {
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  readonly properties: readonly PluginProperty[];
}

export interface PaymentMethodQuestion {
  readonly accountId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly properties: readonly PluginProperty[];
}

/** A search of the gateway's own records. */
export interface GatewaySearch {
  readonly searchKey: string;
  /** Number of hits to skip. Hits are sorted from oldest to newest. */
  readonly offset: number;
  /** Maximum number of hits. With 0, only the number of hits is returned. */
  readonly limit: number;
  readonly properties: readonly PluginProperty[];
}

export interface GatewayPage<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

export interface GatewayPaymentMethod {
  /** Id of the method in the engine. The field is absent for a method that the engine does not know. */
  readonly paymentMethodId?: Uuid;
  readonly externalPaymentMethodId?: string | null;
  readonly isDefault?: boolean;
}

/** The data of the gateway's hosted page, on which the customer pays or adds a method (payments §11). */
export interface HostedForm {
  readonly kbAccountId: Uuid;
  readonly formMethod?: string | null;
  readonly formUrl?: string | null;
  readonly formFields?: Readonly<Record<string, unknown>> | null;
  readonly properties?: Readonly<Record<string, unknown>> | null;
}

/**
 * The current state of a dispute. The dispute is a chargeback while the card network holds the money (payments §11.2).
 */
export interface GatewayDispute {
  /** The processor's id of the dispute, at most 255 characters. It becomes the key of the chargeback. */
  readonly reference: string;
  /** Disputed amount, greater than 0. */
  readonly amount: Decimal | string | number;
  readonly currency: OpenText<Currency>;
  /** True while the money is withdrawn. False if it was never withdrawn or has been returned. */
  readonly stands: boolean;
}

/** The gateway's response to a notification that it received (payments §11.2). */
export interface NotificationAnswer {
  /** The affected payment. If its outcome is open, the engine calls `getPaymentInfo`. */
  readonly kbPaymentId?: Uuid | string;
  /** The current dispute of that payment. The engine records or reverses its chargeback. */
  readonly dispute?: GatewayDispute;
  /** Status of the HTTP response, from 200 to 599. Defaults to 200. */
  readonly status?: number;
  readonly entity?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly properties?: readonly PluginProperty[];
}

/**
 * A payment gateway, registered under `name` (payments §2.1). Operations are called outside storage transactions and
 * without a lock, at least once per transaction id, with the time limit `payment.plugin.timeout`. A `GatewayError` is
 * a declared plugin error. After any other error, a timeout or a missing status, the outcome is unknown. A call of a
 * missing operation is rejected (400) before anything is stored. The members for payment methods are optional.
 * Arguments are frozen: only results have an effect.
 */
export interface PaymentGateway extends PluginIdentity {
  readonly name: string;
  /**
   * The same gateway under its former name, for stored payment methods that have that name. The engine registers the
   * former name too, unless the host registers another gateway under that name.
   */
  readonly formerly?: PaymentGateway;
  readonly capabilities?: GatewayCapabilities;
  /** Charges `amount` to the payment method. Automatic payments use this operation. */
  readonly purchase: GatewayOperation;
  /** Reserves `amount` for a later capture. An amount of 0 only checks the method. */
  readonly authorize?: GatewayOperation;
  /** Captures part or all of the authorized amount. May be called several times. */
  readonly capture?: GatewayOperation;
  /** Refunds `amount` of the captured money. */
  readonly refund?: GatewayOperation;
  /** Sends `amount` to the payment method without an earlier payment. */
  readonly credit?: GatewayOperation;
  /** Reverses the latest successful transaction. This is possible only if no money has moved. */
  readonly void?: GatewayOperation<GatewayTransaction>;
  /** Returns all transactions of the payment. Recovery reads their outcomes from the result. */
  getPaymentInfo(request: PaymentQuestion, context: GatewayContext): Promise<readonly GatewayResult[]>;
  searchPayments?(search: GatewaySearch, context: GatewayContext): Promise<GatewayPage<GatewayResult>>;
  searchPaymentMethods?(
    search: GatewaySearch,
    context: GatewayContext,
  ): Promise<GatewayPage<HostInput<GatewayPaymentMethod>>>;
  /** Called before a new method is stored. An error rejects the method. */
  addPaymentMethod?(
    request: PaymentMethodQuestion & {
      readonly details: PaymentMethodDetails;
      readonly setDefault: boolean;
    },
    context: GatewayContext,
  ): Promise<void>;
  /** Called before the method is deleted. An error prevents the deletion. */
  deletePaymentMethod?(request: PaymentMethodQuestion, context: GatewayContext): Promise<void>;
  getPaymentMethodDetail?(
    request: PaymentMethodQuestion,
    context: GatewayContext,
  ): Promise<PaymentMethodDetails>;
  setDefaultPaymentMethod?(request: PaymentMethodQuestion, context: GatewayContext): Promise<void>;
  /** Returns the account's methods that the gateway knows, or null if the gateway does not store methods. */
  getPaymentMethods?(
    request: {
      readonly accountId: Uuid;
      /** If true, the gateway must reload the methods from the processor. */
      readonly refreshFromGateway: boolean;
      readonly properties: readonly PluginProperty[];
    },
    context: GatewayContext,
  ): Promise<readonly HostInput<GatewayPaymentMethod>[] | null>;
  /** Called at the end of a refresh, with the account's current methods. */
  resetPaymentMethods?(
    request: { readonly accountId: Uuid; readonly paymentMethods: readonly GatewayPaymentMethod[] },
    context: GatewayContext,
  ): Promise<void>;
  buildFormDescriptor?(
    request: {
      readonly accountId: Uuid;
      readonly customFields: readonly PluginProperty[];
      readonly properties: readonly PluginProperty[];
    },
    context: GatewayContext,
  ): Promise<HostInput<HostedForm>>;
  /** Handles a notification from the processor. Must be idempotent, because processors repeat notifications. */
  processNotification?(
    request: { readonly body: string; readonly properties: readonly PluginProperty[] },
    context: GatewayContext,
  ): Promise<NotificationAnswer>;
  /**
   * Returns true only if the processor's signature of the raw body is valid. If this function is absent, notifications
   * require credentials.
   */
  verifyNotification?(
    request: {
      readonly rawBody: Uint8Array;
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
      readonly query: string;
    },
    context: GatewayContext,
  ): Promise<boolean>;
}

export interface PaymentMethodDetails {
  readonly externalPaymentMethodId: string | null;
  readonly isDefaultPaymentMethod: boolean;
  readonly properties: readonly PluginProperty[];
}

/** An error that a gateway declares. The caller gets 400 (7199), and the transaction stays UNKNOWN (payments §2.2). */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
}
