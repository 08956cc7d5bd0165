import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';

/** Reasons for a decline that gateways report. Overdue conditions can use them (overdue §1.1 rule 3). */
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
  recordId: f.recordId,
  id: f.id({ searched: true }),
  accountId: f.id({ searched: true }),
  accountRecordId: f.bigint(),
  /** Number of the payment. The numbers of a tenant may have gaps. */
  paymentNumber: f.bigint({ audit: null }),
  externalKey: f.key({ searched: true }),
  paymentMethodId: f.id({ searched: true }),
  stateName: f.orNull(f.text({ searched: true })),
  lastSuccessStateName: f.orNull(f.text({ searched: true })),
  createdDate: f.instant({ searched: true }),
};
export interface Payment extends RecordOf<typeof paymentFields> {}

/** The refunded amount of an invoice item. */
export interface RefundedAmount {
  readonly invoiceItemId: Uuid;
  readonly amount: Decimal;
  /** Description of the adjustment. The field is absent if the default description applies. */
  readonly description?: string;
}

/** The refund of an invoice payment (payments §9.5). It takes effect when the refund succeeds. */
export interface InvoiceRefund {
  /**
   * The payment of the invoice. It differs from the payment of the refund if the money is returned through another
   * method.
   */
  readonly paymentId: Uuid;
  /** The row of the original payment. */
  readonly invoicePaymentId: Uuid;
  readonly adjustments: readonly RefundedAmount[];
  /** True once the items have been adjusted. It never becomes false again. */
  readonly isApplied?: boolean;
}

export const paymentTransactionFields = {
  recordId: f.recordId,
  id: f.id(),
  paymentId: f.id(),
  accountRecordId: f.bigint(),
  attemptId: f.orNull(f.id()),
  externalKey: f.key({ audit: 'transactionExternalKey' }),
  transactionType: f.oneOf(TransactionType),
  effectiveDate: f.instant(),
  status: f.oneOf(TransactionStatus, { audit: 'transactionStatus' }),
  amount: f.orNull(f.amount({ set: 'creation' })),
  currency: f.orNull(f.currency({ set: 'creation' })),
  processedAmount: f.orNull(f.amount()),
  processedCurrency: f.orNull(f.currency()),
  gatewayErrorCode: f.orNull(f.text()),
  gatewayErrorMsg: f.orNull(f.text()),
  /** Decline reason from the gateway, or null if there is no decline reason. */
  paymentResponse: f.orNull(f.oneOf(PaymentResponse, { audit: null })),
  /** The refund. Set only for a refund of an invoice payment. */
  invoiceRefund: f.orNull(f.json<InvoiceRefund>({ audit: null })),
  /** The end of the lease of a running plugin call (payments §5), or null if there is no lease. */
  leaseUntil: f.orNull(f.instant({ audit: null })),
  createdDate: f.instant(),
};
export interface PaymentTransaction extends RecordOf<typeof paymentTransactionFields> {}

/** Returns true if the outcome of the transaction may still change. */
export function isUnresolved<T extends Pick<PaymentTransaction, 'status'>>(
  transaction: T,
): transaction is T & { readonly status: OpenStatus } {
  return transaction.status === TransactionStatus.UNKNOWN || transaction.status === TransactionStatus.PENDING;
}
