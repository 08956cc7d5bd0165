import { BillingError, ErrorCode, invalidParameter } from '../errors/index.ts';
import { MAX_YEAR } from '../limits.ts';
import { addDays, addMonths, daysBetween, type LocalDate, localDate, monthsBetween } from './local-date.ts';

/** Units of a phase's duration (catalog §2). */
export const TimeUnit = {
  DAYS: 'DAYS',
  WEEKS: 'WEEKS',
  MONTHS: 'MONTHS',
  YEARS: 'YEARS',
  UNLIMITED: 'UNLIMITED',
} as const;
export type TimeUnit = (typeof TimeUnit)[keyof typeof TimeUnit];

/** No clock comes near this day (`LAST_CLOCK_DAY`). */
const endOfTime = localDate(MAX_YEAR, 1, 1);

/** Length of a phase; `number` is at least 1, and -1 with UNLIMITED. */
export interface Duration {
  readonly unit: TimeUnit;
  readonly number: number;
}

/** The duration without an end. */
export const UNLIMITED_DURATION: Duration = Object.freeze({ unit: TimeUnit.UNLIMITED, number: -1 });

/** True if `text` names a time unit. */
export function isTimeUnit(text: string): text is TimeUnit {
  return Object.hasOwn(TimeUnit, text);
}

/**
 * `date` plus `duration`, all units added at once and the day clamped once at a month end (catalog §9.3).
 * @throws BillingError CATALOG_UNDEFINED_DURATION (2014) if the duration is UNLIMITED.
 */
export function addDuration(date: LocalDate, duration: Duration): LocalDate {
  switch (duration.unit) {
    case TimeUnit.DAYS:
      return addDays(date, duration.number);
    case TimeUnit.WEEKS:
      return addDays(date, duration.number * 7);
    case TimeUnit.MONTHS:
      return addMonths(date, duration.number);
    case TimeUnit.YEARS:
      return addMonths(date, duration.number * 12);
    case TimeUnit.UNLIMITED:
      throw new BillingError({
        code: ErrorCode.CATALOG_UNDEFINED_DURATION,
        message: 'A duration of unit UNLIMITED has no end date; give the phase a finite duration',
        facts: { unit: duration.unit, number: duration.number },
      });
    default:
      return neverUnit(duration.unit);
  }
}

/**
 * Where a stretch of `duration` that begins on `date` ends; undefined if it never does: it is UNLIMITED, or longer than
 * the calendar.
 */
export function durationEnd(date: LocalDate, duration: Duration): LocalDate | undefined {
  return fitsCalendar(date, duration) ? addDuration(date, duration) : undefined;
}

function fitsCalendar(date: LocalDate, { unit, number }: Duration): boolean {
  switch (unit) {
    case TimeUnit.DAYS:
      return number <= daysBetween(date, endOfTime);
    case TimeUnit.WEEKS:
      return number * 7 <= daysBetween(date, endOfTime);
    case TimeUnit.MONTHS:
      return number <= monthsBetween(date, endOfTime);
    case TimeUnit.YEARS:
      return number * 12 <= monthsBetween(date, endOfTime);
    case TimeUnit.UNLIMITED:
      return false;
    default:
      return neverUnit(unit);
  }
}

function neverUnit(unit: never): never {
  throw new Error(`Unknown time unit ${String(unit)}`);
}

/** Entries of a time span list such as a retry schedule: more would outlive the object that is retried. */
const MAX_TIME_SPAN_LIST = 100;

const msOfUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Milliseconds of a time span `<integer><unit>`, unit one of ms, s, m, h, d, w; blanks around and between are trimmed
 * (platform §4.1).
 * @throws BillingError INVALID_PARAMETER if `text` is none.
 */
export function parseTimeSpan(text: string): number {
  const spanMs = timeSpanIfValid(text);
  if (spanMs !== undefined) return spanMs;
  throw invalidParameter(
    `"${text.slice(0, 64)}" is not a time span; expected an integer and one of ms, s, m, h, d, w, e.g. 30s`,
    { value: text.slice(0, 64) },
  );
}

/** The same, or undefined if `text` is no time span. */
export function timeSpanIfValid(text: string): number | undefined {
  const match = /^(\d{1,15})\s*(ms|s|m|h|d|w)$/.exec(text.trim());
  const unitMs = match === null ? undefined : msOfUnit[match[2] ?? ''];
  const spanMs = match === null || unitMs === undefined ? Number.NaN : Number(match[1]) * unitMs;
  return Number.isSafeInteger(spanMs) ? spanMs : undefined;
}

/**
 * Milliseconds of each entry of a comma-separated list of time spans, in order; a blank text is the empty list.
 * @throws BillingError INVALID_PARAMETER if an entry is no time span or the list is too long.
 */
export function parseTimeSpanList(text: string): readonly number[] {
  if (text.trim() === '') return [];
  const entries = text.split(',');
  if (entries.length > MAX_TIME_SPAN_LIST) {
    throw invalidParameter(
      `A list of ${entries.length} time spans is too long; at most ${MAX_TIME_SPAN_LIST} are accepted`,
      { length: entries.length, limit: MAX_TIME_SPAN_LIST },
    );
  }
  return entries.map(parseTimeSpan);
}
