import type { EInvoiceFormat, EInvoiceProfile } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CodedId } from './e-invoice-writer.ts';

/** An e-invoice to send. */
export interface EInvoiceToSend {
  /** The same in every attempt: lets an access point recognize a repeated one. */
  readonly deliveryId: Uuid;
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  /** Null for an invoice. */
  readonly creditNoteId: Uuid | null;
  /** The number that the document shows. */
  readonly number: string;
  readonly format: EInvoiceFormat;
  readonly profile: EInvoiceProfile;
  readonly mediaType: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Electronic addresses of both parties, such as `{ scheme: '9930', value: 'DE136695976' }`; null without one. */
  readonly seller: CodedId | null;
  readonly buyer: CodedId | null;
}

/**
 * Sends e-invoices to an access point, such as a Peppol service provider (invoicing §22 rule 9). Called from any node, without a
 * lock and outside transactions, for different accounts at the same time.
 * @example
 * const sender: EInvoiceSender = {
 *   name: 'access-point',
 *   send: async ({ bytes, mediaType, deliveryId }, { signal }) => {
 *     const headers = { 'Content-Type': mediaType, 'Idempotency-Key': deliveryId };
 *     const answer = await fetch('https://ap.example/documents', { method: 'POST', headers, body: bytes, signal });
 *     if (!answer.ok) throw new Error(`The access point answered ${answer.status}`);
 *     return answer.text();
 *   },
 * };
 */
export interface EInvoiceSender {
  readonly name: string;
  /**
   * Resolve with the receipt of the access point when it has accepted the e-invoice; the first 2,000 characters are
   * stored. If it throws or takes more than 30 s, the e-invoice is sent again by the delays of
   * `org.service.invoice.eInvoice.retries`, and FAILED after the last. An e-invoice may come again after a crash,
   * even if it was accepted.
   * @param options.signal aborted after the time limit.
   */
  send(eInvoice: EInvoiceToSend, options: { readonly signal: AbortSignal }): Promise<string | null>;
}
