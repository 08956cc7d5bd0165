import { assertInvariant } from '../errors/index.ts';
import { addMilliseconds, type Instant, instant, instantWithinCalendar } from './instant.ts';
import { addDays, type LocalDate, localDateWithinCalendar } from './local-date.ts';
import { offsetMsAt, type TimeZone } from './time-zone.ts';

/** Steps of the search for a transition within 48 h to the second (2^18 s > 48 h). */
const MAX_TRANSITION_SEARCH_STEPS = 18;

/**
 * An instant with its local date (subscriptions §2 rule 8). `at` decides the order, `date` the billing, so a change of a
 * zone's rules never moves a billed day.
 */
export interface DatedInstant {
  readonly at: Instant;
  readonly date: LocalDate;
}

const msPerSecond = 1_000;
const msPerDay = 86_400_000;

/**
 * Returns the local date of `at` by the zone's rules at that instant (subscriptions §2, `toDate`), limited to the first and
 * last day of the calendar.
 */
export function localDateOf(at: Instant, zone: TimeZone): LocalDate {
  return localDateWithinCalendar(localDayNumber(at, zone));
}

/** Returns the local time of `at` in whole seconds. */
export function localTimeOf(at: Instant, zone: TimeZone): LocalTime {
  const localMs = at + offsetMsAt(at, zone);
  const msOfDay = localMs - Math.floor(localMs / msPerDay) * msPerDay;
  return localTime(Math.floor(msOfDay / msPerSecond));
}

/**
 * Returns the first instant of a local date: later than 00:00 if midnight does not exist, and the start of the next
 * existing date if the date does not exist.
 */
export function startOfDay(date: LocalDate, zone: TimeZone): Instant {
  return instantAt(date, MIDNIGHT, zone);
}

/** Returns the last instant of the local day of `at`. */
export function endOfDay(at: Instant, zone: TimeZone): Instant {
  return addMilliseconds(startOfDay(addDays(localDateOf(at, zone), 1), zone), -1);
}

/**
 * Returns the instant of a local date and time by the zone's rules on that date (subscriptions §2 rule 2, `atTime`): the
 * first occurrence of a repeated time; for a missing time the first instant after the gap or, if that is on a later date,
 * the last whole second before the gap; for a missing date the start of the next one. On the first and last day of the
 * calendar the result stays within the same day of UTC.
 */
export function instantAt(date: LocalDate, time: LocalTime, zone: TimeZone): Instant {
  const localMs = date * msPerDay + time * msPerSecond;
  // The offsets a day before and a day after are the only candidates.
  // Offsets are shorter than a day, and transitions of a zone are more than two days apart.
  // From 1900 to 2060 they are at least 167 h apart in all zones, and a property test asserts 48 h.
  const offsetBefore = offsetMsAt(localMs - msPerDay, zone);
  const offsetAfter = offsetMsAt(localMs + msPerDay, zone);
  if (offsetBefore === offsetAfter) return instantWithinCalendar(localMs - offsetBefore);

  // If both offsets fit, the time occurs twice and the earlier rule gives its first occurrence.
  const before = localMs - offsetBefore;
  if (offsetMsAt(before, zone) === offsetBefore) return instantWithinCalendar(before);
  const after = localMs - offsetAfter;
  if (offsetMsAt(after, zone) === offsetAfter) return instantWithinCalendar(after);
  return instantForGap(date, transitionBetween(localMs - msPerDay, localMs + msPerDay, zone), zone);
}

/** @param transition the first instant after the gap that contains the local time. */
function instantForGap(date: LocalDate, transition: Instant, zone: TimeZone): Instant {
  if (localDayNumber(transition, zone) <= date) return transition;
  const lastSecondBefore = instant(transition - msPerSecond);
  return localDayNumber(lastSecondBefore, zone) === date ? lastSecondBefore : transition;
}

/** Returns the first instant after `fromMs` with the offset of `toMs`; transitions are on whole seconds. */
function transitionBetween(fromMs: number, toMs: number, zone: TimeZone): Instant {
  const offsetAfter = offsetMsAt(toMs, zone);
  let lastBefore = fromMs / msPerSecond;
  let firstAfter = toMs / msPerSecond;
  for (let step = 0; step < MAX_TRANSITION_SEARCH_STEPS && firstAfter - lastBefore > 1; step += 1) {
    const middle = Math.floor((lastBefore + firstAfter) / 2);
    if (offsetMsAt(middle * msPerSecond, zone) === offsetAfter) firstAfter = middle;
    else lastBefore = middle;
  }
  return instant(firstAfter * msPerSecond);
}

function localDayNumber(at: Instant, zone: TimeZone): number {
  return Math.floor((at + offsetMsAt(at, zone)) / msPerDay);
}

const msPerHour = 3_600_000;

/** Returns the next start of a local hour or the next transition, so repeated hours are two and cut hours are shorter. */
export function nextLocalHour(at: Instant, zone: TimeZone): Instant {
  const offset = offsetMsAt(at, zone);
  const localMs = at + offset;
  const next = addMilliseconds(at, msPerHour - (localMs - Math.floor(localMs / msPerHour) * msPerHour));
  return offsetMsAt(next - 1, zone) === offset ? next : transitionBetween(at, next, zone);
}

declare const localTimeBrand: unique symbol;

/** A time of day without a zone, in whole seconds after 00:00:00: 0 to 86,399. */
export type LocalTime = number & { readonly [localTimeBrand]: 'LocalTime' };

const secondsPerDay = 86_400;

export const MIDNIGHT = 0 as LocalTime;

/** Returns the time `secondOfDay` seconds after 00:00:00. @throws InvariantError out of range. */
export function localTime(secondOfDay: number): LocalTime {
  assertInvariant(
    Number.isInteger(secondOfDay) && secondOfDay >= 0 && secondOfDay < secondsPerDay,
    `${secondOfDay} is not a second of a day`,
    { secondOfDay },
  );
  return secondOfDay as LocalTime;
}

/** Returns `HH:mm:ss`. */
export function formatLocalTime(time: LocalTime): string {
  const parts = [Math.floor(time / 3_600), Math.floor(time / 60) % 60, time % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
