import { loadAccount, noSuchObject } from '../../accounts/index.ts';
import type { Ports, PrintableDocument, RenderedFile } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type CreditNote,
  ObjectType,
  type Page,
  type PageRequest,
} from '../../records/index.ts';
import { hostAnswer, type Steps, timeSlices, wantedSignal } from '../../runtime/index.ts';
import type { KeyValueService, SettingsOf } from '../../tenants/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';
import { BUILT_IN_TEMPLATE } from '../documents/built-in-template.ts';
import {
  type DocumentText,
  type DocumentTextUpload,
  documentTextKey,
  localeGiven,
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

export class InvoiceDocumentService {
  readonly #ports: Pick<Ports, 'systemClock' | 'scopes'>;
  readonly #sources: DocumentSourceLoader;
  readonly #files: DocumentFiles;

  constructor(
    ports: Pick<Ports, 'systemClock' | 'scopes'>,
    sources: DocumentSourceLoader,
    files: DocumentFiles,
  ) {
    this.#ports = ports;
    this.#sources = sources;
    this.#files = files;
  }

  async html(context: CallContext, invoiceId: Uuid): Promise<string> {
    const { given, template } = await this.#sources.load(context, invoiceId);
    const slices = timeSlices(this.#ports);
    const view = await slices(renderingInvoice(given));
    return slices(renderingTemplate(template, invoiceData(view)));
  }

  async pdf(context: CallContext, invoiceId: Uuid): Promise<Uint8Array> {
    this.#files.check();
    const { given } = await this.#sources.load(context, invoiceId);
    const view = await timeSlices(this.#ports)(renderingInvoice(given));
    return this.#files.pdf(printableInvoice(view, context.createdDate), { invoiceId });
  }
}

/** Creates files of documents with the host's renderer (§14 rule 6). */
export class DocumentFiles {
  readonly #ports: Pick<Ports, 'documentRenderer' | 'logger' | 'scopes'>;

  constructor(ports: Pick<Ports, 'documentRenderer' | 'logger' | 'scopes'>) {
    this.#ports = ports;
  }

  /** @throws BillingError NOT_IMPLEMENTED (1) without a renderer. */
  check(): void {
    if (this.#ports.documentRenderer === undefined) throw noRenderer();
  }

  async pdf(document: PrintableDocument, facts: Readonly<Record<string, string>>): Promise<Uint8Array> {
    const { documentRenderer, logger } = this.#ports;
    if (documentRenderer === undefined) throw noRenderer();
    const signal = wantedSignal(this.#ports);
    const { bytes, missingCharacters } = await hostAnswer(async () =>
      fileOf(await documentRenderer.pdf(document, { signal })),
    );
    if (missingCharacters !== '')
      logger.warn({ ...facts, characters: shortened(missingCharacters) }, 'no font for characters of a PDF');
    return bytes;
  }
}

/** Checked during the call, so that an invalid answer counts as a failure of the renderer. */
function fileOf({ bytes, missingCharacters }: RenderedFile): RenderedFile {
  if (!(bytes instanceof Uint8Array)) throw new Error('The document renderer answered no bytes');
  return { bytes, missingCharacters: String(missingCharacters ?? '') };
}

function noRenderer(): BillingError {
  const message =
    'There are no PDFs without a renderer: npm install pdfkit fontkit bidi-js @expo-google-fonts/noto-sans, and open the engine with documentRenderer: pdfRenderer() of billwright/pdf';
  return billingError(ErrorCode.NOT_IMPLEMENTED, message);
}

/** Templates and translations (§14), stored under keys of the tenant (platform §3). */
export class InvoiceTextService {
  readonly #keyValues: KeyValueService;

  constructor(keyValues: KeyValueService) {
    this.#keyValues = keyValues;
  }

  async upload(context: CallContext, upload: DocumentTextUpload): Promise<void> {
    const key = keyOf(upload);
    if (upload.replace) await this.#keyValues.add(context, key, upload.text);
    else await this.#keyValues.addNew(context, key, upload.text);
  }

  async get(context: CallContext, text: DocumentText): Promise<string | null> {
    const { values } = await this.#keyValues.get(context, keyOf(text));
    return values[0] ?? null;
  }

  async delete(context: CallContext, text: DocumentText): Promise<void> {
    await this.#keyValues.delete(context, keyOf(text));
  }
}

function keyOf({ kind, locale }: DocumentText): string {
  return documentTextKey(kind, locale == null ? null : localeGiven(locale));
}

type ServicePorts = Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;

const template = parseTemplate(BUILT_IN_TEMPLATE);

export class CreditNoteService {
  readonly #ports: ServicePorts;
  readonly #settingsOf: SettingsOf;
  readonly #sources: DocumentSourceLoader;
  readonly #files: DocumentFiles;

  constructor(
    ports: ServicePorts,
    settingsOf: SettingsOf,
    { sources, files }: { readonly sources: DocumentSourceLoader; readonly files: DocumentFiles },
  ) {
    this.#ports = ports;
    this.#settingsOf = settingsOf;
    this.#sources = sources;
    this.#files = files;
  }

  async get({ tenant }: CallContext, creditNoteId: Uuid): Promise<CreditNoteView> {
    const [note] = await this.#ports.storage.read(tenant, async (session) =>
      this.#viewed(session, await session.creditNotes.findByIds([creditNoteId])),
    );
    if (note !== undefined) return note;
    const message = `There is no credit note ${creditNoteId}`;
    throw billingError(ErrorCode.OBJECT_NOT_FOUND, message, { creditNoteId });
  }

  async ofInvoice({ tenant }: CallContext, invoiceId: Uuid): Promise<readonly CreditNoteView[]> {
    return this.#ports.storage.read(tenant, async (session) => {
      const [invoice] = await session.invoices.findByIds([invoiceId]);
      if (invoice === undefined) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
      return this.#viewed(session, await session.creditNotes.ofInvoice(invoiceId));
    });
  }

  async pageOfAccount(
    { tenant }: CallContext,
    accountId: Uuid,
    request: PageRequest,
  ): Promise<Page<CreditNoteView>> {
    return this.#ports.storage.read(tenant, async (session) => {
      await loadAccount(session, accountId);
      const found = await session.creditNotes.pageOfAccount(accountId, request);
      return { ...found, rows: await this.#viewed(session, found.rows) };
    });
  }

  async html(context: CallContext, creditNoteId: Uuid): Promise<string> {
    const view = await this.#rendered(context, await this.get(context, creditNoteId));
    return this.#slices(renderingTemplate(template, invoiceData(view)));
  }

  async pdf(context: CallContext, creditNoteId: Uuid): Promise<Uint8Array> {
    this.#files.check();
    const view = await this.#rendered(context, await this.get(context, creditNoteId));
    return this.#files.pdf(printableInvoice(view, context.createdDate), { creditNoteId });
  }

  async #viewed(session: ReadSession, notes: readonly CreditNote[]): Promise<readonly CreditNoteView[]> {
    const settings = await this.#settingsOf(session);
    return viewCreditNotes(notes, settings['invoice.creditNoteNumberPattern']);
  }

  async #rendered(context: CallContext, note: CreditNoteView): Promise<RenderedInvoice> {
    const { given } = await this.#sources.loadOfNote(context, note);
    return this.#slices(renderingCreditNote({ ...given, note }));
  }

  #slices<T>(steps: Steps<T>): Promise<T> {
    return timeSlices(this.#ports)(steps);
  }
}
