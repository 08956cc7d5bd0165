import { assertInvariant } from '../errors/index.ts';
import { addMilliseconds, type Instant, instant, instantWithinCalendar } from './instant.ts';
import { addDays, type LocalDate, localDateWithinCalendar } from './local-date.ts';
import { offsetMsAt, type TimeZone } from './time-zone.ts';

/** Bisections of a 48 h window down to one second (2^18 s > 48 h), in the search for the transition of a local-time gap. */
const MAX_TRANSITION_SEARCH_STEPS = 18;

/**
 * A dated fact (subscriptions §2 rule 8): an instant with the local date it stands for. Order is decided by `at`,
 * billing by `date`, so a later change of a zone's rules never moves a billed day.
 */
export interface DatedInstant {
  readonly at: Instant;
  readonly date: LocalDate;
}

const msPerSecond = 1_000;
const msPerDay = 86_400_000;

/**
 * The calendar day of `at` in `zone`, by the zone's rules at that instant (subscriptions §2, `toDate`); the first or
 * last of the calendar where that of the zone lies beyond.
 */
export function localDateOf(at: Instant, zone: TimeZone): LocalDate {
  return localDateWithinCalendar(localDayNumber(at, zone));
}

/** The time of day of `at` in `zone`, cut to whole seconds. */
export function localTimeOf(at: Instant, zone: TimeZone): LocalTime {
  const localMs = at + offsetMsAt(at, zone);
  const msOfDay = localMs - Math.floor(localMs / msPerDay) * msPerDay;
  return localTime(Math.floor(msOfDay / msPerSecond));
}

/**
 * The first instant whose local date in `zone` is `date`: later than 00:00 where midnight does not exist, and the start
 * of the next existing date where `date` itself does not exist.
 */
export function startOfDay(date: LocalDate, zone: TimeZone): Instant {
  return instantAt(date, MIDNIGHT, zone);
}

/** The last instant of the local day of `at`. */
export function endOfDay(at: Instant, zone: TimeZone): Instant {
  return addMilliseconds(startOfDay(addDays(localDateOf(at, zone), 1), zone), -1);
}

/**
 * That date at that time of day in `zone`, by the zone's rules on that date (subscriptions §2 rule 2, `atTime`): for a
 * local time that occurs twice, its first occurrence; for one that does not exist, the first instant after the gap or, if
 * that falls on a later date, the last whole second of `date` before the gap; for a date that does not exist, the start
 * of the next date that does. On the first and last day of the calendar the result stays within the same day of UTC.
 */
export function instantAt(date: LocalDate, time: LocalTime, zone: TimeZone): Instant {
  const localMs = date * msPerDay + time * msPerSecond;
  // Offsets are shorter than a day, so the instant lies within a day of `localMs` read as UTC. Transitions of one zone
  // are never that close together (in all zones from 1900 to 2060 at least 167 h apart; the property test asserts 48 h),
  // so the offsets at the two ends of the window are the only candidates.
  const offsetBefore = offsetMsAt(localMs - msPerDay, zone);
  const offsetAfter = offsetMsAt(localMs + msPerDay, zone);
  if (offsetBefore === offsetAfter) return instantWithinCalendar(localMs - offsetBefore);

  // The earlier rule first: where both fit, the local time occurs twice and its first occurrence counts.
  const before = localMs - offsetBefore;
  if (offsetMsAt(before, zone) === offsetBefore) return instantWithinCalendar(before);
  const after = localMs - offsetAfter;
  if (offsetMsAt(after, zone) === offsetAfter) return instantWithinCalendar(after);
  return instantForGap(date, transitionBetween(localMs - msPerDay, localMs + msPerDay, zone), zone);
}

/** `transition`: the first instant after the gap that swallowed the wanted local time. */
function instantForGap(date: LocalDate, transition: Instant, zone: TimeZone): Instant {
  if (localDayNumber(transition, zone) <= date) return transition;
  const lastSecondBefore = instant(transition - msPerSecond);
  return localDayNumber(lastSecondBefore, zone) === date ? lastSecondBefore : transition;
}

/** The first instant after `fromMs` with the offset of `toMs`; transitions fall on whole seconds. */
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

/**
 * The first instant after `at` at which the clock of the zone shows a whole hour, or at which it is set: an hour that a
 * clock shows twice is two, and one that is cut by a change of the clock is shorter.
 */
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

/** 00:00:00. */
export const MIDNIGHT = 0 as LocalTime;

/** The time of day `secondOfDay` seconds after 00:00:00. @throws InvariantError out of range. */
export function localTime(secondOfDay: number): LocalTime {
  assertInvariant(
    Number.isInteger(secondOfDay) && secondOfDay >= 0 && secondOfDay < secondsPerDay,
    `${secondOfDay} is not a second of a day`,
    { secondOfDay },
  );
  return secondOfDay as LocalTime;
}

/** `HH:mm:ss`. */
export function formatLocalTime(time: LocalTime): string {
  const parts = [Math.floor(time / 3_600), Math.floor(time / 60) % 60, time % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
