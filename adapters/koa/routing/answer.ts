import type { PageRequest } from '../../../lib/records/index.ts';
import { BillingError, type BillingErrorInput } from '../../../lib/values/errors/index.ts';

export const jsonType = 'application/json';

/** What a handler returns; the status is that of its route unless it names another. */
export interface Answer {
  readonly status?: number;
  /** Written as exact JSON. */
  readonly json?: unknown;
  /** True: if `json` is long it is sent piece by piece, without an `ETag`. */
  readonly isStreamed?: true;
  /** The elements of a JSON list, read a part at a time while they are sent. */
  readonly jsonWindows?: AsyncIterable<Iterable<unknown>>;
  /** Written as it is, with the negotiated type. */
  readonly text?: string;
  /** A file of the route's type. */
  readonly bytes?: Uint8Array;
  /** JSON text, written piece by piece as it comes. */
  readonly jsonPieces?: AsyncIterable<string>;
  /** Written piece by piece as it comes, with the type that was negotiated. */
  readonly textPieces?: AsyncIterable<string>;
  /** A file of the negotiated type, made while it is sent. */
  readonly bytePieces?: AsyncIterable<Uint8Array>;
  /** Path of `Location`, below the core prefix, percent-encoded. */
  readonly location?: string;
  readonly page?: PageFacts;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the headers of a paged list tell. */
export interface PageFacts extends PageRequest {
  /** Records on this page. */
  readonly returned: number;
  /** Records that match. */
  readonly total: number;
  /** All records of the type in the tenant, or in the account. */
  readonly max: number;
}

/** `max` of a list that nobody has counted: no header shows it. */
export const UNCOUNTED = Number.POSITIVE_INFINITY;

/** 200 with a JSON body. */
export function json(value: unknown): Answer {
  return { json: value };
}

/** 200 with a page of a list. */
export function page(rows: readonly unknown[], facts: Omit<PageFacts, 'returned'>): Answer {
  return { json: rows, page: { ...facts, returned: rows.length } };
}

/** 200 with a page of a list that is read while it is sent. */
export function streamedPage(windows: AsyncIterable<Iterable<unknown>>, facts: PageFacts): Answer {
  return { jsonWindows: windows, page: facts };
}

/** 200 with a JSON body that may be very long. */
export function longJson(value: unknown): Answer {
  return { json: value, isStreamed: true };
}

/** 200 with a JSON body that is made while it is sent. */
export function streamedJson(pieces: AsyncIterable<string>): Answer {
  return { jsonPieces: pieces };
}

/** Text of the negotiated type, sent piece by piece. */
export function streamedText(pieces: AsyncIterable<string>): Answer {
  return { textPieces: pieces };
}

/** 200 with text of the negotiated type. */
export function plain(text: string): Answer {
  return { text };
}

/** 200 with nothing, where there could be JSON. */
export const emptyText: Answer = { text: '', headers: { 'Content-Type': 'text/plain; charset=utf-8' } };

/** 201 without a body. */
export function created(location: string): Answer {
  return { location };
}

/** 204 where the route's own success is another. */
export const nothing: Answer = { status: 204 };

/** An error whose status the case decides, not its code, and what it points to (http-api §12, results of payments). */
export class AnsweredError extends BillingError {
  readonly status: number;
  /** Path of `Location`, below the core prefix. */
  readonly location: string | null;

  constructor(input: BillingErrorInput, answer: { readonly status: number; readonly location?: string }) {
    super(input);
    this.status = answer.status;
    this.location = answer.location ?? null;
  }
}
