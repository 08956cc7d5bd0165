import type { BillingError } from '../../../values/errors/index.ts';
import type { Location } from '../../model/parsed-version.ts';
import { invalidCatalog } from '../../validation/invalid-catalog.ts';
import { quote } from './quote.ts';

/** How the document's characters came, with the encoding names that its XML declaration may then give. */
const DECLARABLE_ENCODING = {
  'utf-8': /^utf-?8$/i,
  'utf-16le': /^utf-?16(le)?$/i,
  'utf-16be': /^utf-?16(be)?$/i,
  /** Already a string: its declaration is about bytes that were never seen here. */
  decoded: /^utf-?(8|16(le|be)?)$/i,
} as const;
export type XmlEncoding = keyof typeof DECLARABLE_ENCODING;

/** A decoded document. Positions are offsets into `text`; lines are counted only when an error is reported. */
export class XmlSource {
  readonly text: string;
  readonly #encoding: XmlEncoding;
  #lineStarts: readonly number[] | undefined;

  constructor(text: string, encoding: XmlEncoding) {
    this.text = text;
    this.#encoding = encoding;
  }

  locate(offset: number): Location {
    this.#lineStarts ??= lineStartsOf(this.text);
    const starts = this.#lineStarts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }

  /** The error for a document whose structure is wrong: one problem, with its place (§3.2). */
  fault(offset: number, message: string): BillingError {
    return invalidCatalog([{ message, ...this.locate(offset) }]);
  }

  /** Refuses an XML declaration that names another encoding than the one the bytes are in. */
  checkDeclaredEncoding(declared: string | undefined): void {
    if (declared === undefined || DECLARABLE_ENCODING[this.#encoding].test(declared)) return;
    throw this.fault(
      0,
      `The declared encoding ${quote(declared)} is not that of the document; send UTF-8, or UTF-16 with a byte order mark`,
    );
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Offsets at which lines start; a line ends with LF, CR or both. */
function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    const endsLine =
      code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(offset + 1) !== LINE_FEED);
    if (endsLine) starts.push(offset + 1);
  }
  return starts;
}
