import type { Ports } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import { timeSlices } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { invoiceData } from '../documents/invoice-data.ts';
import { printableInvoice } from '../documents/printable-invoice.ts';
import { renderingInvoice } from '../documents/rendered-invoice.ts';
import { renderingTemplate } from '../documents/template-output.ts';
import type { DocumentSourceLoader } from '../loading/load-documents.ts';
import type { DocumentFiles } from './document-files.ts';

/** Invoices as documents (§14). */
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
