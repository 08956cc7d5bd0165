import { BillingError, ErrorCode, InvariantError } from '../errors/index.ts';
import { MAX_CLOCK_YEAR, MIN_CLOCK_YEAR } from '../limits.ts';
import { formatInstant, type Instant } from './instant.ts';
import { localDate } from './local-date.ts';
import { UTC } from './time-zone.ts';
import { startOfDay } from './zone-conversion.ts';

const first = startOfDay(localDate(MIN_CLOCK_YEAR, 1, 1), UTC);
const end = startOfDay(localDate(MAX_CLOCK_YEAR + 1, 1, 1), UTC);

/**
 * Checks that a business clock may be set to `at`: what billing looks ahead to from there has to lie inside the calendar.
 * @throws BillingError INVALID_PARAMETER (60002).
 */
export function checkClockTime(at: Instant): void {
  if (at < first || at >= end) throw outOfReach(`be set to ${formatInstant(at)}`);
}

/** Where `move` leads a business clock. @throws BillingError INVALID_PARAMETER (60002) as `checkClockTime`. */
export function movedClock(from: Instant, move: (from: Instant) => Instant): Instant {
  try {
    const to = move(from);
    checkClockTime(to);
    return to;
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    throw outOfReach(`be moved that far from ${formatInstant(from)}`, error);
  }
}

function outOfReach(what: string, cause?: InvariantError): BillingError {
  return new BillingError({
    code: ErrorCode.INVALID_PARAMETER,
    message: `The clock cannot ${what}: it shows times of the years ${MIN_CLOCK_YEAR} to ${MAX_CLOCK_YEAR}`,
    cause,
  });
}
