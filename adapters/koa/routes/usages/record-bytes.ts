import { type BillingError, billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';

/** Placeholder for a record that exceeds the size limit. The bytes of the record are discarded. */
export const TOO_LONG = Symbol('a record that is too long');

export type RecordBytes = Uint8Array | typeof TOO_LONG;

/** Splits a list into records as it arrives. Holds at most one record in memory. */
export interface RecordCutter {
  cut(piece: Uint8Array): Iterable<RecordBytes>;
  /** Ends the list and returns the remaining records. @throws BillingError MALFORMED_BODY for an incomplete list. */
  end(): Iterable<RecordBytes>;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST_BEGIN = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT_BEGIN = 0x7b;
const OBJECT_END = 0x7d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Nesting change per byte. */
const LEVELS = new Int8Array(256);
for (const byte of [OBJECT_BEGIN, LIST_BEGIN]) LEVELS[byte] = 1;
for (const byte of [OBJECT_END, LIST_END]) LEVELS[byte] = -1;

export class LineCutter implements RecordCutter {
  readonly #line: PartialRecord;

  constructor(maxBytes: number) {
    this.#line = new PartialRecord(maxBytes);
  }

  *cut(piece: Uint8Array): Generator<RecordBytes> {
    for (let at = 0; at < piece.length; ) {
      // This loop skips even millions of blank lines in linear time.
      if (this.#line.isEmpty) at = afterBlanks(piece, at);
      const end = piece.indexOf(LINE_FEED, at);
      if (end < 0) return this.#line.add(piece.subarray(at));
      this.#line.add(piece.subarray(at, end));
      yield* this.#line.take();
      at = end + 1;
    }
  }

  end(): Iterable<RecordBytes> {
    return this.#line.take();
  }
}

/** Splits a JSON list by looking only at brackets and quotes. The JSON parser later reports all other errors. */
export class ElementCutter implements RecordCutter {
  readonly #element: PartialRecord;
  #place: 'BEFORE' | 'INSIDE' | 'AFTER' = 'BEFORE';
  #markBytes = 0;
  #elements = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(maxBytes: number) {
    this.#element = new PartialRecord(maxBytes);
  }

  *cut(piece: Uint8Array): Generator<RecordBytes> {
    let at = 0;
    while (at < piece.length) {
      if (this.#place === 'BEFORE') {
        at = this.#begin(piece, at);
        continue;
      }
      if (this.#element.isEmpty) at = afterBlanks(piece, at);
      if (at === piece.length) return;
      if (this.#place === 'AFTER') throw malformedBodyError('The list is followed by unexpected text');
      const end = this.#endOfElement(piece, at);
      this.#element.add(piece.subarray(at, end));
      if (end === piece.length) return;
      yield* this.#takeElement(piece[end] === LIST_END);
      at = end + 1;
    }
  }

  end(): Iterable<RecordBytes> {
    if (this.#place === 'AFTER') return [];
    const what = this.#place === 'BEFORE' ? 'The body is not a list' : 'The list is not terminated';
    throw malformedBodyError(
      this.#elements === 0 ? what : `${what}; it was read up to element ${this.#elements - 1}`,
    );
  }

  /** Returns the index after the opening bracket, or the end of the piece. */
  #begin(piece: Uint8Array, from: number): number {
    let at = from;
    while (this.#markBytes < BYTE_ORDER_MARK.length && piece[at] === BYTE_ORDER_MARK[this.#markBytes]) {
      this.#markBytes += 1;
      at += 1;
    }
    at = afterBlanks(piece, at);
    if (at === piece.length) return at;
    if (piece[at] !== LIST_BEGIN) throw malformedBodyError('The body is not a list');
    this.#place = 'INSIDE';
    return at + 1;
  }

  /** Returns the index of the next comma or closing bracket, or the end of the piece. */
  #endOfElement(piece: Uint8Array, from: number): number {
    let at = from;
    while (at < piece.length) {
      if (this.#isInText) {
        at = this.#afterText(piece, at);
        continue;
      }
      const byte = piece[at] ?? 0;
      if (byte === QUOTE) this.#isInText = true;
      else if (this.#depth === 0 && (byte === COMMA || byte === LIST_END)) return at;
      else this.#depth += LEVELS[byte] ?? 0;
      at += 1;
    }
    return at;
  }

  /** Returns the index after the closing quote, or the end of the piece. */
  #afterText(piece: Uint8Array, from: number): number {
    let isEscaped = this.#isEscaped;
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        [this.#isInText, this.#isEscaped] = [false, false];
        return at + 1;
      }
    }
    this.#isEscaped = isEscaped;
    return piece.length;
  }

  *#takeElement(isLast: boolean): Generator<RecordBytes> {
    if (isLast) this.#place = 'AFTER';
    if (this.#element.isEmpty) {
      if (isLast && this.#elements === 0) return;
      throw malformedBodyError(`Element ${this.#elements} of the list is empty`);
    }
    this.#elements += 1;
    yield* this.#element.take();
  }
}

class PartialRecord {
  readonly #maxBytes: number;
  #bytes: Uint8Array = NOTHING;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const before = this.#length;
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#bytes = NOTHING;
    else if (before === 0) this.#bytes = piece;
    else this.#append(piece, before);
  }

  *take(): Generator<RecordBytes> {
    if (this.isEmpty) return;
    const record = this.#length > this.#maxBytes ? TOO_LONG : this.#bytes.subarray(0, this.#length);
    [this.#bytes, this.#length] = [NOTHING, 0];
    yield record;
  }

  /**
   * Appends bytes to the buffer. The buffer grows by doubling its size, because a body may arrive one byte at a time.
   */
  #append(piece: Uint8Array, before: number): void {
    if (this.#bytes.length < this.#length) {
      const roomy = new Uint8Array(2 * this.#length);
      roomy.set(this.#bytes.subarray(0, before));
      this.#bytes = roomy;
    }
    this.#bytes.set(piece, before);
  }
}

const NOTHING = new Uint8Array();

function afterBlanks(piece: Uint8Array, from: number): number {
  let at = from;
  while (at < piece.length && isBlank(piece[at])) at += 1;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

function malformedBodyError(message: string): BillingError {
  return billingError(ErrorCode.MALFORMED_BODY, message);
}
