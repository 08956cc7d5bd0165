import type { CreditNote, EInvoiceDelivery, New, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export interface EInvoiceDeliveryReads {
  findByIds(ids: readonly Uuid[]): Rows<EInvoiceDelivery>;
  /** Those of an invoice and of its credit notes, in creation order. */
  ofInvoice(invoiceId: Uuid): Rows<EInvoiceDelivery>;
  /** The credit notes of the accounts that were written at the instant or later. */
  notesSince(accountRecordIds: readonly number[], since: Instant): Rows<CreditNote>;
}

/** What an attempt changes. */
export type EInvoiceAttempt = Pick<
  EInvoiceDelivery,
  'id' | 'state' | 'attempts' | 'failures' | 'attemptedDate' | 'nextAttemptDate' | 'receipt' | 'lastError'
>;

export interface EInvoiceDeliveryWrites {
  /** Skips documents that already have a delivery; returns the ids of the inserted ones. */
  insertNew(deliveries: readonly New<EInvoiceDelivery>[]): Promise<readonly Uuid[]>;
  update(attempts: readonly EInvoiceAttempt[]): Promise<void>;
}
