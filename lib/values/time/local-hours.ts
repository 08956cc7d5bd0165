import { addMilliseconds, type Instant } from './instant.ts';
import type { TimeZone } from './time-zone.ts';
import { transitionBetween } from './zone-conversion.ts';
import { offsetMsAt } from './zone-offset.ts';

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
