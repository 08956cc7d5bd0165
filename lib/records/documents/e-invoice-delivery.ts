import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';

/** Format of an e-invoice. UBL and CII are XML. FACTUR_X, also known as ZUGFeRD, is a PDF with the CII XML attached. */
export const EInvoiceFormat = enumeration('UBL', 'CII', 'FACTUR_X');
export type EInvoiceFormat = keyof typeof EInvoiceFormat;

/**
 * The rules that an e-invoice follows. They are the European standard itself, XRechnung 3.0 or Peppol BIS Billing 3.0.
 */
export const EInvoiceProfile = enumeration('EN16931', 'XRECHNUNG', 'PEPPOL_BIS3');
export type EInvoiceProfile = keyof typeof EInvoiceProfile;

/** State of a delivery. It is PENDING until the access point accepts the e-invoice or the engine gives up. */
export const EInvoiceDeliveryState = enumeration('PENDING', 'SENT', 'FAILED');
export type EInvoiceDeliveryState = keyof typeof EInvoiceDeliveryState;

/** The delivery of one invoice or credit note to the access point (invoicing §22 rule 9). */
export const eInvoiceDeliveryFields = {
  recordId: f.recordId,
  id: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** Id of the invoice. For a credit note, this is the id of the credited invoice. */
  invoiceId: f.id(),
  creditNoteId: f.orNull(f.id()),
  format: f.oneOf(EInvoiceFormat),
  profile: f.oneOf(EInvoiceProfile),
  state: f.oneOf(EInvoiceDeliveryState),
  /** Number of ended attempts. */
  attempts: f.integer(),
  /** Failures in the current retry schedule. */
  failures: f.integer(),
  /** Start of the last attempt. */
  attemptedDate: f.orNull(f.instant()),
  /** The due time of the next attempt, or null if the delivery is not PENDING. */
  nextAttemptDate: f.orNull(f.instant()),
  /** The receipt from the access point, or null until the e-invoice has been sent. */
  receipt: f.orNull(f.text()),
  /** Error of the last attempt, or null if that attempt succeeded. */
  lastError: f.orNull(f.text()),
  createdDate: f.instant(),
};
export interface EInvoiceDelivery extends RecordOf<typeof eInvoiceDeliveryFields> {}
