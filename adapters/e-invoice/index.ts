export { eInvoiceWriter } from './e-invoice-writer.ts';
