import { loadAccount, noSuchObject } from '../../accounts/index.ts';
import type {
  DocumentRenderer,
  EInvoiceAttachment,
  Ports,
  PrintableDocument,
  RenderedFile,
} from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type CreditNote,
  ObjectType,
  type Page,
  type PageRequest,
} from '../../records/index.ts';
import { hostAnswer, timeSlices, wantedSignal } from '../../runtime/index.ts';
import type { KeyValueService, SettingsOf } from '../../tenants/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { BUILT_IN_TEMPLATE } from '../documents/built-in-template.ts';
import {
  builtInText,
  type DocumentOptions,
  type DocumentText,
  type DocumentTextPreview,
  type DocumentTextUpload,
  documentTextKey,
  requireLocale,
} from '../documents/document-texts.ts';
import { invoiceData } from '../documents/invoice-data.ts';
import { printableInvoice } from '../documents/printable-invoice.ts';
import {
  type RenderedInvoice,
  renderingCreditNote,
  renderingInvoice,
} from '../documents/rendered-invoice.ts';
import { parseTemplate, renderingTemplate } from '../documents/template.ts';
import { type CreditNoteView, viewCreditNotes } from '../invoices/invoice-view.ts';
import type { DocumentSourceLoader } from '../loading/load-invoice-views.ts';

type Tools = Pick<Ports, 'systemClock' | 'scopes' | 'logger'>;

/** For each logger, the tenants for which this process has already logged missing seller data. */
const logged = new WeakMap<Ports['logger'], Set<Uuid>>();

/**
 * Reports a document without seller data to the host, and logs a warning once per tenant and process, because the
 * document itself does not show that the data is missing (§14 rule 7).
 */
function reportMissingSeller(
  { logger, tenantId }: Pick<Ports, 'logger'> & { readonly tenantId: Uuid },
  { given: { seller, invoice } }: Awaited<ReturnType<DocumentSourceLoader['load']>>,
  options: DocumentOptions | undefined,
): void {
  const { onMissingSeller } = options ?? {};
  if (onMissingSeller != null && typeof onMissingSeller !== 'function')
    throw invalidField('options.onMissingSeller is not a function', { field: 'onMissingSeller' });
  if (seller !== null) return;
  onMissingSeller?.();
  const tenants = logged.get(logger) ?? new Set();
  logged.set(logger, tenants);
  if (tenants.has(tenantId)) return;
  tenants.add(tenantId);
  const message = 'a document has no seller data: upload them with sellers.upload, over HTTP POST /sellers';
  logger.warn({ tenantId, invoiceId: invoice.id }, message);
}

export function invoiceDocuments(ports: Tools, sources: DocumentSourceLoader, files: DocumentFiles) {
  return {
    html: async (context: CallContext, invoiceId: Uuid, options?: DocumentOptions): Promise<string> => {
      const source = await sources.load(context, invoiceId);
      const { given, template } = source;
      reportMissingSeller({ ...ports, tenantId: context.tenant.id }, source, options);
      const slices = timeSlices(ports);
      const view = await slices(renderingInvoice(given));
      return slices(renderingTemplate(template, invoiceData(view)));
    },

    pdf: async (context: CallContext, invoiceId: Uuid, options?: DocumentOptions): Promise<Uint8Array> => {
      files.check();
      const source = await sources.load(context, invoiceId);
      const { given } = source;
      reportMissingSeller({ ...ports, tenantId: context.tenant.id }, source, options);
      const view = await timeSlices(ports)(renderingInvoice(given));
      return files.pdf(printableInvoice(view, context.createdDate), { invoiceId });
    },
  };
}

/** Ids for the log. */
type Facts = Readonly<Record<string, string>>;

export type DocumentFiles = ReturnType<typeof documentFiles>;

/** Renders documents as files, using the host's renderer (§14 rule 6). */
export function documentFiles(ports: Pick<Ports, 'documentRenderer' | 'logger' | 'scopes'>) {
  const { documentRenderer, logger } = ports;

  async function renderFile(
    facts: Facts,
    render: () => Promise<RenderedFile | undefined>,
  ): Promise<Uint8Array> {
    const { bytes, missingCharacters, logoProblem } = await hostAnswer(async () => fileOf(await render()));
    const characters = shortenText(missingCharacters);
    if (characters !== '')
      logger.warn({ ...facts, characters }, 'a PDF contains characters that no font supports');
    if (logoProblem !== null) logger.warn({ ...facts, problem: logoProblem }, 'a PDF has no logo');
    return bytes;
  }

  return {
    /** Checks that PDFs are available. @throws BillingError NOT_IMPLEMENTED (1) without a renderer. */
    check: (): void => {
      if (documentRenderer === undefined) throw noRenderer();
    },

    pdf: async (document: PrintableDocument, facts: Facts): Promise<Uint8Array> => {
      if (documentRenderer === undefined) throw noRenderer();
      const signal = wantedSignal(ports);
      return renderFile(facts, () => documentRenderer.pdf(document, { signal }));
    },

    /**
     * Creates a PDF with an attached e-invoice (§22).
     * @throws BillingError NOT_IMPLEMENTED (1) if the renderer does not support attachments.
     */
    pdfWithEInvoice: async (
      document: PrintableDocument,
      attachment: EInvoiceAttachment,
      facts: Facts,
    ): Promise<Uint8Array> => {
      const renderer = documentRenderer;
      if (renderer?.pdfWithEInvoice === undefined) throw noAttachments(renderer);
      const signal = wantedSignal(ports);
      return renderFile(facts, async () => renderer.pdfWithEInvoice?.(document, attachment, { signal }));
    },
  };
}

/**
 * Returns the file. Validates it within the renderer call, so that an invalid result is reported as a failure of the
 * renderer.
 */
function fileOf(given: RenderedFile | undefined) {
  const { bytes, missingCharacters, logoProblem } = given ?? {};
  if (!(bytes instanceof Uint8Array)) throw new Error('The document renderer returned no bytes');
  const problem = logoProblem == null ? null : shortenText(String(logoProblem));
  return { bytes, missingCharacters: String(missingCharacters ?? ''), logoProblem: problem };
}

function noAttachments(renderer: DocumentRenderer | undefined): BillingError {
  if (renderer === undefined) return noRenderer();
  const message =
    'The document renderer cannot attach e-invoices to PDFs: open the engine with documentRenderer: pdfRenderer() of billwright/pdf';
  return billingError(ErrorCode.NOT_IMPLEMENTED, message);
}

function noRenderer(): BillingError {
  const message =
    'PDFs need a document renderer: run npm install pdfkit fontkit bidi-js @expo-google-fonts/noto-sans, and open the engine with documentRenderer: pdfRenderer() of billwright/pdf';
  return billingError(ErrorCode.NOT_IMPLEMENTED, message);
}

/**
 * Creates the operations on templates and translations (§14). These texts are stored under keys of the tenant (platform
 * §3).
 */
export function invoiceTextOperations(keyValues: KeyValueService) {
  return {
    upload: async (context: CallContext, upload: DocumentTextUpload): Promise<void> => {
      const key = keyOf(upload);
      if (upload.replace) await keyValues.add(context, key, upload.text);
      else await keyValues.addNew(context, key, upload.text);
    },

    get: async (context: CallContext, text: DocumentText): Promise<string | null> => {
      const { values } = await keyValues.get(context, keyOf(text));
      return values[0] ?? null;
    },

    delete: async (context: CallContext, text: DocumentText): Promise<void> => {
      await keyValues.delete(context, keyOf(text));
    },
  };
}

/**
 * Creates the operations that preview templates and translations, and the operation that returns built-in texts (§14).
 */
export function documentTextPreviews(
  ports: Tools,
  sources: DocumentSourceLoader,
  keyValues: KeyValueService,
) {
  return {
    preview: async (
      context: CallContext,
      { invoiceId, ...preview }: DocumentTextPreview,
    ): Promise<string> => {
      const { kind, text } = preview;
      keyValues.check(context, keyOf(preview), text);
      const locale = preview.locale == null ? null : requireLocale(preview.locale);
      const { given, template } = await sources.load(context, invoiceId, { kind, locale, text });
      const slices = timeSlices(ports);
      const view = await slices(renderingInvoice(given));
      return slices(renderingTemplate(template, invoiceData(view)));
    },

    builtIn: async (_context: CallContext, { kind, locale }: DocumentText): Promise<string | null> =>
      builtInText(kind, locale == null ? null : requireLocale(locale)),
  };
}

function keyOf({ kind, locale }: DocumentText): string {
  return documentTextKey(kind, locale == null ? null : requireLocale(locale));
}

const template = parseTemplate(BUILT_IN_TEMPLATE);

export function creditNoteOperations(
  ports: Tools & Pick<Ports, 'storage'>,
  settingsOf: SettingsOf,
  { sources, files }: { readonly sources: DocumentSourceLoader; readonly files: DocumentFiles },
) {
  const { storage } = ports;

  async function viewNotes(
    session: ReadSession,
    notes: readonly CreditNote[],
  ): Promise<readonly CreditNoteView[]> {
    const settings = await settingsOf(session);
    return viewCreditNotes(notes, settings['invoice.creditNoteNumberPattern']);
  }

  async function get({ tenant }: CallContext, creditNoteId: Uuid): Promise<CreditNoteView> {
    const [note] = await storage.read(tenant, async (session) =>
      viewNotes(session, await session.creditNotes.findByIds([creditNoteId])),
    );
    if (note !== undefined) return note;
    const message = `Credit note ${creditNoteId} does not exist`;
    throw billingError(ErrorCode.OBJECT_NOT_FOUND, message, { creditNoteId });
  }

  async function renderNote(
    context: CallContext,
    creditNoteId: Uuid,
    options: DocumentOptions | undefined,
  ): Promise<RenderedInvoice> {
    const note = await get(context, creditNoteId);
    const source = await sources.loadOfNote(context, note);
    const { given } = source;
    reportMissingSeller({ ...ports, tenantId: context.tenant.id }, source, options);
    return timeSlices(ports)(renderingCreditNote({ ...given, note }));
  }

  return {
    get,

    ofInvoice: ({ tenant }: CallContext, invoiceId: Uuid): Promise<readonly CreditNoteView[]> =>
      storage.read(tenant, async (session) => {
        const [invoice] = await session.invoices.findByIds([invoiceId]);
        if (invoice === undefined) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
        return viewNotes(session, await session.creditNotes.ofInvoices([invoiceId]));
      }),

    pageOfAccount: (
      { tenant }: CallContext,
      accountId: Uuid,
      request: PageRequest,
    ): Promise<Page<CreditNoteView>> =>
      storage.read(tenant, async (session) => {
        await loadAccount(session, accountId);
        const found = await session.creditNotes.pageOfAccount(accountId, request);
        return { ...found, rows: await viewNotes(session, found.rows) };
      }),

    html: async (context: CallContext, creditNoteId: Uuid, options?: DocumentOptions): Promise<string> => {
      const view = await renderNote(context, creditNoteId, options);
      return timeSlices(ports)(renderingTemplate(template, invoiceData(view)));
    },

    pdf: async (context: CallContext, creditNoteId: Uuid, options?: DocumentOptions): Promise<Uint8Array> => {
      files.check();
      const view = await renderNote(context, creditNoteId, options);
      return files.pdf(printableInvoice(view, context.createdDate), { creditNoteId });
    },
  };
}
