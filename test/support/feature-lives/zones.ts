import type { Day } from '../coupon-lives/calendar.ts';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Ms = number;

const SECONDS_PER_DAY = 86_400;
const MS_PER_SECOND = 1_000;
const DAY_MS = SECONDS_PER_DAY * MS_PER_SECOND;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** The local clock of a zone, with the date and time written as if they were in UTC. */
function localClock(at: Ms, zone: string): Ms {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

export const dayIn = (at: Ms, zone: string): Day => Math.floor(localClock(at, zone) / DAY_MS);

/** The local time of day in milliseconds. */
export const timeIn = (at: Ms, zone: string): Ms => localClock(at, zone) - dayIn(at, zone) * DAY_MS;

/** The instant of a local date and time of day (subscriptions §2 rule 2). */
export function instantOf(day: Day, time: Ms, zone: string): Ms {
  const wanted = day * DAY_MS + time;
  const found = [-DAY_MS, DAY_MS]
    .map((shift) => wanted - (localClock(wanted + shift, zone) - (wanted + shift)))
    .filter((at) => localClock(at, zone) === wanted);
  return found.length > 0 ? Math.min(...found) : afterGap(day, wanted, zone);
}

/** The first instant after a gap of the local clock, or the last one before it if the gap ends on a later day. */
function afterGap(day: Day, wanted: Ms, zone: string): Ms {
  let [before, after] = [wanted - DAY_MS, wanted + DAY_MS];
  while (after - before > MS_PER_SECOND) {
    const middle = Math.floor((before + after) / 2 / MS_PER_SECOND) * MS_PER_SECOND;
    if (localClock(middle, zone) > wanted) after = middle;
    else before = middle;
  }
  return dayIn(after, zone) === day ? after : before;
}

/** The first instant of a local date. */
export const startOf = (day: Day, zone: string): Ms => instantOf(day, 0, zone);
