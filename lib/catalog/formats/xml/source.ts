import { type DecodedXml, faultOfEncoding, Lines } from '../../../values/documents/index.ts';
import type { BillingError } from '../../../values/errors/index.ts';
import type { Location } from '../../model/parsed-version.ts';
import { invalidCatalog } from '../../validation/invalid-catalog.ts';

/** A decoded document. Positions are offsets into `text`; lines are counted only when an error is reported. */
export class XmlSource {
  readonly text: string;
  readonly #decoded: DecodedXml;
  readonly #lines: Lines;

  constructor(decoded: DecodedXml) {
    this.text = decoded.text;
    this.#decoded = decoded;
    this.#lines = new Lines(decoded.text);
  }

  locate(offset: number): Location {
    return this.#lines.at(offset);
  }

  /** The error for a document whose structure is wrong: one problem, with its place (§3.2). */
  fault(offset: number, message: string): BillingError {
    return invalidCatalog([{ message, ...this.locate(offset) }]);
  }

  /** Refuses an XML declaration that names another encoding than the one the bytes are in. */
  checkDeclaredEncoding(declared: string | undefined): void {
    const fault = faultOfEncoding(this.#decoded, declared);
    if (fault !== undefined) throw this.fault(fault.offset, fault.message);
  }
}
