import { loadAccount, noSuchObject } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type CreditNote,
  ObjectType,
  type Page,
  type PageRequest,
} from '../../records/index.ts';
import { type Steps, timeSlices } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { BUILT_IN_TEMPLATE } from '../documents/built-in-template.ts';
import { invoiceData } from '../documents/invoice-data.ts';
import { printableInvoice } from '../documents/printable-invoice.ts';
import { type RenderedInvoice, renderingCreditNote } from '../documents/rendered-invoice.ts';
import { parseTemplate } from '../documents/template.ts';
import { renderingTemplate } from '../documents/template-output.ts';
import { type CreditNoteView, viewCreditNotes } from '../invoices/invoice-view.ts';
import type { DocumentSourceLoader } from '../loading/load-documents.ts';
import type { DocumentFiles } from './invoice-document-service.ts';

type ServicePorts = Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;

const template = parseTemplate(BUILT_IN_TEMPLATE);

/** Credit notes (§21) and their documents. */
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
    throw new BillingError({
      code: ErrorCode.OBJECT_NOT_FOUND,
      message: `There is no credit note ${creditNoteId}`,
      facts: { creditNoteId },
    });
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
