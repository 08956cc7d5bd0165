import { InvariantError } from '../errors/index.ts';

declare const instantBrand: unique symbol;

/**
 * A point in time, as UTC milliseconds since 1970-01-01T00:00Z. It is a safe integer in the years 1 to 9999, and
 * compares and sorts as a number. A local date becomes an instant only with a zone.
 */
export type Instant = number & { readonly [instantBrand]: 'Instant' };

const firstMs = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const lastMs = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
const msPerSecond = 1_000;

/** Returns true for the milliseconds of a valid `Instant`. */
export function isInstantMs(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= firstMs && ms <= lastMs;
}

/** Returns the instant of `ms`. @throws InvariantError for a fraction or a value out of range. */
export function instant(ms: number): Instant {
  if (isInstantMs(ms)) return ms as Instant;
  throw new InvariantError(`${ms} is not an instant in UTC milliseconds of the years 1 to 9999`, { ms });
}

/** The last instant of the calendar. */
export const LAST_INSTANT = instant(lastMs);

/** Returns the instant of `ms`, or the first or last whole second of the calendar. */
export function instantWithinCalendar(ms: number): Instant {
  return instant(Math.min(lastMs - (lastMs % msPerSecond), Math.max(firstMs, ms)));
}

/** Returns `yyyy-MM-ddTHH:mm:ss.SSSZ` (http-api §9 rule 1). */
export function formatInstant(at: Instant): string {
  return new Date(at).toISOString();
}

/** Returns the start of the second of `at` (subscriptions §2 rule 5). */
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
