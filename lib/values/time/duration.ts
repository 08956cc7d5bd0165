import { enumeration } from '../enumeration.ts';
import { billingError, ErrorCode, invalidParameter } from '../errors/index.ts';
import { MAX_YEAR } from '../limits.ts';
import type { PeriodLength } from './billing-period.ts';
import { addDays, addMonths, daysBetween, type LocalDate, localDate, monthsBetween } from './local-date.ts';

/** Units for the duration of a phase (catalog §2). */
export const TimeUnit = enumeration('DAYS', 'WEEKS', 'MONTHS', 'YEARS', 'UNLIMITED');
export type TimeUnit = keyof typeof TimeUnit;

/** A date that is later than every possible clock date (`LAST_CLOCK_DAY`). */
const endOfTime = localDate(MAX_YEAR, 1, 1);

/** Duration of a phase. `number` is at least 1, or -1 for UNLIMITED. */
export interface Duration {
  readonly unit: TimeUnit;
  readonly number: number;
}

export const UNLIMITED_DURATION: Duration = Object.freeze({ unit: TimeUnit.UNLIMITED, number: -1 });

/** Returns true for the name of a time unit. */
export function isTimeUnit(text: string): text is TimeUnit {
  return Object.hasOwn(TimeUnit, text);
}

/** Returns the duration as a number of days or months, or null for an unlimited duration. */
function lengthOf({ unit, number }: Duration): PeriodLength | null {
  switch (unit) {
    case TimeUnit.DAYS:
      return { unit: 'DAYS', number };
    case TimeUnit.WEEKS:
      return { unit: 'DAYS', number: number * 7 };
    case TimeUnit.MONTHS:
      return { unit: 'MONTHS', number };
    case TimeUnit.YEARS:
      return { unit: 'MONTHS', number: number * 12 };
    case TimeUnit.UNLIMITED:
      return null;
  }
}

/**
 * Returns `date` plus `duration`. If the resulting month is too short, the result is its last day (catalog §9.3).
 * @throws BillingError CATALOG_UNDEFINED_DURATION (2014) for UNLIMITED.
 */
export function addDuration(date: LocalDate, duration: Duration): LocalDate {
  const length = lengthOf(duration);
  if (length === null)
    throw billingError(
      ErrorCode.CATALOG_UNDEFINED_DURATION,
      'A duration of unit UNLIMITED has no end date; give the phase a finite duration',
      { ...duration },
    );
  return length.unit === 'DAYS' ? addDays(date, length.number) : addMonths(date, length.number);
}

/**
 * Returns the end of a duration that starts on `date`. Returns undefined if the duration is UNLIMITED or exceeds the
 * calendar.
 */
export function durationEnd(date: LocalDate, duration: Duration): LocalDate | undefined {
  const length = lengthOf(duration);
  const between = length?.unit === 'DAYS' ? daysBetween : monthsBetween;
  return length === null || length.number > between(date, endOfTime)
    ? undefined
    : addDuration(date, duration);
}

/** Maximum number of entries in a list of time spans, such as a retry schedule. */
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
 * Returns the number of milliseconds in a time span such as `30s` (platform §4.1). The span is an integer and a unit
 * (ms, s, m, h, d or w). Spaces are ignored.
 * @throws BillingError INVALID_PARAMETER for an invalid string.
 */
export function parseTimeSpan(text: string): number {
  const spanMs = timeSpanIfValid(text);
  if (spanMs !== undefined) return spanMs;
  throw invalidParameter(
    `"${text.slice(0, 64)}" is not a time span; expected an integer and one of ms, s, m, h, d, w, e.g. 30s`,
    { value: text.slice(0, 64) },
  );
}

/**
 * Returns the number of milliseconds in a time span, or undefined for an invalid string. The format is the same as for
 * `parseTimeSpan`.
 */
export function timeSpanIfValid(text: string): number | undefined {
  const match = /^(\d{1,15})\s*(ms|s|m|h|d|w)$/.exec(text.trim());
  const unitMs = match === null ? undefined : msOfUnit[match[2] ?? ''];
  const spanMs = match === null || unitMs === undefined ? Number.NaN : Number(match[1]) * unitMs;
  return Number.isSafeInteger(spanMs) ? spanMs : undefined;
}

/**
 * Returns the time spans of a comma-separated list in milliseconds. The list is empty for a blank string.
 * @throws BillingError INVALID_PARAMETER for an invalid entry or a list that is too long.
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
