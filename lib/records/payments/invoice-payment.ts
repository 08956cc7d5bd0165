import {
  amount,
  bigint,
  currency,
  id,
  instant,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../../values/fields/index.ts';

export const InvoicePaymentType = {
  ATTEMPT: 'ATTEMPT',
  REFUND: 'REFUND',
  CHARGED_BACK: 'CHARGED_BACK',
} as const;
export type InvoicePaymentType = (typeof InvoicePaymentType)[keyof typeof InvoicePaymentType];

export const InvoicePaymentStatus = { INIT: 'INIT', PENDING: 'PENDING', SUCCESS: 'SUCCESS' } as const;
export type InvoicePaymentStatus = (typeof InvoicePaymentStatus)[keyof typeof InvoicePaymentStatus];

export const invoicePaymentFields = {
  recordId,
  id: id(),
  accountRecordId: bigint(),
  invoiceId: id(),
  type: oneOf(InvoicePaymentType),
  status: oneOf(InvoicePaymentStatus),
  paymentId: orNull(id()),
  paymentDate: instant(),
  amount: amount(),
  currency: currency(),
  processedCurrency: currency(),
  transactionExternalKey: text({ audit: 'paymentCookieId' }),
  linkedInvoicePaymentId: orNull(id()),
  createdDate: instant(),
};
export interface InvoicePayment extends RecordOf<typeof invoicePaymentFields> {}
