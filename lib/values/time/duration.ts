import { BillingError, ErrorCode } from '../errors/index.ts';
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
