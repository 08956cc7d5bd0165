import { EInvoiceFormat, EInvoiceProfile } from '../../records/index.ts';
import { billingError, ErrorCode, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { InvoiceView } from '../invoices/invoice-view.ts';

/** A format with the rules that it follows. */
export interface EInvoiceKind {
  readonly format: EInvoiceFormat;
  readonly profile: EInvoiceProfile;
}

/** A requested format. The profile defaults to EN16931. */
export type EInvoiceChoice = Pick<EInvoiceKind, 'format'> & {
  readonly profile?: EInvoiceProfile | null | undefined;
};

export interface EInvoiceRequest extends EInvoiceChoice {
  readonly invoiceId: Uuid;
}

export interface NoteEInvoiceRequest extends EInvoiceChoice {
  readonly creditNoteId: Uuid;
}

export interface EInvoiceFile {
  /** `application/xml`, or `application/pdf` for FACTUR_X. */
  readonly mediaType: string;
  /** ASCII file name, such as `invoice-17.xml`. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/**
 * Returns the format and profile.
 * @throws BillingError INVALID_PARAMETER (60002) for an invalid combination (§22 rule 1).
 */
export function checkKind({ format, profile }: EInvoiceChoice): EInvoiceKind {
  const formats = Object.keys(EInvoiceFormat);
  if (!formats.includes(format))
    throw invalidParameter(`Invalid e-invoice format "${format}". Use ${formats.join(', ')}`, { format });
  const stated = profile ?? EInvoiceProfile.EN16931;
  const profiles = Object.keys(EInvoiceProfile);
  if (!profiles.includes(stated))
    throw invalidParameter(`Invalid e-invoice profile "${stated}". Use ${profiles.join(', ')}`, {
      profile: stated,
    });
  if (stated === EInvoiceProfile.PEPPOL_BIS3 && format !== EInvoiceFormat.UBL)
    throw invalidParameter(`The profile PEPPOL_BIS3 exists in UBL only, not as ${format}`, {
      format,
      profile: stated,
    });
  return { format, profile: stated };
}

/**
 * Checks that the invoice can be issued as an e-invoice.
 * @throws BillingError INVOICE_INVALID_STATUS (4023) otherwise (§22 rule 2).
 */
export function requireIssued({ id, status, isMigration }: InvoiceView): void {
  if (status === 'COMMITTED' && !isMigration) return;
  const state = status === 'COMMITTED' ? 'a migration invoice' : `${status}`;
  throw billingError(
    ErrorCode.INVOICE_INVALID_STATUS,
    `Invoice ${id} is ${state}: only COMMITTED invoices have an e-invoice`,
    { invoiceId: id, status },
  );
}

/**
 * Checks that the invoice is not a summary of children.
 * @throws BillingError INVOICE_NOT_ELECTRONIC (4041) for a summary (§22 rule 2).
 */
export function refuseSummary({ id, isParentInvoice }: InvoiceView): void {
  if (!isParentInvoice) return;
  throw billingError(
    ErrorCode.INVOICE_NOT_ELECTRONIC,
    `Invoice ${id} is the summary of child accounts. A summary and its credit notes have no e-invoice, because the invoices of the children are the tax documents. Create their e-invoices instead`,
    { invoiceId: id },
  );
}

/**
 * Returns the file name. In the number of the invoice or credit note, characters other than letters, digits, dots and
 * underscores are replaced with hyphens.
 */
export function fileNameOf(
  number: string,
  { isNote, format }: { readonly isNote: boolean; readonly format: EInvoiceFormat },
): string {
  const plain = number.replace(/[^A-Za-z0-9._]+/g, '-');
  const extension = format === EInvoiceFormat.FACTUR_X ? 'pdf' : 'xml';
  return `${isNote ? 'credit-note' : 'invoice'}-${plain}.${extension}`;
}
