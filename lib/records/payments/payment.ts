import {
  amount,
  bigint,
  currency,
  enumeration,
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

/** Decline reasons of gateways, as overdue conditions use them (overdue §1.1 rule 3). */
export const PaymentResponse = enumeration(
  'INVALID_CARD',
  'EXPIRED_CARD',
  'LOST_OR_STOLEN_CARD',
  'DO_NOT_HONOR',
  'INSUFFICIENT_FUNDS',
  'DECLINE',
  'PROCESSING_ERROR',
  'INVALID_AMOUNT',
  'DUPLICATE_TRANSACTION',
  'OTHER',
);
export type PaymentResponse = keyof typeof PaymentResponse;

export const TransactionType = enumeration(
  'AUTHORIZE',
  'CAPTURE',
  'PURCHASE',
  'REFUND',
  'CREDIT',
  'VOID',
  'CHARGEBACK',
);
export type TransactionType = keyof typeof TransactionType;

export const TransactionStatus = enumeration(
  'SUCCESS',
  'UNKNOWN',
  'PENDING',
  'PAYMENT_FAILURE',
  'PLUGIN_FAILURE',
  'PAYMENT_SYSTEM_OFF',
);
export type TransactionStatus = keyof typeof TransactionStatus;

/** Statuses whose outcome may still change. */
export type OpenStatus = typeof TransactionStatus.UNKNOWN | typeof TransactionStatus.PENDING;

export const paymentFields = {
  recordId,
  id: id({ searched: true }),
  accountId: id({ searched: true }),
  accountRecordId: bigint(),
  /** Counted per tenant with gaps. */
  paymentNumber: bigint({ audit: null }),
  externalKey: key({ searched: true }),
  paymentMethodId: id({ searched: true }),
  stateName: orNull(text({ searched: true })),
  lastSuccessStateName: orNull(text({ searched: true })),
  createdDate: instant({ searched: true }),
};
export interface Payment extends RecordOf<typeof paymentFields> {}

/** The refunded amount of an invoice item. */
export interface RefundedAmount {
  readonly invoiceItemId: Uuid;
  readonly amount: Decimal;
  /** Description of the adjustment, if not the default. */
  readonly description?: string;
}

/** The refund of an invoice payment (payments §9.5), applied after its success. */
export interface InvoiceRefund {
  /** The payment of the invoice; differs from the refund's payment if the money is returned another way. */
  readonly paymentId: Uuid;
  /** The row of the original payment. */
  readonly invoicePaymentId: Uuid;
  readonly adjustments: readonly RefundedAmount[];
  /** True once the items are adjusted, permanently. */
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
  /** Decline reason of the gateway, if any. */
  paymentResponse: orNull(oneOf(PaymentResponse, { audit: null })),
  /** Only for a refund of an invoice payment. */
  invoiceRefund: orNull(json<InvoiceRefund>({ audit: null })),
  /** End of the lease of a running plugin call (payments §5); null = none. */
  leaseUntil: orNull(instant({ audit: null })),
  createdDate: instant(),
};
export interface PaymentTransaction extends RecordOf<typeof paymentTransactionFields> {}

/** Returns true while the outcome may still change. */
export function isUnresolved<T extends Pick<PaymentTransaction, 'status'>>(
  transaction: T,
): transaction is T & { readonly status: OpenStatus } {
  return transaction.status === TransactionStatus.UNKNOWN || transaction.status === TransactionStatus.PENDING;
}
