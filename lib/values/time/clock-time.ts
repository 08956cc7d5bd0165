import { BillingError, ErrorCode, InvariantError } from '../errors/index.ts';
import { formatInstant, type Instant } from './instant.ts';
import { addDays, parseLocalDate } from './local-date.ts';
import { startOfDay, UTC } from './time-zone.ts';

/**
 * The earliest and the latest day of a clock. The queue stores times since 1970, and billing looks ahead up to 200
 * years.
 */
const FIRST_CLOCK_DAY = '1970-01-02';
const LAST_CLOCK_DAY = '8999-12-31';

const first = startOfDay(parseLocalDate(FIRST_CLOCK_DAY), UTC);
const end = startOfDay(addDays(parseLocalDate(LAST_CLOCK_DAY), 1), UTC);

/** Checks that `at` is a valid time for a business clock (R44). @throws BillingError INVALID_PARAMETER (60002). */
export function checkClockTime(at: Instant): void {
  if (at < first || at >= end) throw outOfReach(`be set to ${formatInstant(at)}`);
}

/** Returns the time of a business clock after it is moved by `move`. @throws The errors of `checkClockTime`. */
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
    message: `The clock cannot ${what}: its range is ${FIRST_CLOCK_DAY} to ${LAST_CLOCK_DAY}`,
    cause,
  });
}
