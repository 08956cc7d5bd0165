import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

export const InvoicePaymentType = {
  ATTEMPT: 'ATTEMPT',
  REFUND: 'REFUND',
  CHARGED_BACK: 'CHARGED_BACK',
} as const;
export type InvoicePaymentType = (typeof InvoicePaymentType)[keyof typeof InvoicePaymentType];

export const InvoicePaymentStatus = { INIT: 'INIT', PENDING: 'PENDING', SUCCESS: 'SUCCESS' } as const;
export type InvoicePaymentStatus = (typeof InvoicePaymentStatus)[keyof typeof InvoicePaymentStatus];

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
