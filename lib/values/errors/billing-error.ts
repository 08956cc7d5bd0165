import { ErrorCode } from './error-code.ts';

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

/** First code of each area and the `className` that its errors carry on the wire (http-api §12 rule 2). */
const classNamesFromCode: readonly (readonly [firstCode: number, className: string])[] = [
  [61_000, 'CatalogEntryError'],
  [60_000, 'RequestError'],
  [50_000, 'UsageError'],
  [40_000, 'SecurityError'],
  [30_000, 'EmailError'],
  [20_000, 'TenantError'],
  [10_000, 'CurrencyError'],
  [9_000, 'CustomFieldError'],
  [8_000, 'EntitlementError'],
  [7_000, 'PaymentError'],
  [6_000, 'BlockingError'],
  [5_000, 'OverdueError'],
  [4_000, 'InvoiceError'],
  [3_900, 'TagError'],
  [3_000, 'AccountError'],
  [2_000, 'CatalogError'],
  [1_000, 'SubscriptionError'],
];

/** The stable name of the error class of `code`, from the area that the code belongs to. */
export function classNameOf(code: number): string {
  const area = classNamesFromCode.find(([firstCode]) => code >= firstCode);
  return area?.[1] ?? 'RequestError';
}

type Facts = Readonly<Record<string, unknown>>;

/** The error of a code, with the ids and values behind its message. */
export function billingError(code: ErrorCode, message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code, message, facts });
}

/** MISSING_OR_INVALID_FIELD (60003): what a request holds is missing or cannot be taken. */
export function invalidField(message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code: ErrorCode.MISSING_OR_INVALID_FIELD, message, facts });
}

/** INVALID_PARAMETER (60002): how something is asked for cannot be read, or contradicts itself. */
export function invalidParameter(message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code: ErrorCode.INVALID_PARAMETER, message, facts });
}

/**
 * An illegal state or a mistake of the calling code: never a condition that a user can cause by bad input. The present
 * change must not be written. HTTP answers 500; an invoice run parks the account (invoicing §8.4).
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.facts = Object.freeze({ ...facts });
  }
}

/**
 * Throws an `InvariantError` with `message` and `facts` unless `condition` is truthy; stays on in production. The message
 * is put together at each call: what runs for every value of every row throws by itself instead.
 */
export function assertInvariant(
  condition: unknown,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): asserts condition {
  if (!condition) throw new InvariantError(message, facts);
}

/** An answer that the port of a plugin does not allow. The message completes a sentence that begins with the plugin's name. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** The problem with its place, as far as it has one. */
export function problemText({ message, line, column }: Problem): string {
  return line === undefined ? message : `line ${line}, column ${column ?? 1}: ${message}`;
}
