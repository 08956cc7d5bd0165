import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { CreditNote } from '../../models/credit-note.ts';
import { json, page } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { pageParameters } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';
import { htmlAnswer, pdfAnswer } from './invoice-documents.ts';

const area = 'creditNotes';
const root = '/1.0/kb/creditNotes';
const documentErrors = [ErrorCode.OBJECT_NOT_FOUND, ErrorCode.ANSWER_TOO_LARGE];

/** Credit notes and their documents (invoicing §21). */
export const creditNoteRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/{invoiceId}/creditNotes',
    operationId: 'getCreditNotesOfInvoice',
    area,
    summary: 'List the credit notes of an invoice',
    permission: 'NONE',
    success: { status: 200, body: listOf(CreditNote) },
    fails: [ErrorCode.INVOICE_NOT_FOUND],
    async handle({ billing, context, params, dialect }) {
      const notes = await billing.creditNotes.ofInvoice(context, params.invoiceId);
      return json(notes.map((note) => CreditNote.write(note, unaudited(dialect))));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/creditNotes',
    operationId: 'getCreditNotesOfAccount',
    area,
    summary: 'List the credit notes of an account by pages',
    permission: 'NONE',
    query: pageParameters,
    success: { status: 200, body: listOf(CreditNote), paged: true },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, params, query, dialect }) {
      const { rows, total, max } = await billing.creditNotes.pageOfAccount(context, params.accountId, query);
      const written = rows.map((note) => CreditNote.write(note, unaudited(dialect)));
      return page(written, { ...query, total, max });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${root}/{creditNoteId}`,
    operationId: 'getCreditNote',
    area,
    summary: 'Get a credit note',
    permission: 'NONE',
    success: { status: 200, body: CreditNote },
    fails: [ErrorCode.OBJECT_NOT_FOUND],
    async handle({ billing, context, params, dialect }) {
      const note = await billing.creditNotes.get(context, params.creditNoteId);
      return json(CreditNote.write(note, unaudited(dialect)));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${root}/{creditNoteId}/html`,
    operationId: 'getCreditNoteAsHTML',
    area,
    summary: 'Get a credit note as a page for its customer',
    permission: 'NONE',
    success: { status: 200, mediaTypes: ['text/html'] },
    fails: documentErrors,
    async handle({ billing, context, params }) {
      return htmlAnswer(await billing.creditNotes.html(context, params.creditNoteId));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${root}/{creditNoteId}/pdf`,
    operationId: 'getCreditNoteAsPDF',
    area,
    summary: 'Get a credit note as a PDF for its customer',
    permission: 'NONE',
    success: { status: 200, mediaTypes: ['application/pdf'] },
    fails: [...documentErrors, ErrorCode.NOT_IMPLEMENTED],
    async handle({ billing, context, params }) {
      const bytes = await billing.creditNotes.pdf(context, params.creditNoteId);
      return pdfAnswer(bytes, `credit-note-${params.creditNoteId}.pdf`);
    },
  }),
];
