import type { CreditNote, EInvoiceDelivery, New, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export interface EInvoiceDeliveryReads {
  findByIds(ids: readonly Uuid[]): Rows<EInvoiceDelivery>;
  /** Returns the deliveries for an invoice and its credit notes, in creation order. */
  ofInvoice(invoiceId: Uuid): Rows<EInvoiceDelivery>;
  /** Returns the accounts' credit notes that were written at or after the instant. */
  notesSince(accountRecordIds: readonly number[], since: Instant): Rows<CreditNote>;
}

/** The fields that an attempt changes. */
export type EInvoiceAttempt = Pick<
  EInvoiceDelivery,
  'id' | 'state' | 'attempts' | 'failures' | 'attemptedDate' | 'nextAttemptDate' | 'receipt' | 'lastError'
>;

export interface EInvoiceDeliveryWrites {
  /** Inserts deliveries. Skips documents that already have a delivery. Returns the ids of the inserted deliveries. */
  insertNew(deliveries: readonly New<EInvoiceDelivery>[]): Promise<readonly Uuid[]>;
  update(attempts: readonly EInvoiceAttempt[]): Promise<void>;
}
