import { InvariantError, invalidParameter } from '../errors/index.ts';
import { MAX_YEAR, MIN_YEAR } from '../limits.ts';

declare const localDateBrand: unique symbol;

/**
 * A calendar day without a time zone, as the number of days since 1970-01-01 in the proleptic Gregorian calendar. Its
 * year is between 1 and 9999. Dates are compared and sorted as numbers.
 */
export type LocalDate = number & { readonly [localDateBrand]: 'LocalDate' };

/** The parts of a date. `month` is 1 to 12. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const monthsPerYear = 12;
const firstDay = epochDayOf(MIN_YEAR, 1, 1);
const lastDay = epochDayOf(MAX_YEAR, 12, 31);

/** The last day of the calendar. */
export const LAST_DATE = lastDay as LocalDate;

/** Returns the date of a year, month (1 to 12) and day. @throws InvariantError for an invalid day. */
export function localDate(year: number, month: number, day: number): LocalDate {
  const date = localDateIfValid(year, month, day);
  if (date !== undefined) return date;
  throw new InvariantError(`${year}-${month}-${day} is not a calendar date`, { year, month, day });
}

/** Returns the date of a year, month (1 to 12) and day, or undefined for an invalid date. */
export function localDateIfValid(year: number, month: number, day: number): LocalDate | undefined {
  const whole = Number.isInteger(year) && Number.isInteger(month) && Number.isInteger(day);
  if (!whole || year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > monthsPerYear) return undefined;
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  return epochDayOf(year, month, day) as LocalDate;
}

/** Returns the date `epochDay` days after 1970-01-01. @throws InvariantError for a number out of range. */
function localDateOfEpochDay(epochDay: number): LocalDate {
  if (Number.isInteger(epochDay) && epochDay >= firstDay && epochDay <= lastDay) return epochDay as LocalDate;
  throw new InvariantError(
    `Day ${epochDay} after 1970-01-01 is not in the years ${MIN_YEAR} to ${MAX_YEAR}`,
    { epochDay },
  );
}

/**
 * Returns the date `epochDay` days after 1970-01-01. For a number out of range, returns the first or last day of the
 * calendar.
 */
export function localDateWithinCalendar(epochDay: number): LocalDate {
  return localDateOfEpochDay(Math.min(lastDay, Math.max(firstDay, epochDay)));
}

/**
 * Parses a date in exactly the form `yyyy-MM-dd`. `parseWireDate` is less strict.
 * @throws BillingError INVALID_PARAMETER.
 */
export function parseLocalDate(text: string): LocalDate {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const date =
    match === null ? undefined : localDateIfValid(Number(match[1]), Number(match[2]), Number(match[3]));
  if (date !== undefined) return date;
  throw invalidParameter(`"${text.slice(0, 64)}" is not a date; expected yyyy-MM-dd, a day of the calendar`, {
    value: text.slice(0, 64),
  });
}

/** Returns `yyyy-MM-dd`. */
export function formatLocalDate(date: LocalDate): string {
  const { year, month, day } = calendarDayOf(date);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Returns year, month and day. */
export function calendarDayOf(date: LocalDate): CalendarDay {
  // Days are counted from 0000-03-01 in 400-year eras. Years start in March, so the leap day is the last day of its
  // year and needs no special case.
  const shifted = date + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

export function yearOf(date: LocalDate): number {
  return calendarDayOf(date).year;
}

/** Returns the month of a date, 1 to 12. */
export function monthOf(date: LocalDate): number {
  return calendarDayOf(date).month;
}

/** Returns the day of the month of a date, 1 to 31. */
export function dayOfMonth(date: LocalDate): number {
  return calendarDayOf(date).day;
}

/** Returns the number of days in the month of `date`, 28 to 31. */
export function lengthOfMonth(date: LocalDate): number {
  const { year, month } = calendarDayOf(date);
  return daysInMonth(year, month);
}

/** Returns `date` plus `days`. `days` may be negative. */
export function addDays(date: LocalDate, days: number): LocalDate {
  return localDateOfEpochDay(date + days);
}

/**
 * Returns `date` plus `months`. `months` may be negative. If the resulting month is too short, the result is its last
 * day: January 31 plus 1 month is February 28 or 29, but plus 2 months is March 31.
 */
export function addMonths(date: LocalDate, months: number): LocalDate {
  const { year, month, day } = calendarDayOf(date);
  return clampedDate(year * monthsPerYear + (month - 1) + months, day);
}

/**
 * Returns day `day` (1 to 31) of the month that is `months` months after the month of `date`. If that month is too
 * short, returns its last day.
 */
export function dayOfLaterMonth(date: LocalDate, months: number, day: number): LocalDate {
  const { year, month } = calendarDayOf(date);
  return clampedDate(year * monthsPerYear + (month - 1) + months, day);
}

/** Returns the number of days from `from` to `to`, which is negative if `to` is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return to - from;
}

/** Returns day `day` (1 to 31) of the month of `date`. If the month is too short, returns its last day. */
export function withDayOfMonth(date: LocalDate, day: number): LocalDate {
  return dayOfLaterMonth(date, 0, day);
}

/**
 * Returns the number of whole months from `from` to `to`. This is the largest n for which `addMonths(from, n)` is not
 * after `to`. If `to` is earlier, returns the negative number of months from `to` to `from`.
 */
export function monthsBetween(from: LocalDate, to: LocalDate): number {
  if (to < from) return -monthsBetween(to, from);
  const start = calendarDayOf(from);
  const end = calendarDayOf(to);
  const months = (end.year - start.year) * monthsPerYear + (end.month - start.month);
  return addMonths(from, months) > to ? months - 1 : months;
}

export function maxDate(first: LocalDate, ...others: readonly LocalDate[]): LocalDate {
  return others.reduce((latest, date) => (date > latest ? date : latest), first);
}

export function minDate(first: LocalDate, ...others: readonly LocalDate[]): LocalDate {
  return others.reduce((earliest, date) => (date < earliest ? date : earliest), first);
}

/** Returns the earlier of two dates. If one date is null (no date), returns the other. */
export function earlierDate(one: LocalDate | null, other: LocalDate | null): LocalDate | null {
  return one === null || other === null ? (one ?? other) : minDate(one, other);
}

/**
 * Returns the date, or the last day of the month if the month is too short. `monthIndex` counts months from January of
 * year 0.
 */
function clampedDate(monthIndex: number, day: number): LocalDate {
  const year = Math.floor(monthIndex / monthsPerYear);
  const month = monthIndex - year * monthsPerYear + 1;
  return localDate(year, month, Math.min(day, daysInMonth(year, month)));
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function epochDayOf(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const monthFromMarch = month > 2 ? month - 3 : month + 9;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
