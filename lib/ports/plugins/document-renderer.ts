export interface PrintableLine {
  readonly name: string;
  /** Printed below the name. */
  readonly detail: string | null;
  readonly period: string | null;
  readonly amount: string;
}

/** A name with its value, such as a number or a sum. */
export interface PrintableFact {
  readonly label: string;
  readonly value: string;
}

/**
 * A document for a customer, with every text, number and date already localized. Texts come from tenants and customers
 * and may contain anything but NUL.
 */
export interface PrintableDocument {
  readonly title: string;
  /** The sender; null if the tenant has no name. */
  readonly author: string | null;
  readonly createdDate: Date;
  /** HTML language tag: `de-AT`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly paper: 'A4' | 'LETTER';
  readonly heading: string;
  /** Printed below the heading, such as "Paid". */
  readonly status: { readonly text: string; readonly isGood: boolean } | null;
  /** The sender's lines; the first is its name. */
  readonly sender: readonly string[];
  readonly addressee: { readonly label: string; readonly lines: readonly string[] } | null;
  readonly facts: readonly PrintableFact[];
  /** Column headings. */
  readonly columns: { readonly name: string; readonly period: string; readonly amount: string };
  readonly lines: readonly PrintableLine[];
  /** Printed if the table has no lines. */
  readonly noLines: string;
  /** The last total is emphasized if `isLastTotalStressed`. */
  readonly totals: readonly PrintableFact[];
  readonly isLastTotalStressed: boolean;
  /** Below the totals; lines are separated by `\n`. */
  readonly note: string | null;
  readonly footer: string | null;
}

export interface RenderedFile {
  readonly bytes: Uint8Array;
  /** Characters missing from every font; a replacement sign is printed. */
  readonly missingCharacters: string;
}

/**
 * Renders documents as files; `billwright/pdf` implements it. Called on demand, any number of times, without a lock and
 * outside transactions. A thrown `BillingError` reaches the caller unchanged, anything else as an unexpected error.
 */
export interface DocumentRenderer {
  /**
   * Renders a PDF, yielding to other work.
   * @param options.signal aborted when nobody waits for the file any more: then throw its reason.
   */
  pdf(
    document: PrintableDocument,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<RenderedFile>;
}
