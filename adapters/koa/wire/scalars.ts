import { z } from 'zod';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import {
  MAX_FRACTION_DIGITS,
  MAX_INTEGER_DIGITS,
  MAX_NUMBER_CHARACTERS,
  MAX_STORED_INTEGER,
  MAX_USAGE_INTEGER_DIGITS,
  MIN_STORED_INTEGER,
} from '../../../lib/values/limits.ts';
import {
  currencyCodes,
  type Decimal,
  decimalOf,
  describeJsonValue,
  formatDecimal,
  parseWireDecimal,
  roundToScale,
  type WireDecimalLimits,
} from '../../../lib/values/money/index.ts';
import { isStorable, NOT_STORABLE } from '../../../lib/values/text/index.ts';
import {
  dateOfParts,
  formatInstant,
  formatLocalDate,
  type Instant,
  instantOfParts,
  type LocalDate,
  parseWireDate,
  parseWireInstant,
  type RequestedDate,
} from '../../../lib/values/time/index.ts';
import { Dialect } from '../dialect.ts';
import { onDemand, withLazy } from './lazy-values.ts';
import { documentOf, perDialect, refuse, type WireType } from './wire-type.ts';

/** Maximum number of digits on each side of the decimal point in a number that is sent as text. */
const MAX_TEXT_DIGITS = 64;

/** Maximum number of elements in a dialect K date, which lists numbers from the year to the millisecond. */
const MAX_DATE_PARTS = 7;

type Context = Parameters<typeof refuse>[0];

interface ScalarInput<T> {
  readonly answer: () => z.ZodType;
  /**
   * Parses a value that is not null (`decimalOf` parses numbers). Returns null for an empty value and undefined for an
   * invalid one.
   */
  readonly read: (value: unknown, dialect: Dialect, context: Context) => T | null | undefined;
  /** Message for an invalid value. */
  readonly problem: string;
  readonly write?: (value: T) => unknown;
}

function scalar<T>({ answer, read, problem, write }: ScalarInput<T>): WireType<T> {
  const request = (dialect: Dialect) =>
    z.unknown().transform((value, context): T | null => {
      if (value === undefined || value === null) return null;
      const code = ErrorCode.MALFORMED_BODY;
      if (typeof value === 'string' && !isStorable(value))
        return refuse(context, { code, text: NOT_STORABLE });
      const found = read(value, dialect, context);
      if (found !== undefined) return found;
      return refuse(context, { code, text: `${problem}: ${describeJsonValue(value)}` });
    });
  const answers = onDemand(answer);
  return withLazy(
    {
      request: perDialect(request),
      answer: perDialect(answers),
      ...(write && { write: (value: unknown) => write(value as T) }),
    },
    { json: () => documentOf(answers()) },
  );
}

/** Returns a scalar type in which an empty string means null. */
function emptiable<T>({ read, ...input }: ScalarInput<T>): WireType<T> {
  return scalar({ ...input, read: (value, ...others) => (value === '' ? null : read(value, ...others)) });
}

/** Returns a string type. Numbers and booleans are converted to strings (http-api §9 rule 6). */
export function text(
  maxLength = Number.POSITIVE_INFINITY,
  tooLong: ErrorCode = ErrorCode.MISSING_OR_INVALID_FIELD,
): WireType<string> {
  return scalar<string>({
    answer: () => (Number.isFinite(maxLength) ? z.string().max(maxLength) : z.string()),
    problem: 'is not text',
    read(value, _dialect, context) {
      const given = textOf(value);
      if (given === undefined || given.length <= maxLength) return given;
      const message = `is ${given.length} characters long; at most ${maxLength} are allowed`;
      return refuse(context, { code: tooLong, text: message });
    },
  });
}

/** An external key. An invalid key results in error code 5 (json-models §16 rule 4). */
export const externalKey = text(255, ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED);

export const bool = scalar<boolean>({
  answer: () => z.boolean(),
  problem: 'is not a boolean',
  read(value) {
    if (typeof value === 'boolean') return value;
    const word = typeof value === 'string' ? value.toLowerCase() : '';
    return word === 'true' || word === 'false' ? word === 'true' : undefined;
  },
});

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * Returns an integer type whose values the database can store. The engine checks narrower bounds. This type only
 * documents them.
 */
export function int({ minimum, maximum }: Bounds = {}): WireType<number> {
  return emptiable<number>({
    answer: () =>
      z
        .int()
        .min(minimum ?? Number.MIN_SAFE_INTEGER)
        .max(maximum ?? Number.MAX_SAFE_INTEGER),
    problem: 'is not an integer',
    read(value, _dialect, context) {
      const number = numberOf(value);
      if (!number?.isInteger()) return undefined;
      if (number.gte(MIN_STORED_INTEGER) && number.lte(MAX_STORED_INTEGER)) return number.toNumber();
      const range = `${minimum ?? MIN_STORED_INTEGER} and ${maximum ?? MAX_STORED_INTEGER}`;
      const message = `is not between ${range}: ${describeJsonValue(number)}`;
      return refuse(context, { code: ErrorCode.MISSING_OR_INVALID_FIELD, text: message });
    },
  });
}

/** An integer of at least 1 and less than 2^53 (platform §17). */
export const recordNumber = emptiable<number>({
  answer: () => z.int().min(1),
  problem: 'is not a record id',
  read(value) {
    const number = numberOf(value);
    if (!number?.isInteger() || number.lt(1) || number.gt(Number.MAX_SAFE_INTEGER)) return undefined;
    return number.toNumber();
  },
});

/**
 * A number with up to 15 digits before and 9 digits after the decimal point. In dialect K, further digits are treated
 * as floating-point errors and rounded (http-api §9 rule 5).
 */
export const decimalNumber = decimalType(MAX_INTEGER_DIGITS);

/** Up to 20 integer digits. */
export const usageAmount = decimalType(MAX_USAGE_INTEGER_DIGITS);

function decimalType(integerDigits: number): WireType<Decimal> {
  const limits = { integerDigits, fractionDigits: MAX_FRACTION_DIGITS };
  return emptiable<Decimal>({
    answer: () => z.number(),
    problem: `is not a decimal of at most ${integerDigits} integer and ${MAX_FRACTION_DIGITS} fractional digits`,
    read(value, dialect) {
      const given = typeof value === 'string' ? value : decimalOf(value);
      return given === undefined ? undefined : readDecimal(given, limits, dialect);
    },
  });
}

function readDecimal(
  value: string | Decimal,
  limits: WireDecimalLimits,
  dialect: Dialect,
): Decimal | undefined {
  const exact = parseWireDecimal(value, limits);
  if (exact !== undefined || dialect === Dialect.D) return exact;
  const noisy = parseWireDecimal(value, { ...limits, fractionDigits: MAX_NUMBER_CHARACTERS });
  return noisy && parseWireDecimal(roundToScale(noisy, limits.fractionDigits), limits);
}

export const uuid = emptiable<Uuid>({
  answer: () => z.guid(),
  problem: 'is not a UUID',
  read(value) {
    const lower = typeof value === 'string' ? value.toLowerCase() : '';
    return isUuid(lower) ? lower : undefined;
  },
});

/** A date in the format `yyyy-M-d`. Dialect K also accepts `[year, month, day]` (ruling R46). */
export const date = scalar<LocalDate>({
  answer: () => z.iso.date(),
  problem: 'is not a date (yyyy-MM-dd)',
  write: formatLocalDate,
  read: (value, dialect) => (isUnset(value, dialect) ? null : dayOf(value, dialect)),
});

function dayOf(value: unknown, dialect: Dialect): LocalDate | undefined {
  return typeof value === 'string' ? parseWireDate(value) : dateOfParts(partsOf(value, dialect));
}

/**
 * A date-time, a date (which means 00:00 UTC) or epoch milliseconds (http-api §9 rule 2). Dialect K also accepts a list
 * of numbers (ruling R46).
 */
export const timestamp = scalar<Instant>({
  answer: () => z.iso.datetime({ precision: 3 }),
  problem: 'is not a date-time',
  write: rememberingLast((at: Instant | Date) => (at instanceof Date ? at.toISOString() : formatInstant(at))),
  read: (value, dialect) => (isUnset(value, dialect) ? null : instantOf(value, dialect)),
});

/** A date, a date-time or epoch milliseconds. Dialect K also accepts a list of numbers (ruling R46). */
export const recordDate = scalar<RequestedDate>({
  answer: () => z.union([z.iso.date(), z.iso.datetime({ precision: 3 })]),
  problem: 'is neither a date nor a date-time',
  read(value, dialect) {
    if (isUnset(value, dialect)) return null;
    const day = dayOf(value, dialect);
    if (day !== undefined) return { date: day };
    const at = instantOf(value, dialect);
    return at === undefined ? undefined : { at };
  },
});

/** Returns the date that a dialect K list of numbers represents (ruling R46), or undefined for an invalid list. */
export function recordDateOfNumbers(value: readonly unknown[]): RequestedDate | undefined {
  const parts = partsOf(value, Dialect.K);
  const date = dateOfParts(parts);
  if (date !== undefined) return { date };
  const at = instantOfParts(parts);
  return at === undefined ? undefined : { at };
}

/** Returns an enumeration type. Its values are in upper case (http-api §9 rule 8). */
export function enumeration<V extends string>(
  values: Readonly<Record<string, V>> | readonly V[],
): WireType<V> {
  const allowed = [...new Set(Object.values(values))];
  return emptiable<V>({
    answer: () => z.enum(allowed),
    problem: `is not one of ${allowed.join(', ')}`,
    read: (value) => allowed.find((each) => each === value),
  });
}

/**
 * A currency code. The engine validates it, because the error depends on the operation. For dialect K clients, the type
 * is an enumeration.
 */
export const currency: WireType<string> = withLazy(
  emptiable<string>({
    answer: () =>
      z
        .string()
        .regex(/^[A-Z]{3}$/)
        .meta({ description: 'ISO 4217 code' }),
    problem: 'is not a currency code',
    read: (value) => (typeof value === 'string' ? value : undefined),
  }),
  { jsonInK: () => ({ type: 'string', enum: currencyCodes }) },
);

/** Matches Go's zero time. Dialect K clients written in Go send it for unset dates (http-api §9 rule 6). */
const zeroTime = /^0001-01-01(?:T00:00:00(?:\.0+)?Z)?$/;

function isUnset(value: unknown, dialect: Dialect): boolean {
  return value === '' || (dialect === Dialect.K && typeof value === 'string' && zeroTime.test(value));
}

/** Returns a formatter that caches the last text, because consecutive values often have the same instant. */
function rememberingLast<T>(format: (value: T) => string): (value: T) => string {
  let last: { readonly value: T; readonly text: string } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, text: format(value) };
    return last.text;
  };
}

function instantOf(value: unknown, dialect: Dialect): Instant | undefined {
  if (typeof value === 'string') return parseWireInstant(value);
  const number = decimalOf(value);
  return number === undefined ? instantOfParts(partsOf(value, dialect)) : parseWireInstant(number.toNumber());
}

/** Returns the numbers of a dialect K date, or undefined if the value is invalid. */
function partsOf(value: unknown, dialect: Dialect): readonly number[] {
  if (dialect !== Dialect.K || !Array.isArray(value)) return [];
  // Longer lists are invalid and slow to parse.
  if (value.length > MAX_DATE_PARTS) return [];
  return value.map((part: unknown) => decimalOf(part)?.toNumber() ?? Number.NaN);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const number = decimalOf(value);
  return number !== undefined && isShort(number) ? formatDecimal(number) : undefined;
}

/** Returns true for a number with few digits. `1e999999999` is valid JSON, but its text would have a billion digits. */
function isShort(value: Decimal): boolean {
  return Math.abs(value.e) < MAX_TEXT_DIGITS;
}

function numberOf(value: unknown): Decimal | undefined {
  return typeof value === 'string' ? parseWireDecimal(value) : decimalOf(value);
}
