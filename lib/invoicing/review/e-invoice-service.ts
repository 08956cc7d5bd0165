import type { EInvoiceAttachment, EInvoiceDocument, EInvoiceWriter, Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type CallContext, EInvoiceFormat, EInvoiceProfile, ObjectType } from '../../records/index.ts';
import { hostAnswer, timeSlices } from '../../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { printableInvoice } from '../documents/printable-invoice.ts';
import {
  type InvoiceToRender,
  type RenderedInvoice,
  renderingCreditNote,
  renderingInvoice,
} from '../documents/rendered-invoice.ts';
import { eInvoiceDocument } from '../e-invoices/e-invoice-document.ts';
import {
  checkKind,
  type EInvoiceFile,
  type EInvoiceKind,
  type EInvoiceRequest,
  fileNameOf,
  type NoteEInvoiceRequest,
  refuseSummary,
  requireIssued,
} from '../e-invoices/e-invoice-file.ts';
import { EINVOICE_CUSTOM_FIELDS, type EInvoiceCustomFields } from '../e-invoices/e-invoice-parties.ts';
import type { CreditNoteView } from '../invoices/invoice-view.ts';
import type { DocumentSourceLoader } from '../loading/load-invoice-views.ts';
import type { DocumentFiles } from './document-services.ts';

type Tools = Pick<Ports, 'storage' | 'systemClock' | 'scopes' | 'eInvoices'>;

interface Sources {
  readonly sources: DocumentSourceLoader;
  readonly files: DocumentFiles;
  readonly noteOf: (context: CallContext, creditNoteId: Uuid) => Promise<CreditNoteView>;
}

/** The ids of a document. `creditNoteId` is null for an invoice. */
export interface DocumentIds {
  readonly invoiceId: Uuid;
  readonly creditNoteId: Uuid | null;
}

/** A created file, and the document that it contains. */
export interface CreatedEInvoice {
  readonly file: EInvoiceFile;
  readonly document: EInvoiceDocument;
}

interface Source {
  readonly given: InvoiceToRender;
  readonly view: RenderedInvoice;
}

export type EInvoices = ReturnType<typeof eInvoiceFiles>;

/** Returns functions that create e-invoices with the host's writer (§22). */
export function eInvoiceFiles(ports: Tools, { sources, files, noteOf }: Sources) {
  const { storage, eInvoices } = ports;

  async function sourceOf(context: CallContext, invoiceId: Uuid): Promise<Source> {
    const { given } = await sources.load(context, invoiceId);
    requireIssued(given.invoice);
    refuseSummary(given.invoice);
    return { given, view: await timeSlices(ports)(renderingInvoice(given)) };
  }

  async function sourceOfNote(context: CallContext, creditNoteId: Uuid): Promise<Source> {
    const note = await noteOf(context, creditNoteId);
    const { given } = await sources.loadOfNote(context, note);
    refuseSummary(given.invoice);
    return { given, view: await timeSlices(ports)(renderingCreditNote({ ...given, note })) };
  }

  async function documentOf(
    { tenant }: CallContext,
    { given, view }: Source,
    profile: EInvoiceProfile,
  ): Promise<EInvoiceDocument> {
    const { facts } = view;
    const customFields = await storage.read(tenant, (session) => customFieldsOf(session, given.account.id));
    const names = new Map(
      view.lines.map(({ item, name, detail, notes }) => [item.id, { name, detail, notes }]),
    );
    return eInvoiceDocument({ facts, profile, names, customFields, paymentTerms: paymentTermsOf(view) });
  }

  /** Creates the e-invoice of a document. @throws the errors of `invoices.eInvoice`. */
  async function create(
    context: CallContext,
    { invoiceId, creditNoteId }: DocumentIds,
    { format, profile }: EInvoiceKind,
  ): Promise<CreatedEInvoice> {
    const writer = requireWriter(eInvoices);
    if (format === EInvoiceFormat.FACTUR_X) files.check();
    const source = await (creditNoteId === null
      ? sourceOf(context, invoiceId)
      : sourceOfNote(context, creditNoteId));
    const document = await documentOf(context, source, profile);
    const syntax = format === EInvoiceFormat.UBL ? format : EInvoiceFormat.CII;
    const xml = await hostAnswer(async () => xmlOf(await writer.xml(document, { syntax, profile })));
    const fileName = fileNameOf(document.number, { isNote: creditNoteId !== null, format });
    const bytes = new TextEncoder().encode(xml);
    if (format !== EInvoiceFormat.FACTUR_X)
      return { document, file: { mediaType: 'application/xml', fileName, bytes } };
    const ids: Record<string, string> = creditNoteId === null ? { invoiceId } : { creditNoteId };
    const printed = printableInvoice(source.view, context.createdDate);
    const pdf = await files.pdfWithEInvoice(printed, attachment(profile, bytes), ids);
    return { document, file: { mediaType: 'application/pdf', fileName, bytes: pdf } };
  }

  return {
    create,

    ofInvoice: async (context: CallContext, request: EInvoiceRequest): Promise<EInvoiceFile> => {
      const { invoiceId } = request;
      const { file } = await create(context, { invoiceId, creditNoteId: null }, checkKind(request));
      return file;
    },

    ofNote: async (context: CallContext, request: NoteEInvoiceRequest): Promise<EInvoiceFile> => {
      const { creditNoteId } = request;
      const kind = checkKind(request);
      const { file } = await create(context, { invoiceId: creditNoteId, creditNoteId }, kind);
      return file;
    },
  };
}

function requireWriter(writer: EInvoiceWriter | undefined): EInvoiceWriter {
  if (writer === undefined) throw noWriter();
  return writer;
}

function noWriter(): BillingError {
  const message =
    'E-invoices need an e-invoice writer: open the engine with eInvoices: eInvoiceWriter() of billwright/e-invoice';
  return billingError(ErrorCode.NOT_IMPLEMENTED, message);
}

function xmlOf(given: unknown): string {
  if (typeof given !== 'string') throw new Error('The e-invoice writer returned no text');
  return given;
}

/** Returns the attachment. Its file name is the name that Factur-X 1.0 requires. */
function attachment(profile: EInvoiceProfile, bytes: Uint8Array): EInvoiceAttachment {
  return profile === EInvoiceProfile.XRECHNUNG
    ? { fileName: 'xrechnung.xml', conformanceLevel: 'XRECHNUNG', version: '3.0', bytes }
    : { fileName: 'factur-x.xml', conformanceLevel: 'EN 16931', version: '1.0', bytes };
}

/**
 * Loads the account's custom fields that e-invoices use (§22 rule 5). Uses the first value of a field with several
 * values.
 */
async function customFieldsOf(session: ReadSession, accountId: Uuid): Promise<EInvoiceCustomFields> {
  const fields = await session.customFields.findByObjects(ObjectType.ACCOUNT, [accountId]);
  const fieldNamed = (name: string) => fields.find((each) => each.name === name)?.value ?? null;
  const [buyerReference, electronicAddress, registrationNumber] = EINVOICE_CUSTOM_FIELDS.map(fieldNamed);
  return {
    buyerReference: buyerReference ?? null,
    electronicAddress: electronicAddress ?? null,
    registrationNumber: registrationNumber ?? null,
  };
}

/**
 * Returns a note about the payment if the receiver does not have to pay the document. Returns null for other documents
 * (§22 rule 4).
 */
function paymentTermsOf(view: RenderedInvoice): string | null {
  const { text, labeled, creditNote, isPaidByParent, formattedWrittenOffAmount } = view;
  if (creditNote !== null) return text('paymentNone');
  if (formattedWrittenOffAmount !== null)
    return `${labeled(text('invoiceWrittenOff'), formattedWrittenOffAmount)} – ${text('paymentNone')}`;
  return isPaidByParent ? text('paymentByParent') : null;
}
