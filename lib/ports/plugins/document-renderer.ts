import type { Instant } from '../../values/time/index.ts';

/** A line of the table of a document. */
export interface PrintableLine {
  readonly name: string;
  /** Beneath the name; null = nothing. */
  readonly detail: string | null;
  readonly period: string | null;
  readonly amount: string;
}

/** A name and what it stands for, such as a number or a sum. */
export interface PrintableFact {
  readonly label: string;
  readonly value: string;
}

/**
 * A document for a customer, as it is printed: every word, number and date is written out in its language. Texts come from
 * tenants and customers and may hold anything but NUL.
 */
export interface PrintableDocument {
  /** For readers' title bars and lists of files. */
  readonly title: string;
  /** Who sends it; null where the tenant does not say. */
  readonly author: string | null;
  readonly createdDate: Instant;
  /** As HTML writes it: `de-AT`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly paper: 'A4' | 'LETTER';
  readonly heading: string;
  /** A mark below the heading, such as "Paid". */
  readonly status: { readonly text: string; readonly isGood: boolean } | null;
  /** The sender's lines; the first is its name. */
  readonly sender: readonly string[];
  readonly addressee: { readonly label: string; readonly lines: readonly string[] } | null;
  readonly facts: readonly PrintableFact[];
  /** Heads of the columns. */
  readonly columns: { readonly name: string; readonly period: string; readonly amount: string };
  readonly lines: readonly PrintableLine[];
  /** Stands in a table without lines. */
  readonly noLines: string;
  /** The last one is the one that matters if `isLastTotalStressed`. */
  readonly totals: readonly PrintableFact[];
  readonly isLastTotalStressed: boolean;
  /** Below the totals; lines are separated by `\n`. */
  readonly note: string | null;
  readonly footer: string | null;
}

export interface RenderedFile {
  readonly bytes: Uint8Array;
  /** Characters of the document that no font has: a sign for unknown ones stands in their place. */
  readonly missingCharacters: string;
}

/**
 * Makes files of documents. `billwright/pdf` has one.
 *
 * Called without a lock and outside transactions, whenever somebody asks for the file; it changes nothing and may be called
 * any number of times. What it throws reaches the caller: a `BillingError` as it is, anything else as an unexpected error.
 */
export interface DocumentRenderer {
  /**
   * Makes a PDF, and gives other work its turns meanwhile.
   * @param options.signal aborted once nobody waits for the file any more: throw its reason then, rather than go on.
   */
  pdf(
    document: PrintableDocument,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<RenderedFile>;
}
