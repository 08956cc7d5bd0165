import type { Ports } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import { timeSlices } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { invoiceData } from '../documents/invoice-data.ts';
import { renderingInvoice } from '../documents/rendered-invoice.ts';
import { renderingTemplate } from '../documents/template-output.ts';
import type { DocumentSourceLoader } from '../loading/load-document-source.ts';

/** Invoices as documents (§14). */
export class InvoiceDocumentService {
  readonly #ports: Pick<Ports, 'systemClock'>;
  readonly #sources: DocumentSourceLoader;

  constructor(ports: Pick<Ports, 'systemClock'>, sources: DocumentSourceLoader) {
    this.#ports = ports;
    this.#sources = sources;
  }

  async html(context: CallContext, invoiceId: Uuid): Promise<string> {
    const { given, template } = await this.#sources.load(context, invoiceId);
    const slices = timeSlices(this.#ports.systemClock);
    const view = await slices(renderingInvoice(given));
    return slices(renderingTemplate(template, invoiceData(view)));
  }
}
