import {
  type DecodedXml,
  DocumentFault,
  decodeXml as decode,
  faultOfEncoding,
  faultOfText,
  Lines,
} from '../../../values/documents/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../values/errors/index.ts';
import type { Location, VersionLimit } from '../../model/version-content.ts';
import { invalidCatalog } from '../../validation/findings.ts';
import type { Scalar } from '../fields/field.ts';

/** An open element with the values read so far. Offsets are positions of the `<` of a start tag. */
export interface Frame {
  readonly name: string;
  readonly rule: ElementRule<unknown>;
  readonly offset: number;
  readonly fields: Record<string, unknown>;
  readonly childOffsets: Record<string, number | number[]>;
  text: string;
  isNil: boolean;
  /** The number of elements read so far, for each kind of element that is limited. */
  counts?: Map<VersionLimit, number>;
}

export interface ElementRule<out T> {
  readonly attributes: ReadonlyMap<string, AttributeRule>;
  readonly children: ReadonlyMap<string, ChildRule>;
  readonly isLeaf: boolean;
  readonly isNillable: boolean;
  /** Converts a complete element. Returns a `Refusal` if a value is invalid. */
  readonly finish: (frame: Frame) => T | Refusal;
}

export class Refusal {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export interface AttributeRule {
  readonly scalar: Scalar;
  readonly isRequired: boolean;
}

export interface ChildRule {
  readonly occurs: 'one' | 'optional' | 'many';
  readonly element: ElementRule<unknown>;
  /** Limits the number of these elements in a version or plan. */
  readonly limit?: VersionLimit | undefined;
}

export function readScalar<T>(scalar: Scalar<T>, text: string, place: string): T | Refusal {
  const value = scalar.parse(text);
  if (value !== undefined) return value;
  return new Refusal(
    `${place}: ${text === '' ? 'an empty value' : quote(text)} is not ${scalar.description}`,
  );
}

/** A decoded document. Positions are offsets. Line numbers are computed only for errors. */
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

  /** Returns a structural error. It has one problem, with its position (§3.2). */
  fault(offset: number, message: string): BillingError {
    return invalidCatalog([{ message, ...this.locate(offset) }]);
  }

  checkDeclaredEncoding(declared: string | undefined): void {
    const fault = faultOfEncoding(this.#decoded, declared);
    if (fault !== undefined) throw this.fault(fault.offset, fault.message);
  }
}

/**
 * Positions of a document's records, for semantic errors. `locate(plan)` returns the position of the plan's element,
 * `locate(plan, 'product')` that of its child, and `locate(list, 'plan', 2)` that of the third repeated child. A
 * missing child has the position of its parent.
 */
export class Positions {
  readonly #source: XmlSource;
  readonly #frames = new Map<object, Pick<Frame, 'offset' | 'childOffsets'>>();

  constructor(source: XmlSource) {
    this.#source = source;
  }

  remember(value: unknown, frame: Frame): void {
    if (typeof value !== 'object' || value === null) return;
    this.#frames.set(value, { offset: frame.offset, childOffsets: frame.childOffsets });
  }

  locate(record: object, child?: string, index?: number): Location | undefined {
    const frame = this.#frames.get(record);
    if (frame === undefined) return undefined;
    const offsets = child === undefined ? undefined : frame.childOffsets[child];
    const offset = Array.isArray(offsets) ? offsets[index ?? 0] : offsets;
    return this.#source.locate(offset ?? frame.offset);
  }
}

/** Default for the maximum size of a document (`server.limits.text`). */
export const MAX_XML_BYTES = 10 * 1_048_576;

/** Decodes UTF-8 or, if there is a byte order mark, UTF-16. Invalid bytes are an error (§3.2). */
export function decodeXml(document: Uint8Array | string, maxBytes = MAX_XML_BYTES): XmlSource {
  if (document.length > maxBytes) {
    throw billingError(
      ErrorCode.TOO_LARGE,
      `The document has ${document.length} bytes; at most ${maxBytes} are accepted`,
      { size: document.length, limit: maxBytes },
    );
  }
  const source = sourceOf(document);
  const fault = faultOfText(source.text);
  if (fault !== undefined) throw source.fault(fault.offset, fault.message);
  return source;
}

function sourceOf(document: Uint8Array | string): XmlSource {
  try {
    return new XmlSource(decode(document));
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    throw invalidCatalog([{ message: error.message, line: 1, column: 1 }]);
  }
}

const LONGEST_QUOTE = 60;

export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 3)}...` : text);
}
