import {
  amount,
  bigint,
  currency,
  enumeration,
  id,
  instant,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../../values/fields/index.ts';

export const InvoicePaymentType = enumeration('ATTEMPT', 'REFUND', 'CHARGED_BACK');
export type InvoicePaymentType = keyof typeof InvoicePaymentType;

export const InvoicePaymentStatus = enumeration('INIT', 'PENDING', 'SUCCESS');
export type InvoicePaymentStatus = keyof typeof InvoicePaymentStatus;

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
