import type { Steps } from '../../runtime/index.ts';
import type { CreditNoteView } from '../invoices/credit-note-view.ts';
import { type InvoiceToRender, type RenderedInvoice, renderingInvoice } from './rendered-invoice.ts';

/** What a credit note is made from: `invoice` is the credited one, with the lines of the note as its items. */
export interface CreditNoteToRender extends InvoiceToRender {
  readonly note: CreditNoteView;
}

/** Texts of a credit note that stand in the places of an invoice's. */
const ownTexts: Readonly<Record<string, string>> = {
  invoiceTitle: 'creditNoteTitle',
  invoiceNumber: 'creditNoteNumber',
  invoiceBillTo: 'creditNoteTo',
};

/** A credit note in the view of an invoice, so that pages and files are made of it in the same way (§21 rule 5). */
export function* renderingCreditNote({ note, ...given }: CreditNoteToRender): Steps<RenderedInvoice> {
  const view = yield* renderingInvoice(given);
  return {
    ...view,
    text: (key) => view.text(ownTexts[key] ?? key),
    status: null,
    formattedInvoiceNumber: note.formattedNumber ?? String(note.creditNoteNumber),
    formattedInvoiceDate: view.formats.date(note.creditNoteDate),
    formattedTotal: view.formats.amount(note.amount, note.currency),
    creditNote: { formattedInvoiceNumber: view.formattedInvoiceNumber },
  };
}
