import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { Instant } from '../values/time/index.ts';

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

/** Stored states of a payment attempt; SCHEDULED is computed on read (payments.md §1.1). */
export const AttemptState = {
  INIT: 'INIT',
  SUCCESS: 'SUCCESS',
  RETRIED: 'RETRIED',
  ABORTED: 'ABORTED',
} as const;
export type AttemptState = (typeof AttemptState)[keyof typeof AttemptState];

export const InvoicePaymentType = {
  ATTEMPT: 'ATTEMPT',
  REFUND: 'REFUND',
  CHARGED_BACK: 'CHARGED_BACK',
} as const;
export type InvoicePaymentType = (typeof InvoicePaymentType)[keyof typeof InvoicePaymentType];

export const InvoicePaymentStatus = { INIT: 'INIT', PENDING: 'PENDING', SUCCESS: 'SUCCESS' } as const;
export type InvoicePaymentStatus = (typeof InvoicePaymentStatus)[keyof typeof InvoicePaymentStatus];

/** Wire name of the built-in gateway for cheques, cash and bank transfers (payments.md §2.4). */
export const EXTERNAL_PAYMENT_PLUGIN = '__EXTERNAL_PAYMENT__';
/** Wire name of the built-in invoice control, first in the plugin list of an invoice payment's attempt. */
export const INVOICE_PAYMENT_CONTROL_PLUGIN = '__INVOICE_PAYMENT_CONTROL_PLUGIN__';

export interface PaymentMethod {
  readonly recordId: number;
  readonly id: Uuid;
  readonly externalKey: string;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly pluginName: string;
  readonly isActive: boolean;
  readonly createdDate: Instant;
}

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
  /** Business instant up to which a plugin call may be running (payments.md §5); null when none is. */
  readonly leaseUntil: Instant | null;
  readonly createdDate: Instant;
}

export interface PaymentAttempt {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly paymentMethodId: Uuid | null;
  readonly paymentExternalKey: string;
  readonly transactionId: Uuid | null;
  readonly transactionExternalKey: string;
  readonly transactionType: TransactionType;
  readonly stateName: AttemptState;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly pluginNames: readonly string[];
  readonly isApiPayment: boolean;
  readonly createdDate: Instant;
}

/** An automatic payment held back by AUTO_PAY_OFF or MANUAL_PAY (payments.md §1.6); an invoice has at most one active. */
export interface AutoPayHold {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  /** The attempt that ended as ABORTED. */
  readonly attemptId: Uuid;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly isActive: boolean;
  readonly createdDate: Instant;
}

export interface InvoicePayment {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  readonly type: InvoicePaymentType;
  readonly status: InvoicePaymentStatus;
  readonly paymentId: Uuid | null;
  readonly paymentDate: Instant;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly processedCurrency: Currency;
  readonly transactionExternalKey: string;
  readonly linkedInvoicePaymentId: Uuid | null;
  readonly createdDate: Instant;
}
