import type { PageRequest } from '../../../lib/records/index.ts';
import { BillingError, type BillingErrorInput } from '../../../lib/values/errors/index.ts';

export const jsonType = 'application/json';

/** A response. By default, it has the status of the route. */
export interface Answer {
  readonly status?: number;
  readonly json?: unknown;
  /** True if a long `json` value is streamed. The response then has no `ETag`. */
  readonly isStreamed?: true;
  /** A JSON list that is read in several windows while it is being sent. */
  readonly jsonWindows?: AsyncIterable<Iterable<unknown>>;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly jsonPieces?: AsyncIterable<string>;
  readonly textPieces?: AsyncIterable<string>;
  readonly bytePieces?: AsyncIterable<Uint8Array>;
  /** Path of the created resource without the core prefix, percent-encoded. */
  readonly location?: string;
  readonly page?: PageFacts;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageFacts extends PageRequest {
  /** Records on this page. */
  readonly returned: number;
  /** Matching records. */
  readonly total: number;
  /** Total number of records of this type in the tenant or account. */
  readonly max: number;
}

/** Value of `max` for a list without a total. Its response has no header for the total. */
export const UNCOUNTED = Number.POSITIVE_INFINITY;

export const emptyText: Answer = { text: '', headers: { 'Content-Type': 'text/plain; charset=utf-8' } };

/** The 204 response. Used by routes that normally return a different success status. */
export const nothing: Answer = { status: 204 };

/** An error with its own HTTP status and a `Location` header (http-api §12, results of payments). */
export class AnsweredError extends BillingError {
  readonly status: number;
  /** Path below the core prefix. */
  readonly location: string | null;

  constructor(input: BillingErrorInput, answer: { readonly status: number; readonly location?: string }) {
    super(input);
    this.status = answer.status;
    this.location = answer.location ?? null;
  }
}
