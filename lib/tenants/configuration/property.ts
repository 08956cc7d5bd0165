import { DAY_MS, MAX_SETTING_SPAN_MS } from '../../values/limits.ts';
import { type LocalDate, parseWireDate, timeSpanIfValid } from '../../values/time/index.ts';

/** Maximum number of elements of a list, such as a retry schedule. */
const MAX_SETTING_LIST = 100;

/** The type, default and bounds of a configuration property (platform §4). */
export interface Property<T> {
  readonly fallback: T;
  /** Describes the valid values. The text completes the sentence "The value is not …". */
  readonly expectation: string;
  /** Parses the text of a value. Returns undefined for an invalid value. */
  parse(text: string): T | undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Returns a property with the values `true` and `false`, in any letter case. */
export function flag(fallback: boolean): Property<boolean> {
  return {
    fallback,
    expectation: 'true or false',
    parse(text) {
      const word = text.trim().toLowerCase();
      return word === 'true' || word === 'false' ? word === 'true' : undefined;
    },
  };
}

export function integer<F extends number | null>(fallback: F, bounds: Bounds): Property<number | F> {
  return {
    fallback,
    expectation: `a whole number from ${bounds.min} to ${bounds.max}`,
    parse: (text) => integerOf(text, bounds),
  };
}

/** Returns a property whose value is one of `values`. The comparison is case-sensitive. */
export function oneOf<T extends string, F extends T | null>(
  values: readonly T[],
  fallback: F,
): Property<T | F> {
  return {
    fallback,
    expectation: `one of ${values.join(', ')}`,
    parse: (text) => values.find((value) => value === text.trim()),
  };
}

/**
 * Returns a property for comma-separated names. Spaces around a name are removed. A blank string means an empty list.
 */
export function names(): Property<readonly string[]> {
  return listOf([], 'a name', (text) => text.trim() || undefined);
}

export function integers(fallback: readonly number[], bounds: Bounds): Property<readonly number[]> {
  const { expectation, parse } = integer(0, bounds);
  return listOf(fallback, expectation, parse);
}

/** Returns a property for a size such as `32 MiB`. Its value is in bytes. */
export function size(fallback: number, bounds: Bounds): Property<number> {
  return {
    fallback,
    expectation: `a size from ${bounds.min} to ${bounds.max} bytes: a number, or one of KiB or MiB such as 2 MiB`,
    parse(text) {
      const [, digits = '', unit = ''] = /^(\d{1,12}) ?(KiB|MiB)?$/.exec(text.trim()) ?? [];
      const value = digits === '' ? Number.NaN : Number(digits) * (bytesOfUnit[unit] ?? 1);
      return value >= bounds.min && value <= bounds.max ? value : undefined;
    },
  };
}

const bytesOfUnit: Readonly<Record<string, number>> = { KiB: 1_024, MiB: 1_048_576 };

/** Returns a property for a time span such as `30s`. Its value is in milliseconds. */
export function span(
  fallbackMs: number,
  bounds: Bounds = { min: 0, max: MAX_SETTING_SPAN_MS },
): Property<number> {
  return {
    fallback: fallbackMs,
    expectation: `a time span such as 30s, from ${bounds.min} ms to ${bounds.max} ms`,
    parse: (text) => spanOf(text, bounds),
  };
}

/**
 * Returns a property for a time span, given as text such as `30s` or as a number of milliseconds. Its value is in
 * milliseconds.
 */
export function milliseconds(fallbackMs: number, bounds: Bounds): Property<number> {
  const { parse, ...rest } = span(fallbackMs, bounds);
  return { ...rest, parse: (text) => integerOf(text, bounds) ?? parse(text) };
}

/** Returns a property for comma-separated time spans. Its values are in milliseconds. */
export function spans(fallbackMs: readonly number[]): Property<readonly number[]> {
  return listOf(fallbackMs, 'a time span such as 15m', span(0).parse);
}

/** Returns a property for a period in ISO 8601 form or a time span. */
export function period<F extends Period | null>(fallback: F): Property<Period | F> {
  return {
    fallback,
    expectation: 'a period such as P3M, or a time span such as 3d',
    parse(text) {
      const parsed = parsePeriod(text);
      if (parsed === undefined) return undefined;
      const lengthMs = (parsed.months * 31 + parsed.days) * DAY_MS + parsed.milliseconds;
      return lengthMs > MAX_SETTING_SPAN_MS ? undefined : parsed;
    },
  };
}

/** Returns a property for a time of day. Its value is in milliseconds since midnight. */
export function timeOfDay(fallbackMs: number): Property<number> {
  return {
    fallback: fallbackMs,
    expectation: 'a time of day such as 23:59:59.999',
    parse(text) {
      const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?$/.exec(text.trim());
      if (match === null) return undefined;
      const [, hours, minutes, seconds = '0', fraction = ''] = match;
      const wholeMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
      return wholeMs + Number(fraction.padEnd(3, '0'));
    },
  };
}

/** Returns a property for a language with an optional country or variant, such as `en_US`. */
export function locale(fallback: string): Property<string> {
  return {
    fallback,
    expectation: 'a locale such as en_US',
    parse(text) {
      const trimmed = text.trim();
      return /^[A-Za-z]{2,8}(?:[_-][A-Za-z0-9]{1,8}){0,3}$/.test(trimmed) ? trimmed : undefined;
    },
  };
}

function listOf<T>(
  fallback: readonly T[],
  expectation: string,
  parse: (text: string) => T | undefined,
): Property<readonly T[]> {
  return {
    fallback,
    expectation: `a comma-separated list of at most ${MAX_SETTING_LIST} entries, each ${expectation}`,
    parse: (text) => parsedList(text, MAX_SETTING_LIST, parse),
  };
}

/** Parses comma-separated values. Returns undefined if a value is invalid or if the list is too long. */
function parsedList<T>(text: string, most: number, parse: (text: string) => T | undefined) {
  if (text.trim() === '') return [];
  const texts = text.split(',');
  const values = texts.slice(0, most).flatMap((each) => parse(each) ?? []);
  return values.length === texts.length ? values : undefined;
}

function integerOf(text: string, { min, max }: Bounds): number | undefined {
  const value = /^[+-]?\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function spanOf(text: string, { min, max }: Bounds): number | undefined {
  const spanMs = timeSpanIfValid(text);
  return spanMs !== undefined && spanMs >= min && spanMs <= max ? spanMs : undefined;
}

/**
 * A length of time that consists of calendar units and clock units. Calendar units and clock units are added to a date
 * separately.
 */
export interface Period {
  readonly months: number;
  readonly days: number;
  readonly milliseconds: number;
}

export const NO_PERIOD: Period = Object.freeze({ months: 0, days: 0, milliseconds: 0 });

const iso8601 =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?$/;

/** Parses an ISO 8601 period such as `P3M`, or a time span such as `3d`. Returns undefined for other text. */
function parsePeriod(text: string): Period | undefined {
  const trimmed = text.trim();
  const match = iso8601.exec(trimmed);
  if (match === null) {
    const milliseconds = timeSpanIfValid(trimmed);
    return milliseconds === undefined ? undefined : { ...NO_PERIOD, milliseconds };
  }
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((digits: string | undefined) => Number(digits ?? 0));
  return {
    months: years * 12 + months,
    days: weeks * 7 + days,
    milliseconds: ((hours * 60 + minutes) * 60 + seconds) * 1_000,
  };
}

/** The variable parts of an invoice number: the year, month or day of the invoice date, and the counter. */
export const NumberField = { YEAR: 'yyyy', SHORT_YEAR: 'yy', MONTH: 'mm', DAY: 'dd', NUMBER: 'n' } as const;
export type NumberField = (typeof NumberField)[keyof typeof NumberField];

/** A part of an invoice number format: literal text, or a variable with its minimum number of digits. */
export type NumberPart = string | { readonly field: NumberField; readonly digits: number };

/** The invoice number format that applies from a given date. */
export interface NumberPattern {
  /** First invoice date to which the format applies. Null means that the format applies from the beginning. */
  readonly from: LocalDate | null;
  readonly parts: readonly NumberPart[];
}

const MOST_PATTERNS = 20;
const MOST_CHARACTERS = 64;

const digitsOf: Readonly<Record<NumberField, number>> = { yyyy: 4, yy: 2, mm: 2, dd: 2, n: 1 };

/**
 * Returns a property for comma-separated invoice number patterns by date, such as
 * `INV-{n:6}, 2027-01-01 INV-{yyyy}-{n:6}`. A blank string means an empty list.
 */
export function numberPatterns(): Property<readonly NumberPattern[]> {
  return {
    fallback: [],
    expectation:
      'a pattern such as INV-{yyyy}-{n:6}, with {n} or {n:1} to {n:12} once, {yyyy}, {yy}, {mm}, {dd} and letters, ' +
      'digits and - _ . / # : between them, or several patterns separated by commas, each except the first after its start date',
    parse(text) {
      const patterns = parsedList(text, MOST_PATTERNS, (each) => patternOf(each.trim()));
      return patterns !== undefined && areInOrder(patterns) ? patterns : undefined;
    },
  };
}

function patternOf(text: string): NumberPattern | undefined {
  const [, date, pattern = ''] = /^(?:(\S+)\s+)?(\S+)$/.exec(text) ?? [];
  const from = date === undefined ? null : parseWireDate(date);
  const parts = partsOf(pattern);
  return from === undefined || parts === undefined ? undefined : { from, parts };
}

const part = /[\p{L}\p{N}_./#:-]+|\{(?:(yyyy|yy|mm|dd)|n(?::(\d{1,2}))?)\}/guy;

function partsOf(pattern: string): readonly NumberPart[] | undefined {
  if (pattern.length > MOST_CHARACTERS) return undefined;
  const found = [...pattern.matchAll(part)];
  const isWhole = found.reduce((length, [text]) => length + text.length, 0) === pattern.length;
  const parts = found.map(([text, field, digits]): NumberPart => {
    if (!text.startsWith('{')) return text;
    return field === undefined
      ? { field: NumberField.NUMBER, digits: Number(digits ?? digitsOf.n) }
      : { field: field as NumberField, digits: digitsOf[field as NumberField] };
  });
  const numbers = parts.flatMap((each) =>
    typeof each === 'object' && each.field === NumberField.NUMBER ? [each.digits] : [],
  );
  // The counter occurs once, and all other parts have a fixed length, so each number of a pattern is unique.
  const [digits, another] = numbers;
  const isOnce = digits !== undefined && another === undefined && digits >= 1 && digits <= 12;
  return isWhole && isOnce ? parts : undefined;
}

/** Returns true if the dates of the patterns are in ascending order. The first pattern may have no date. */
function areInOrder(patterns: readonly NumberPattern[]): boolean {
  return patterns.every(({ from }, index) => {
    const before = patterns[index - 1];
    return before === undefined || (from !== null && (before.from === null || before.from < from));
  });
}
