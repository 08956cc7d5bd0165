import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { PaymentResponse } from './payment-response.ts';

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

export interface Payment {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  /** Counted per tenant, gaps allowed. */
  readonly paymentNumber: number;
  readonly externalKey: string;
  readonly paymentMethodId: Uuid;
  readonly stateName: string | null;
  readonly lastSuccessStateName: string | null;
  readonly createdDate: Instant;
}

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

export interface PaymentTransaction {
  readonly recordId: number;
  readonly id: Uuid;
  readonly paymentId: Uuid;
  readonly accountRecordId: number;
  readonly attemptId: Uuid | null;
  readonly externalKey: string;
  readonly transactionType: TransactionType;
  readonly effectiveDate: Instant;
  readonly status: TransactionStatus;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly processedAmount: Decimal | null;
  readonly processedCurrency: Currency | null;
  readonly gatewayErrorCode: string | null;
  readonly gatewayErrorMsg: string | null;
  /** As the gateway said; null where it said nothing. */
  readonly paymentResponse: PaymentResponse | null;
  /** Null but of a refund of an invoice's payment. */
  readonly invoiceRefund: InvoiceRefund | null;
  /** Business instant up to which a plugin call may be running (payments §5); null when none is. */
  readonly leaseUntil: Instant | null;
  readonly createdDate: Instant;
}

/** True while the outcome may still change. */
export function isUnresolved<T extends Pick<PaymentTransaction, 'status'>>(
  transaction: T,
): transaction is T & { readonly status: OpenStatus } {
  return transaction.status === TransactionStatus.UNKNOWN || transaction.status === TransactionStatus.PENDING;
}
