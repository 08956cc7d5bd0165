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
  formatDecimal,
  parseWireDecimal,
  roundToScale,
  type WireDecimalLimits,
} from '../../../lib/values/money/index.ts';
import { isStorable, NOT_STORABLE, shortened } from '../../../lib/values/text/index.ts';
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
import { onDemand } from './on-demand.ts';
import { documentOf, perDialect, refuse, type WireProblem, type WireType } from './wire-type.ts';

/** Null means "nothing". */
type Reading<T> = { readonly value: T | null } | { readonly problem: string | WireProblem };

/** Digits per side of the point up to which numbers may stand for text. */
const MAX_TEXT_DIGITS = 64;

/** Numbers of a dialect K date-time, from the year to the millisecond. */
const MAX_DATE_PARTS = 7;

interface ScalarInput<T> {
  readonly answer: () => z.ZodType;
  /** Reads a value other than null; `decimalOf` reads numbers. */
  readonly read: (value: unknown, dialect: Dialect) => Reading<T>;
  readonly write?: (value: T) => unknown;
}

function scalar<T>(input: ScalarInput<T>): WireType<T> {
  const request = (dialect: Dialect) =>
    z.unknown().transform((value, context): T | null => {
      if (value === undefined || value === null) return null;
      const reading =
        typeof value === 'string' && !isStorable(value)
          ? { problem: NOT_STORABLE }
          : input.read(value, dialect);
      if ('value' in reading) return reading.value;
      const { problem } = reading;
      return refuse(
        context,
        typeof problem === 'string' ? { code: ErrorCode.MALFORMED_BODY, message: problem } : problem,
      );
    });
  const answer = onDemand(input.answer);
  const document = onDemand(() => documentOf(answer()));
  const { write } = input;
  return {
    request: perDialect(request),
    answer: perDialect(answer),
    ...(write && { write: (value: unknown) => write(value as T) }),
    get json() {
      return document();
    },
  };
}

/** Numbers and booleans become text (http-api §9 rule 6). */
export function text(maxLength?: number, options: { readonly tooLong?: ErrorCode } = {}): WireType<string> {
  return scalar({
    answer: () => (maxLength === undefined ? z.string() : z.string().max(maxLength)),
    read(value) {
      const asText = textOf(value);
      if (asText === undefined) return { problem: `is not text: ${shown(value)}` };
      if (maxLength === undefined || asText.length <= maxLength) return { value: asText };
      return {
        problem: {
          code: options.tooLong ?? ErrorCode.MISSING_OR_INVALID_FIELD,
          message: `is ${asText.length} characters long; at most ${maxLength} are allowed`,
        },
      };
    },
  });
}

/** Else code 5 (json-models §16 rule 4). */
export const externalKey = text(255, { tooLong: ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED });

export const bool: WireType<boolean> = scalar({
  answer: () => z.boolean(),
  read(value) {
    if (typeof value === 'boolean') return { value };
    const word = typeof value === 'string' ? value.toLowerCase() : '';
    if (word === 'true' || word === 'false') return { value: word === 'true' };
    return { problem: `is not a boolean: ${shown(value)}` };
  },
});

/** A storable integer. The domain checks narrower bounds; here they only appear in the document. */
export function int(bounds: { readonly minimum?: number; readonly maximum?: number } = {}): WireType<number> {
  return scalar({
    answer: () =>
      z
        .int()
        .min(bounds.minimum ?? Number.MIN_SAFE_INTEGER)
        .max(bounds.maximum ?? Number.MAX_SAFE_INTEGER),
    read(value) {
      if (value === '') return { value: null };
      const number = numberOf(value);
      if (!number?.isInteger()) return { problem: `is not an integer: ${shown(value)}` };
      if (number.gte(MIN_STORED_INTEGER) && number.lte(MAX_STORED_INTEGER))
        return { value: number.toNumber() };
      return { problem: outOfRange(number, bounds) };
    },
  });
}

/** From 1, below 2^53 (platform §17). */
export const recordNumber: WireType<number> = scalar({
  answer: () => z.int().min(1),
  read(value) {
    if (value === '') return { value: null };
    const number = numberOf(value);
    if (!number?.isInteger() || number.lt(1) || number.gt(Number.MAX_SAFE_INTEGER))
      return { problem: `is no record id: ${shown(value)}` };
    return { value: number.toNumber() };
  },
});

/** Up to 15 integer and 9 fractional digits; dialect K rounds further ones as float noise (http-api §9 rule 5). */
export const decimalNumber = decimalType(MAX_INTEGER_DIGITS);

/** Up to 20 integer digits. */
export const usageAmount = decimalType(MAX_USAGE_INTEGER_DIGITS);

function decimalType(integerDigits: number): WireType<Decimal> {
  const limits = { integerDigits, fractionDigits: MAX_FRACTION_DIGITS };
  return scalar({
    answer: () => z.number(),
    read(value, dialect) {
      if (value === '') return { value: null };
      const given = typeof value === 'string' ? value : decimalOf(value);
      const number = given === undefined ? undefined : readDecimal(given, limits, dialect);
      if (number !== undefined) return { value: number };
      return {
        problem: `is not a decimal of at most ${integerDigits} integer and ${MAX_FRACTION_DIGITS} fractional digits: ${shown(value)}`,
      };
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

export const uuid: WireType<Uuid> = scalar({
  answer: () => z.guid(),
  read(value) {
    if (value === '') return { value: null };
    const lower = typeof value === 'string' ? value.toLowerCase() : '';
    return isUuid(lower) ? { value: lower } : { problem: `is not a UUID: ${shown(value)}` };
  },
});

/** `yyyy-M-d`; in dialect K also `[year, month, day]` (ruling R46). */
export const date: WireType<LocalDate> = scalar({
  answer: () => z.iso.date(),
  write: formatLocalDate,
  read(value, dialect) {
    if (isUnset(value, dialect)) return { value: null };
    const day = typeof value === 'string' ? parseWireDate(value) : dateOfParts(partsOf(value, dialect));
    return day === undefined ? { problem: `is not a date (yyyy-MM-dd): ${shown(value)}` } : { value: day };
  },
});

/**
 * A date-time, date (00:00 UTC) or epoch milliseconds (http-api §9 rule 2); in dialect K also a number list (ruling
 * R46).
 */
export const timestamp: WireType<Instant> = scalar({
  answer: () => z.iso.datetime({ precision: 3 }),
  write: rememberingLast((at: Instant | Date) => (at instanceof Date ? at.toISOString() : formatInstant(at))),
  read(value, dialect) {
    if (isUnset(value, dialect)) return { value: null };
    const at = instantOf(value, dialect);
    return at === undefined ? { problem: `is not a date-time: ${shown(value)}` } : { value: at };
  },
});

/** A date, date-time or epoch milliseconds; in dialect K also a number list (ruling R46). */
export const recordDate: WireType<RequestedDate> = scalar<RequestedDate>({
  answer: () => z.union([z.iso.date(), z.iso.datetime({ precision: 3 })]),
  read(value, dialect) {
    if (isUnset(value, dialect)) return { value: null };
    const day = typeof value === 'string' ? parseWireDate(value) : dateOfParts(partsOf(value, dialect));
    if (day !== undefined) return { value: { date: day } };
    const at = instantOf(value, dialect);
    return at === undefined
      ? { problem: `is neither a date nor a date-time: ${shown(value)}` }
      : { value: { at } };
  },
});

/** The number list of a dialect K date or date-time (ruling R46); undefined if invalid. */
export function recordDateOfNumbers(value: readonly unknown[]): RequestedDate | undefined {
  const parts = partsOf(value, Dialect.K);
  const date = dateOfParts(parts);
  if (date !== undefined) return { date };
  const at = instantOfParts(parts);
  return at === undefined ? undefined : { at };
}

/** In upper case (http-api §9 rule 8). */
export function enumeration<V extends string>(
  values: Readonly<Record<string, V>> | readonly V[],
): WireType<V> {
  const allowed = [...new Set(Object.values(values))];
  return scalar({
    answer: () => z.enum(allowed),
    read(value) {
      if (value === '') return { value: null };
      const found = allowed.find((each) => each === value);
      return found === undefined
        ? { problem: `is not one of ${allowed.join(', ')}: ${shown(value)}` }
        : { value: found };
    },
  });
}

const anyCurrency: WireType<string> = scalar({
  answer: () =>
    z
      .string()
      .regex(/^[A-Z]{3}$/)
      .meta({ description: 'ISO 4217 code' }),
  read(value) {
    if (value === '') return { value: null };
    return typeof value === 'string' ? { value } : { problem: `is not a currency code: ${shown(value)}` };
  },
});

/** The domain checks the code, since errors differ by operation. Dialect K clients have an enumeration. */
export const currency: WireType<string> = {
  request: anyCurrency.request,
  answer: anyCurrency.answer,
  get json() {
    return anyCurrency.json;
  },
  get jsonInK() {
    return { type: 'string', enum: currencyCodes };
  },
};

/** Go's zero time, which its dialect K clients send for unset dates (http-api §9 rule 6). */
const zeroTime = /^0001-01-01(?:T00:00:00(?:\.0+)?Z)?$/;

function isUnset(value: unknown, dialect: Dialect): boolean {
  return value === '' || (dialect === Dialect.K && typeof value === 'string' && zeroTime.test(value));
}

/** Caches the last text, since values written together often share an instant. */
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

/** The number list of a dialect K date; undefined if invalid. */
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

/** `1e999999999` is valid JSON, but would have a billion digits as text. */
function isShort(value: Decimal): boolean {
  return Math.abs(value.e) < MAX_TEXT_DIGITS;
}

function outOfRange(
  number: Decimal,
  { minimum = MIN_STORED_INTEGER, maximum = MAX_STORED_INTEGER }: { minimum?: number; maximum?: number },
): WireProblem {
  const message = `is not between ${minimum} and ${maximum}: ${shown(number)}`;
  return { code: ErrorCode.MISSING_OR_INVALID_FIELD, message };
}

function numberOf(value: unknown): Decimal | undefined {
  return typeof value === 'string' ? parseWireDecimal(value) : decimalOf(value);
}

function shown(value: unknown): string {
  const number = decimalOf(value);
  if (number !== undefined) return shortened(number.toString());
  if (typeof value === 'string') return `"${shortened(value)}"`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : String(value);
}
