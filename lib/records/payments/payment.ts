import {
  amount,
  bigint,
  currency,
  id,
  instant,
  json,
  key,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';

/** Why a gateway declined, in the words that conditions of overdue states use (overdue §1.1 rule 3). */
export const PaymentResponse = {
  INVALID_CARD: 'INVALID_CARD',
  EXPIRED_CARD: 'EXPIRED_CARD',
  LOST_OR_STOLEN_CARD: 'LOST_OR_STOLEN_CARD',
  DO_NOT_HONOR: 'DO_NOT_HONOR',
  INSUFFICIENT_FUNDS: 'INSUFFICIENT_FUNDS',
  DECLINE: 'DECLINE',
  PROCESSING_ERROR: 'PROCESSING_ERROR',
  INVALID_AMOUNT: 'INVALID_AMOUNT',
  DUPLICATE_TRANSACTION: 'DUPLICATE_TRANSACTION',
  OTHER: 'OTHER',
} as const;
export type PaymentResponse = (typeof PaymentResponse)[keyof typeof PaymentResponse];

export const TransactionType = {
  AUTHORIZE: 'AUTHORIZE',
  CAPTURE: 'CAPTURE',
  PURCHASE: 'PURCHASE',
  REFUND: 'REFUND',
  CREDIT: 'CREDIT',
  VOID: 'VOID',
  CHARGEBACK: 'CHARGEBACK',
} as const;
export type TransactionType = (typeof TransactionType)[keyof typeof TransactionType];

export const TransactionStatus = {
  SUCCESS: 'SUCCESS',
  UNKNOWN: 'UNKNOWN',
  PENDING: 'PENDING',
  PAYMENT_FAILURE: 'PAYMENT_FAILURE',
  PLUGIN_FAILURE: 'PLUGIN_FAILURE',
  PAYMENT_SYSTEM_OFF: 'PAYMENT_SYSTEM_OFF',
} as const;
export type TransactionStatus = (typeof TransactionStatus)[keyof typeof TransactionStatus];

/** Statuses whose outcome may still change. */
export type OpenStatus = typeof TransactionStatus.UNKNOWN | typeof TransactionStatus.PENDING;

export const paymentFields = {
  recordId,
  id: id({ searched: true }),
  accountId: id({ searched: true }),
  accountRecordId: bigint(),
  /** Counted per tenant, gaps allowed. */
  paymentNumber: bigint({ audit: null }),
  externalKey: key({ searched: true }),
  paymentMethodId: id({ searched: true }),
  stateName: orNull(text({ searched: true })),
  lastSuccessStateName: orNull(text({ searched: true })),
  createdDate: instant({ searched: true }),
};
export interface Payment extends RecordOf<typeof paymentFields> {}

/** What a refund takes off an item of its invoice. */
export interface RefundedAmount {
  readonly invoiceItemId: Uuid;
  readonly amount: Decimal;
  /** Of the adjustment; absent = the default one. */
  readonly description?: string;
}

/** What a refund takes back of a payment of an invoice (payments §9.5): applied when it has succeeded. */
export interface InvoiceRefund {
  /** The payment of the invoice, which is another one than that of the refund where money goes back another way. */
  readonly paymentId: Uuid;
  /** The row of what was paid. */
  readonly invoicePaymentId: Uuid;
  /** Items of the invoice, and what is taken off each. */
  readonly adjustments: readonly RefundedAmount[];
  /** True once the items are adjusted; nothing takes that back. */
  readonly isApplied?: boolean;
}

export const paymentTransactionFields = {
  recordId,
  id: id(),
  paymentId: id(),
  accountRecordId: bigint(),
  attemptId: orNull(id()),
  externalKey: key({ audit: 'transactionExternalKey' }),
  transactionType: oneOf(TransactionType),
  effectiveDate: instant(),
  status: oneOf(TransactionStatus, { audit: 'transactionStatus' }),
  amount: orNull(amount({ set: 'creation' })),
  currency: orNull(currency({ set: 'creation' })),
  processedAmount: orNull(amount()),
  processedCurrency: orNull(currency()),
  gatewayErrorCode: orNull(text()),
  gatewayErrorMsg: orNull(text()),
  /** As the gateway said; null where it said nothing. */
  paymentResponse: orNull(oneOf(PaymentResponse, { audit: null })),
  /** Null but of a refund of an invoice's payment. */
  invoiceRefund: orNull(json<InvoiceRefund>({ audit: null })),
  /** Business instant up to which a plugin call may be running (payments §5); null when none is. */
  leaseUntil: orNull(instant({ audit: null })),
  createdDate: instant(),
};
export interface PaymentTransaction extends RecordOf<typeof paymentTransactionFields> {}

/** True while the outcome may still change. */
export function isUnresolved<T extends Pick<PaymentTransaction, 'status'>>(
  transaction: T,
): transaction is T & { readonly status: OpenStatus } {
  return transaction.status === TransactionStatus.UNKNOWN || transaction.status === TransactionStatus.PENDING;
}
