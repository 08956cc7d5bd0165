import type { EInvoiceFormat, EInvoiceProfile } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CodedId } from './e-invoice-writer.ts';

/** An e-invoice to send. */
export interface EInvoiceToSend {
  /** Id of the delivery. It is the same in every attempt, so that an access point can recognize a repeated attempt. */
  readonly deliveryId: Uuid;
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  /** The id of the credit note, or null for an invoice. */
  readonly creditNoteId: Uuid | null;
  /** The number that the document shows. */
  readonly number: string;
  readonly format: EInvoiceFormat;
  readonly profile: EInvoiceProfile;
  readonly mediaType: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /**
   * Electronic addresses of the seller and the buyer, such as `{ scheme: '9930', value: 'DE136695976' }`. An address is
   * null if the party has none.
   */
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
   * Resolve with the access point's receipt once it has accepted the e-invoice. The first 2,000 characters are
   * stored. If `send` throws or takes more than 30 s, the e-invoice is sent again after the delays of
   * `org.service.invoice.eInvoice.retries`, and is FAILED after the last one. After a crash, an e-invoice may be sent again
   * even if it was accepted.
   * @param options.signal aborted after the time limit.
   */
  send(eInvoice: EInvoiceToSend, options: { readonly signal: AbortSignal }): Promise<string | null>;
}
