import { InvariantError } from '../errors/index.ts';

declare const instantBrand: unique symbol;

/**
 * A point in time, as UTC milliseconds since 1970-01-01T00:00Z. It is a safe integer, and its year is between 1 and
 * 9999. Instants are compared and sorted as numbers. A local date can be converted to an instant only with a time zone.
 */
export type Instant = number & { readonly [instantBrand]: 'Instant' };

const firstMs = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const lastMs = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
const msPerSecond = 1_000;

/** Returns true if `ms` is a valid `Instant`. */
export function isInstantMs(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= firstMs && ms <= lastMs;
}

/** Returns the instant at `ms` milliseconds. @throws InvariantError if the number is out of range or has a fraction. */
export function instant(ms: number): Instant {
  if (isInstantMs(ms)) return ms as Instant;
  throw new InvariantError(`${ms} is not an instant in UTC milliseconds of the years 1 to 9999`, { ms });
}

/** The last instant of the calendar. */
export const LAST_INSTANT = instant(lastMs);

/**
 * Returns the instant at `ms` milliseconds. If it is outside the calendar, returns the first or last whole second of
 * the calendar.
 */
export function instantWithinCalendar(ms: number): Instant {
  return instant(Math.min(lastMs - (lastMs % msPerSecond), Math.max(firstMs, ms)));
}

/** Formats an instant as `yyyy-MM-ddTHH:mm:ss.SSSZ` (http-api §9 rule 1). */
export function formatInstant(at: Instant): string {
  return new Date(at).toISOString();
}

/** Returns the start of the second that contains `at` (subscriptions §2 rule 5). */
export function truncateToSecond(at: Instant): Instant {
  return instant(Math.floor(at / msPerSecond) * msPerSecond);
}

/** Returns `at` plus `ms` milliseconds. `ms` may be negative. */
export function addMilliseconds(at: Instant, ms: number): Instant {
  return instant(at + ms);
}

export function maxInstant(first: Instant, ...others: readonly Instant[]): Instant {
  return others.reduce((latest, at) => (at > latest ? at : latest), first);
}

export function minInstant(first: Instant, ...others: readonly Instant[]): Instant {
  return others.reduce((earliest, at) => (at < earliest ? at : earliest), first);
}
