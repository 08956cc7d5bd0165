import { ErrorCode } from './error-code.ts';

/**
 * One of the problems that were found in an input, such as a catalog document. The first line and the first column have
 * the number 1.
 */
export interface Problem {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** Position in the input, such as `plans/gold-monthly/finalPhase`. */
  readonly path?: string;
}

export interface BillingErrorInput {
  readonly code: ErrorCode;
  /**
   * Message that names the object and its ids and explains how to solve the problem. HTTP callers see the message, so
   * it contains no internal details.
   */
  readonly message: string;
  /** Ids and values that the message contains, for programs and logs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly problems?: readonly Problem[];
  readonly cause?: unknown;
}

/**
 * The only error that the library throws intentionally (lib/README.md rule 14). It describes a condition that the
 * caller can handle, and its `code` is one of `ErrorCode`. Any other error is a defect or a failure in the host.
 */
export class BillingError extends Error {
  override readonly name = 'BillingError';
  readonly code: ErrorCode;
  /** Area of the error, such as `AccountError` or `CatalogError`. */
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

/** Returns true if a write was rejected because its tenant is being moved (cells §3.2 rule 2). */
export function isMoving(error: unknown): boolean {
  return error instanceof BillingError && error.facts.isMoving === true;
}

/** The first error code and the `className` of each area (http-api §12 rule 2). */
const classNamesFromCode: readonly (readonly [firstCode: number, className: string])[] = [
  [63_000, 'FeatureError'],
  [62_000, 'CouponError'],
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

/** Returns the `className` of a code. */
export function classNameOf(code: number): string {
  const area = classNamesFromCode.find(([firstCode]) => code >= firstCode);
  return area?.[1] ?? 'RequestError';
}

type Facts = Readonly<Record<string, unknown>>;

/** Creates an error. `facts` contains the ids and values of its message. */
export function billingError(code: ErrorCode, message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code, message, facts });
}

/** Creates the error MISSING_OR_INVALID_FIELD (60003) for a missing or invalid field. */
export function invalidField(message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code: ErrorCode.MISSING_OR_INVALID_FIELD, message, facts });
}

/** Creates the error INVALID_PARAMETER (60002) for a parameter that is invalid or contradicts another parameter. */
export function invalidParameter(message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code: ErrorCode.INVALID_PARAMETER, message, facts });
}

/**
 * Thrown for an illegal state or a mistake in the calling code, but never because of input. The change is not stored.
 * HTTP returns 500, and an invoice run parks the account (invoicing §8.4).
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly facts: Facts;

  constructor(message: string, facts: Facts = {}) {
    super(message);
    this.facts = Object.freeze({ ...facts });
  }
}

/**
 * Throws an `InvariantError` unless `condition` is truthy, including in production. The message is built for each call.
 * Code that runs once per value therefore throws the error itself.
 */
export function assertInvariant(condition: unknown, message: string, facts: Facts = {}): asserts condition {
  if (!condition) throw new InvariantError(message, facts);
}

/**
 * Thrown if a plugin returns an invalid result. The message completes a sentence that begins with the plugin's name.
 */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** Returns the message of a problem, with its line and column if they are known. */
export function problemText({ message, line, column }: Problem): string {
  return line === undefined ? message : `line ${line}, column ${column ?? 1}: ${message}`;
}
