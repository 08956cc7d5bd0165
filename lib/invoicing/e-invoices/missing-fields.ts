import { BillingError, ErrorCode } from '../../values/errors/index.ts';

const MAX_LISTED = 50;

/** Matches the names of fields that cannot change after an invoice is issued. */
const KEPT = /^(seller |tax categor|one tax for|one kind of taxes|reason of the tax exemption)/;
const BILL_AGAIN =
  'An issued invoice keeps its seller data and taxes: set them, then void the invoice and bill it again.';

/** Collects the missing fields of an e-invoice, so that one error names all of them. */
export class MissingFields {
  readonly #fields = new Set<string>();

  /** @param field the field and where to set it, such as `seller taxId: acme.sellers.upload (POST /sellers)`. */
  add(field: string): void {
    this.#fields.add(field);
  }

  /** Adds the field if the value is null. Returns the value. */
  required<T>(value: T | null, field: string): T | null {
    if (value === null) this.add(field);
    return value;
  }

  /** Throws if fields are missing. @throws BillingError INVOICE_NOT_ELECTRONIC (4041) that lists all fields. */
  refuse(document: string, facts: Readonly<Record<string, unknown>>): void {
    if (this.#fields.size === 0) return;
    const all = [...this.#fields];
    const more = all.length > MAX_LISTED ? `; and ${all.length - MAX_LISTED} more` : '';
    throw new BillingError({
      code: ErrorCode.INVOICE_NOT_ELECTRONIC,
      message: `An e-invoice for ${document} requires: ${all.slice(0, MAX_LISTED).join('; ')}${more}${this.#remedy(document)}`,
      facts: { ...facts, missing: all },
      problems: all.map((message) => ({ message })),
    });
  }

  /**
   * Returns the remedy for the missing fields. If there is no seller data, an upload is sufficient, because the invoice
   * shows the first version (§14 rule 7).
   */
  #remedy(document: string): string {
    const fields = [...this.#fields];
    const hasSeller = !fields.some((field) => field.startsWith('seller data:'));
    const isKept = (field: string) => KEPT.test(field) && (hasSeller || !field.startsWith('seller '));
    return document.startsWith('invoice ') && fields.some(isKept) ? `. ${BILL_AGAIN}` : '';
  }
}
