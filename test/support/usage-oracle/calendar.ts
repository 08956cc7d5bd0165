import { Temporal } from 'temporal-polyfill';

// Days as numbers since 1970-01-01, with the calendar of `Date` and the zones of Temporal.

const MS_PER_DAY = 86_400_000;

/** An instant with its date in the account's zone. */
export interface Moment {
  readonly at: number;
  readonly day: number;
}

export type OraclePeriod = { readonly months: number } | { readonly days: number };

export function dayOf(text: string): number {
  return Math.round(Date.parse(`${text}T00:00:00Z`) / MS_PER_DAY);
}

export function dateText(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The day of the month, or its last one. */
function inMonth(months: number, wanted: number): number {
  const [year, month] = [Math.floor(months / 12), months % 12];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Math.round(Date.UTC(year, month, Math.min(wanted, last)) / MS_PER_DAY);
}

function monthsOf(day: number): number {
  const date = new Date(day * MS_PER_DAY);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function dayOfMonth(day: number): number {
  return new Date(day * MS_PER_DAY).getUTCDate();
}

/** The same day of a later month, or its last one. */
export function plusPeriods(day: number, period: OraclePeriod, count: number): number {
  if ('days' in period) return day + count * period.days;
  return inMonth(monthsOf(day) + count * period.months, dayOfMonth(day));
}

/** The first cycle date of an event on a day (usage §6.2 rule 1). */
export function firstCycleDate(day: number, period: OraclePeriod, billCycleDay: number): number {
  if ('days' in period) return day;
  let date = inMonth(monthsOf(day), billCycleDay);
  while (date < day) date = plusPeriods(date, period, 1);
  return inMonth(monthsOf(date), billCycleDay);
}

/** The cycle date so many periods later (usage §6.2 rule 2). */
export function laterCycleDate(
  first: number,
  { period, billCycleDay }: { readonly period: OraclePeriod; readonly billCycleDay: number },
  count: number,
): number {
  if ('days' in period) return first + count * period.days;
  return inMonth(monthsOf(first) + count * period.months, billCycleDay);
}

const starts = new Map<string, number>();

export function startOf(day: number, zone: string): number {
  const key = `${zone} ${day}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const at = Temporal.PlainDate.from(dateText(day)).toZonedDateTime(zone).epochMilliseconds;
  starts.set(key, at);
  return at;
}

export function dayAt(at: number, zone: string): number {
  let day = Math.floor(at / MS_PER_DAY) - 1;
  while (startOf(day + 1, zone) <= at) day += 1;
  return day;
}
