import { invalidParameter } from '../../values/errors/index.ts';
import {
  formatInstant,
  type Instant,
  type RequestedDate,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';

export interface RequestedBounds {
  readonly startDate: RequestedDate;
  /** Exclusive. */
  readonly endDate: RequestedDate;
}

export interface Bounds {
  readonly start: Instant;
  readonly end: Instant;
}

/**
 * The instants that are meant: a date is the start of that day in the usage zone (§3.1 rule 2).
 * @throws BillingError INVALID_PARAMETER (60002) for an end before the start.
 */
export function boundsIn(zone: TimeZone, { startDate, endDate }: RequestedBounds): Bounds {
  return checkedBounds({ start: instantOf(startDate, zone), end: instantOf(endDate, zone) });
}

export function checkedBounds(bounds: Bounds): Bounds {
  if (bounds.end >= bounds.start) return bounds;
  const [start, end] = [formatInstant(bounds.start), formatInstant(bounds.end)];
  throw invalidParameter(`The end, ${end}, is before the start, ${start}`, { start, end });
}

function instantOf(requested: RequestedDate, zone: TimeZone): Instant {
  return 'at' in requested ? requested.at : startOfDay(requested.date, zone);
}
