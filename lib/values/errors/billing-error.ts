import { classNameOf } from './class-name.ts';
import type { ErrorCode } from './error-code.ts';

/** One defect of an input that may have several: a catalog document, a list of records. Lines and columns count from 1. */
export interface Problem {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** Place inside the input, outermost first, e.g. `plans/gold-monthly/finalPhase`. */
  readonly path?: string;
}

export interface BillingErrorInput {
  readonly code: ErrorCode;
  /** Names the thing, the ids and the way out; free of internals, since HTTP callers see it. */
  readonly message: string;
  /** Ids and values behind the message, for programs and logs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly problems?: readonly Problem[];
  readonly cause?: unknown;
}

/**
 * The only error that the library throws on purpose (lib/README.md rule 14): a condition that the caller can act on,
 * with a stable `code` of `ErrorCode`. Whatever else comes out of a call is a defect or a failure of the host.
 */
export class BillingError extends Error {
  override readonly name = 'BillingError';
  readonly code: ErrorCode;
  /** Name of the error's area for the wire: `AccountError`, `CatalogError`, … */
  readonly className: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly problems?: readonly Problem[];

  constructor(input: BillingErrorInput) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.code = input.code;
    this.className = classNameOf(input.code);
    this.facts = Object.freeze({ ...input.facts });
    if (input.problems !== undefined) this.problems = Object.freeze([...input.problems]);
  }
}
