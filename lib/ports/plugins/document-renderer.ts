export interface PrintableLine {
  readonly name: string;
  /** Detail, printed below the name. */
  readonly detail: string | null;
  readonly period: string | null;
  readonly amount: string;
  /** The tax rate of the line, or null if the table has no column for tax rates. */
  readonly tax: string | null;
  /** Notes in small print below the name and the detail. They contain the calculation and the usage. */
  readonly notes: readonly string[];
}

/** A label with a value, such as a number or a sum. */
export interface PrintableFact {
  readonly label: string;
  readonly value: string;
  /** Details in small print below the label. Defaults to none. */
  readonly details?: readonly string[];
}

/** An image with alternative text for readers who cannot see it. */
export interface PrintableImage {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/svg+xml';
  readonly bytes: Uint8Array;
  readonly alt: string;
}

/**
 * A document for a customer. All texts, numbers and dates are already localized. Texts come from tenants and customers,
 * and may contain any characters except NUL.
 */
export interface PrintableDocument {
  readonly title: string;
  /** The name of the sender, or null if the tenant has no name. */
  readonly author: string | null;
  readonly createdDate: Date;
  /** HTML language tag, such as `de-AT`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly paper: 'A4' | 'LETTER';
  readonly heading: string;
  /** Text below the heading, such as "Paid". */
  readonly status: { readonly text: string; readonly isGood: boolean } | null;
  /** The colors of headings and rules, such as `#0a5cff`. Null means that the color of the text is used. */
  readonly accent: { readonly rule: string; readonly heading: string } | null;
  /** Logo, printed above the sender. */
  readonly logo: PrintableImage | null;
  /** Printed lines about the sender. The first line is the sender's name. */
  readonly sender: readonly string[];
  readonly addressee: { readonly label: string; readonly lines: readonly string[] } | null;
  readonly facts: readonly PrintableFact[];
  /** Column headings. `tax` is null if the table has no column for tax rates. */
  readonly columns: {
    readonly name: string;
    readonly period: string;
    readonly tax: string | null;
    readonly amount: string;
  };
  readonly lines: readonly PrintableLine[];
  /** Text to print if the table has no lines. */
  readonly noLines: string;
  /** Totals. If `isLastTotalStressed` is true, the last total is emphasized. */
  readonly totals: readonly PrintableFact[];
  readonly isLastTotalStressed: boolean;
  /** Payment details, printed below the totals. The value is null if nothing is owed. */
  readonly payment: { readonly heading: string; readonly facts: readonly PrintableFact[] } | null;
  /** Notes below the totals. Lines are separated by `\n`. */
  readonly notes: readonly string[];
  readonly footer: string | null;
}

export interface RenderedFile {
  readonly bytes: Uint8Array;
  /** Characters that are missing in all fonts. A replacement character was printed for each. */
  readonly missingCharacters: string;
  /** Reason why the file does not contain the logo. Null or absent if the file contains it. */
  readonly logoProblem?: string | null;
}

/** The XML of an e-invoice in a PDF, with the names that Factur-X 1.0 requires. */
export interface EInvoiceAttachment {
  readonly fileName: 'factur-x.xml' | 'xrechnung.xml';
  readonly conformanceLevel: 'EN 16931' | 'XRECHNUNG';
  readonly version: '1.0' | '3.0';
  readonly bytes: Uint8Array;
}

/**
 * Renders documents as files. `billwright/pdf` implements this port. The renderer is called on demand, any number of
 * times, without a lock and outside transactions. The caller gets a thrown `BillingError` unchanged, and any other
 * error as an unexpected error.
 */
export interface DocumentRenderer {
  /**
   * Renders a PDF. Other work can run in the meantime.
   * @param options.signal Aborted when nobody is waiting for the file anymore. The function must then throw the
   * signal's reason.
   */
  pdf(
    document: PrintableDocument,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<RenderedFile>;

  /**
   * Renders a PDF/A-3 with the attached e-invoice (Factur-X, ZUGFeRD), like `pdf`. If this method is absent, the
   * format FACTUR_X fails with NOT_IMPLEMENTED (1).
   */
  pdfWithEInvoice?(
    document: PrintableDocument,
    attachment: EInvoiceAttachment,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<RenderedFile>;
}
