import { assertInvariant, invalidParameter } from '../errors/index.ts';
import { addMilliseconds, type Instant, instant, instantWithinCalendar } from './instant.ts';
import { addDays, type LocalDate, localDateWithinCalendar } from './local-date.ts';

declare const timeZoneBrand: unique symbol;

/**
 * A valid IANA zone name (including aliases) or a fixed offset `±HH:MM`. The text is kept as the caller wrote it
 * (http-api §9 rule 8).
 */
export type TimeZone = string & { readonly [timeZoneBrand]: 'TimeZone' };

/** The default zone of accounts. */
export const UTC = 'UTC' as TimeZone;

/** Returns true for an IANA zone name, alias or fixed offset `±HH:MM`. */
export function isTimeZone(name: string): name is TimeZone {
  if (name === UTC) return true;
  const first = name.charAt(0);
  // Intl also accepts offsets such as `+05` and `+0530`, which the engine rejects.
  if (first === '+' || first === '-') return fixedOffsetMs(name) !== undefined;
  return isKnownToIntl(name);
}

/** Returns the text as a time zone. @throws BillingError INVALID_PARAMETER for an unknown zone. */
export function timeZone(name: string): TimeZone {
  if (isTimeZone(name)) return name;
  throw invalidParameter(
    `"${name.slice(0, 64)}" is not a time zone; expected an IANA name such as Europe/Paris, or an offset ±HH:MM`,
    { value: name.slice(0, 64) },
  );
}

/**
 * Maximum number of cached formatters. Each takes 25 KiB. The limit is greater than the number of canonical zones in
 * the tz database (418).
 */
export const MAX_CACHED_ZONES = 640;

const msPerSecond = 1_000;
const msPerMinute = 60_000;
const msPerHour = 3_600_000;
const msPerDay = 86_400_000;
const longestZoneName = 64;
const zoneNameForm = /^[A-Za-z][A-Za-z0-9_+\-/]*$/;

// This map contains the formatters, least recently used first.
// `longOffset` is the cheapest form with exact offsets for any year, and takes 0.6 µs.
// Formatting all local fields takes 0.95 µs and is wrong for years before 1.
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns true for a zone or alias of this runtime's tz database, in any letter case. */
function isKnownToIntl(name: string): boolean {
  if (name.length > longestZoneName || !zoneNameForm.test(name)) return false;
  return formatterOf(name) !== undefined;
}

/** Returns a fixed offset `±HH:MM` up to 23:59 in milliseconds, or undefined for an invalid offset. */
function fixedOffsetMs(name: string): number | undefined {
  const match = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(name);
  if (match === null) return undefined;
  const magnitude = Number(match[2]) * msPerHour + Number(match[3]) * msPerMinute;
  return match[1] === '-' ? 0 - magnitude : magnitude;
}

/**
 * Returns the difference between local time and UTC in milliseconds, according to the rules of `zone` at the instant
 * `utcMs`.
 */
export function offsetMsAt(utcMs: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const first = zone.charAt(0);
  if (first === '+' || first === '-') {
    const fixed = fixedOffsetMs(zone);
    assertInvariant(fixed !== undefined, `"${zone}" is not a time zone`, { zone });
    return fixed;
  }
  const formatter = formatterOf(zone);
  assertInvariant(formatter !== undefined, `"${zone}" is not a time zone`, { zone });
  return parseLongOffset(formatter.format(utcMs));
}

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  const cached = formatters.get(zone);
  if (cached !== undefined) {
    if (formatters.size >= MAX_CACHED_ZONES) {
      // Move the zone to the end. The order matters only if the cache is full and zones are removed.
      formatters.delete(zone);
      formatters.set(zone, cached);
    }
    return cached;
  }
  const created = createFormatter(zone);
  if (created === undefined) return undefined;
  if (formatters.size >= MAX_CACHED_ZONES) {
    const oldest = formatters.keys().next();
    if (!oldest.done) formatters.delete(oldest.value);
  }
  formatters.set(zone, created);
  return created;
}

function createFormatter(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      timeZoneName: 'longOffset',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined; // Intl throws for an unknown zone, which is not an error here.
    throw error;
  }
}

/** Parses the offset at the end of text such as `12 GMT-07:52:58`, `12 GMT+05:45` or `12 GMT`. */
function parseLongOffset(text: string): number {
  const start = text.indexOf('GMT');
  assertInvariant(start >= 0, `Unexpected offset "${text}" from Intl`, { text });
  const signAt = start + 3;
  if (signAt >= text.length) return 0;
  const magnitude =
    twoDigits(text, signAt + 1) * msPerHour +
    twoDigits(text, signAt + 4) * msPerMinute +
    (text.length > signAt + 6 ? twoDigits(text, signAt + 7) * msPerSecond : 0);
  return text.charCodeAt(signAt) === 0x2b ? magnitude : 0 - magnitude;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + (text.charCodeAt(at + 1) - 48);
}

/**
 * Maximum number of steps in the search for a transition. This is enough to find the second within 48 hours (2^18 s >
 * 48 h).
 */
const MAX_TRANSITION_SEARCH_STEPS = 18;

/**
 * An instant with its local date (subscriptions §2 rule 8). `at` determines the order, and `date` determines the
 * billing. A change in a zone's rules therefore never moves a billed day.
 */
export interface DatedInstant {
  readonly at: Instant;
  readonly date: LocalDate;
}

/**
 * Returns the local date of `at`, according to the zone's rules at that instant (`toDate` in subscriptions §2). The
 * result is limited to the first and last day of the calendar.
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
 * Returns the first instant of a local date. If midnight does not exist on that date, the instant is later than 00:00.
 * If the date itself does not exist, returns the start of the next existing date.
 */
export function startOfDay(date: LocalDate, zone: TimeZone): Instant {
  return instantAt(date, MIDNIGHT, zone);
}

/** Returns the last instant of the local day that contains `at`. */
export function endOfDay(at: Instant, zone: TimeZone): Instant {
  return addMilliseconds(startOfDay(addDays(localDateOf(at, zone), 1), zone), -1);
}

/**
 * Returns the instant of a local date and time, according to the zone's rules on that date (`atTime` in subscriptions
 * §2 rule 2). If the time occurs twice, returns the first occurrence. If the time does not exist, returns the first
 * instant after the gap or, if that instant is on a later date, the last whole second before the gap. If the date does
 * not exist, returns the start of the next date. On the first and last day of the calendar, the result stays within the
 * same UTC day.
 */
export function instantAt(date: LocalDate, time: LocalTime, zone: TimeZone): Instant {
  const localMs = date * msPerDay + time * msPerSecond;
  // The offsets a day before and a day after are the only candidates.
  // Offsets are shorter than a day, and transitions of a zone are more than two days apart.
  // From 1900 to 2060, transitions are at least 167 h apart in all zones, and a property test asserts 48 h.
  const offsetBefore = offsetMsAt(localMs - msPerDay, zone);
  const offsetAfter = offsetMsAt(localMs + msPerDay, zone);
  if (offsetBefore === offsetAfter) return instantWithinCalendar(localMs - offsetBefore);

  // If both offsets fit, the time occurs twice. The offset of the day before then results in the first occurrence.
  const before = localMs - offsetBefore;
  if (offsetMsAt(before, zone) === offsetBefore) return instantWithinCalendar(before);
  const after = localMs - offsetAfter;
  if (offsetMsAt(after, zone) === offsetAfter) return instantWithinCalendar(after);
  return instantForGap(date, transitionBetween(localMs - msPerDay, localMs + msPerDay, zone), zone);
}

/** Returns the instant for a local time that does not exist. @param transition The first instant after the gap. */
function instantForGap(date: LocalDate, transition: Instant, zone: TimeZone): Instant {
  if (localDayNumber(transition, zone) <= date) return transition;
  const lastSecondBefore = instant(transition - msPerSecond);
  return localDayNumber(lastSecondBefore, zone) === date ? lastSecondBefore : transition;
}

/**
 * Returns the first instant after `fromMs` at which the offset of `toMs` applies. Transitions happen at whole seconds.
 */
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

/**
 * Returns the start of the next local hour, or the next transition if it is earlier. A repeated hour therefore counts
 * as two hours, and an hour with a gap is shorter.
 */
export function nextLocalHour(at: Instant, zone: TimeZone): Instant {
  const offset = offsetMsAt(at, zone);
  const localMs = at + offset;
  const next = addMilliseconds(at, msPerHour - (localMs - Math.floor(localMs / msPerHour) * msPerHour));
  return offsetMsAt(next - 1, zone) === offset ? next : transitionBetween(at, next, zone);
}

declare const localTimeBrand: unique symbol;

/** A time of day without a zone, as whole seconds after 00:00:00, from 0 to 86,399. */
export type LocalTime = number & { readonly [localTimeBrand]: 'LocalTime' };

const secondsPerDay = 86_400;

export const MIDNIGHT = 0 as LocalTime;

/** Returns the time `secondOfDay` seconds after 00:00:00. @throws InvariantError for a number out of range. */
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
