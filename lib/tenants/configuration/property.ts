import { MAX_SETTING_SPAN_MS } from '../../values/limits.ts';
import { timeSpanIfValid } from '../../values/time/index.ts';
import { type Period, parsePeriod } from './period.ts';

/** Entries of a list in a configuration, such as a retry schedule. */
const MAX_SETTING_LIST = 100;

/** One configuration property (platform §4): its type, default and bounds. */
export interface Property<T> {
  readonly fallback: T;
  /** What a value must be; it ends a sentence that begins with "is not". */
  readonly expectation: string;
  /** Undefined for a text that is not such a value. */
  parse(text: string): T | undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** `true` or `false`, in any letter case. */
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

/** One of `values`, exactly as they are spelled. */
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

/** Comma-separated names, blanks trimmed; a blank text is the empty list. */
export function names(): Property<readonly string[]> {
  return listOf({ fallback: [], one: 'a name', parse: (text) => text.trim() || undefined });
}

export function integers(fallback: readonly number[], bounds: Bounds): Property<readonly number[]> {
  return listOf({
    fallback,
    one: `a whole number from ${bounds.min} to ${bounds.max}`,
    parse: (text) => integerOf(text, bounds),
  });
}

/** Bytes of a size such as `32 MiB`. */
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

/** Milliseconds of a time span such as `30s`. */
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

/** The same, where a bare number stands for milliseconds. */
export function milliseconds(fallbackMs: number, bounds: Bounds): Property<number> {
  const { parse, ...rest } = span(fallbackMs, bounds);
  return { ...rest, parse: (text) => integerOf(text, bounds) ?? parse(text) };
}

/** Milliseconds of each time span of a comma-separated list. */
export function spans(fallbackMs: readonly number[]): Property<readonly number[]> {
  return listOf({
    fallback: fallbackMs,
    one: 'a time span such as 15m',
    parse: (text) => spanOf(text, { min: 0, max: MAX_SETTING_SPAN_MS }),
  });
}

/** ISO 8601, or a time span. */
export function period<F extends Period | null>(fallback: F): Property<Period | F> {
  return {
    fallback,
    expectation: 'a period such as P3M, or a time span such as 3d',
    parse(text) {
      const parsed = parsePeriod(text);
      return parsed === undefined || isLongerThan(parsed, MAX_SETTING_SPAN_MS) ? undefined : parsed;
    },
  };
}

function isLongerThan({ months, days, milliseconds: ms }: Period, limitMs: number): boolean {
  const dayMs = 86_400_000;
  return (months * 31 + days) * dayMs + ms > limitMs;
}

/** Milliseconds since midnight of a time of day. */
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

/** A language with an optional country or variant, such as `en_US`. */
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

function listOf<T>(element: {
  readonly fallback: readonly T[];
  readonly one: string;
  parse(text: string): T | undefined;
}): Property<readonly T[]> {
  return {
    fallback: element.fallback,
    expectation: `a comma-separated list of at most ${MAX_SETTING_LIST} entries, each ${element.one}`,
    parse(text) {
      if (text.trim() === '') return [];
      const texts = text.split(',');
      const values = texts.slice(0, MAX_SETTING_LIST).flatMap((each) => element.parse(each) ?? []);
      return values.length === texts.length ? values : undefined;
    },
  };
}

function integerOf(text: string, { min, max }: Bounds): number | undefined {
  const value = /^[+-]?\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function spanOf(text: string, { min, max }: Bounds): number | undefined {
  const spanMs = timeSpanIfValid(text);
  return spanMs !== undefined && spanMs >= min && spanMs <= max ? spanMs : undefined;
}
