import type { PluginProperty, TransactionType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

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

/** What every operation on a transaction tells: that of VOID, which has no amount. */
export interface GatewayTransaction {
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  /** The idempotency key: the same id may be presented again and must have its effect once only. */
  readonly transactionId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly properties: readonly PluginProperty[];
  /**
   * True: it was presented before and is pending (payments §6.1), so that what happened to it then counts: that nothing
   * could be submitted now is no CANCELED. Absent: it is new.
   */
  readonly isCompletion?: boolean;
}

export interface GatewayRequest extends GatewayTransaction {
  readonly amount: Decimal;
  readonly currency: Currency;
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
  /**
   * Why it declined, in one of the words of `PaymentResponse`, by which conditions of overdue states may ask; any other
   * counts as OTHER.
   */
  readonly paymentResponse?: string;
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
   * recovery does not find there, minutes after its call was over or given up, then never reached the gateway: it books
   * CANCELED (nothing happened) instead of leaving the outcome unknown. So a request must not travel for longer.
   */
  readonly completeLedger?: boolean;
}

/** An operation that moves money, or promises to. Null counts like an absent status: nobody knows what happened. */
export type GatewayOperation<R extends GatewayTransaction = GatewayRequest> = (
  request: R,
  context: GatewayContext,
) => Promise<GatewayResult | null>;

/** Which payment is asked about. */
export interface PaymentQuestion {
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  readonly properties: readonly PluginProperty[];
}

/** Which payment method is spoken of. */
export interface PaymentMethodQuestion {
  readonly accountId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly properties: readonly PluginProperty[];
}

/** What is searched for in a gateway's own books. */
export interface GatewaySearch {
  readonly searchKey: string;
  /** Hits before this one are left out; the oldest comes first. */
  readonly offset: number;
  /** 0 = only the number of hits is asked for. */
  readonly limit: number;
  readonly properties: readonly PluginProperty[];
}

/** A page of hits, with the number of all of them. */
export interface GatewayPage<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** A payment method as a gateway has it. */
export interface GatewayPaymentMethod {
  /** Our id; absent = a method that we have not heard of. */
  readonly paymentMethodId?: Uuid;
  readonly externalPaymentMethodId?: string | null;
  readonly isDefault?: boolean;
}

/** What a page of the gateway's own needs, on which the customer pays or adds a method (payments §11). */
export interface HostedForm {
  readonly kbAccountId: Uuid;
  readonly formMethod?: string | null;
  readonly formUrl?: string | null;
  readonly formFields?: Readonly<Record<string, unknown>> | null;
  readonly properties?: Readonly<Record<string, unknown>> | null;
}

/** A dispute of a payment as the processor has it now: a chargeback while the network has the money (payments §11.2). */
export interface GatewayDispute {
  /** The processor's own id of it, at most 255 characters: the key of the chargeback. */
  readonly reference: string;
  /** More than 0. */
  readonly amount: Decimal;
  readonly currency: Currency;
  /** True while the money is gone; false = it was never taken, or has been given back. */
  readonly stands: boolean;
}

/** What a gateway answers to a notification of its own (payments §11.2). */
export interface NotificationAnswer {
  /** The payment that it is about, one of this gateway: if an outcome of it is open, `getPaymentInfo` is asked for it. */
  readonly kbPaymentId?: Uuid;
  /** A dispute of that payment, as it is now whatever the notification says: its chargeback is recorded, or reversed. */
  readonly dispute?: GatewayDispute;
  /** Status of the HTTP answer, 200–599; default 200. */
  readonly status?: number;
  readonly entity?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly properties?: readonly PluginProperty[];
}

/**
 * One payment gateway, registered under `name` (payments §2.1). Called outside any storage transaction and without
 * a lock, at least once per transaction id, within `payment.plugin.timeout`. A throw of `GatewayError` is a declared
 * plugin error, any other throw, a timeout or an absent status means that nobody knows what happened. What a gateway
 * cannot do it leaves out: an operation that it lacks is refused (400) before anything is stored; of payment methods,
 * one that need not be told of them is not. What it is given is frozen: only its answers count.
 */
export interface PaymentGateway extends PluginIdentity {
  readonly name: string;
  readonly capabilities?: GatewayCapabilities;
  /** Takes `amount` from the payment method; what automatic payment asks for. */
  readonly purchase: GatewayOperation;
  /** Promises `amount`, to be captured later; 0 only checks the method. */
  readonly authorize?: GatewayOperation;
  /** Takes `amount` of what was authorized; may come several times. */
  readonly capture?: GatewayOperation;
  /** Gives `amount` of what was taken back. */
  readonly refund?: GatewayOperation;
  /** Sends `amount` to the payment method without a payment before. */
  readonly credit?: GatewayOperation;
  /** Takes the latest successful transaction back before money has moved. */
  readonly void?: GatewayOperation<GatewayTransaction>;
  /** Every transaction the gateway knows of the payment; recovery reads outcomes from it. */
  getPaymentInfo(request: PaymentQuestion, context: GatewayContext): Promise<readonly GatewayResult[]>;
  searchPayments?(search: GatewaySearch, context: GatewayContext): Promise<GatewayPage<GatewayResult>>;
  searchPaymentMethods?(
    search: GatewaySearch,
    context: GatewayContext,
  ): Promise<GatewayPage<GatewayPaymentMethod>>;
  /** Hears of a new method before it is stored; a throw refuses it. */
  addPaymentMethod?(
    request: PaymentMethodQuestion & {
      readonly details: PaymentMethodDetails;
      readonly setDefault: boolean;
    },
    context: GatewayContext,
  ): Promise<void>;
  /** Hears that the method is no longer used; a throw keeps it. */
  deletePaymentMethod?(request: PaymentMethodQuestion, context: GatewayContext): Promise<void>;
  getPaymentMethodDetail?(
    request: PaymentMethodQuestion,
    context: GatewayContext,
  ): Promise<PaymentMethodDetails>;
  setDefaultPaymentMethod?(request: PaymentMethodQuestion, context: GatewayContext): Promise<void>;
  /** The methods of the account as the gateway has them; null = it keeps none. */
  getPaymentMethods?(
    request: {
      readonly accountId: Uuid;
      /** Whether what the processor itself holds is to be looked at anew. */
      readonly refreshFromGateway: boolean;
      readonly properties: readonly PluginProperty[];
    },
    context: GatewayContext,
  ): Promise<readonly GatewayPaymentMethod[] | null>;
  /** Hears at the end of a refresh which methods of the account there are now. */
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
  ): Promise<HostedForm>;
  /** Reads a notification that the processor has sent. Processors repeat them: its work is idempotent. */
  processNotification?(
    request: { readonly body: string; readonly properties: readonly PluginProperty[] },
    context: GatewayContext,
  ): Promise<NotificationAnswer>;
  /** True only if the processor's signature over the raw body is right; absent = notifications need credentials. */
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

/** A gateway's own, declared error: answered as 400 (7199), the transaction stays unknown (payments §2.2). */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
}
