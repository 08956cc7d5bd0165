import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';

export const InvoicePaymentType = enumeration('ATTEMPT', 'REFUND', 'CHARGED_BACK');
export type InvoicePaymentType = keyof typeof InvoicePaymentType;

export const InvoicePaymentStatus = enumeration('INIT', 'PENDING', 'SUCCESS');
export type InvoicePaymentStatus = keyof typeof InvoicePaymentStatus;

export const invoicePaymentFields = {
  recordId: f.recordId,
  id: f.id(),
  accountRecordId: f.bigint(),
  invoiceId: f.id(),
  type: f.oneOf(InvoicePaymentType),
  status: f.oneOf(InvoicePaymentStatus),
  paymentId: f.orNull(f.id()),
  paymentDate: f.instant(),
  amount: f.amount(),
  currency: f.currency(),
  processedCurrency: f.currency(),
  transactionExternalKey: f.text({ audit: 'paymentCookieId' }),
  linkedInvoicePaymentId: f.orNull(f.id()),
  createdDate: f.instant(),
};
export interface InvoicePayment extends RecordOf<typeof invoicePaymentFields> {}
