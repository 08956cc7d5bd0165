export interface PrintableLine {
  readonly name: string;
  /** Printed below the name. */
  readonly detail: string | null;
  readonly period: string | null;
  readonly amount: string;
}

/** A name with a value, such as a number or a sum. */
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
  /** Name of the sender. Null if the tenant has no name. */
  readonly author: string | null;
  readonly createdDate: Date;
  /** HTML language tag: `de-AT`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly paper: 'A4' | 'LETTER';
  readonly heading: string;
  /** Text below the heading, such as "Paid". */
  readonly status: { readonly text: string; readonly isGood: boolean } | null;
  /** Lines of the sender. The first line is the name. */
  readonly sender: readonly string[];
  readonly addressee: { readonly label: string; readonly lines: readonly string[] } | null;
  readonly facts: readonly PrintableFact[];
  /** Column headings. */
  readonly columns: { readonly name: string; readonly period: string; readonly amount: string };
  readonly lines: readonly PrintableLine[];
  /** Text that is printed if the table has no lines. */
  readonly noLines: string;
  /** Totals. The last total is emphasized if `isLastTotalStressed` is true. */
  readonly totals: readonly PrintableFact[];
  readonly isLastTotalStressed: boolean;
  /** Note below the totals, with lines separated by `\n`. */
  readonly note: string | null;
  readonly footer: string | null;
}

export interface RenderedFile {
  readonly bytes: Uint8Array;
  /** Characters that no font contains. A replacement character is printed instead. */
  readonly missingCharacters: string;
}

/**
 * Renders documents as files. `billwright/pdf` implements this port. Called on demand, any number of times,
 * without a lock and outside transactions. The caller gets a thrown `BillingError` unchanged, and any other
 * error as an unexpected error.
 */
export interface DocumentRenderer {
  /**
   * Renders a PDF while other work runs in between.
   * @param options.signal is aborted when nobody waits for the file any more. Then throw its reason.
   */
  pdf(
    document: PrintableDocument,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<RenderedFile>;
}
