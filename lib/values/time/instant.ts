import { InvariantError } from '../errors/index.ts';

declare const instantBrand: unique symbol;

/**
 * A point on the time line: UTC milliseconds since 1970-01-01T00:00Z, a safe integer between the years 1 and 9999.
 * Compares and sorts as a number. Made from the clock and the wire's date-times, never from a local date without a zone.
 */
export type Instant = number & { readonly [instantBrand]: 'Instant' };

const firstMs = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const lastMs = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
const msPerSecond = 1_000;

/** True if `ms` is a whole number of milliseconds that an `Instant` can hold. */
export function isInstantMs(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= firstMs && ms <= lastMs;
}

/** The instant `ms` milliseconds after 1970-01-01T00:00Z. @throws InvariantError if it is no whole number or out of range. */
export function instant(ms: number): Instant {
  if (isInstantMs(ms)) return ms as Instant;
  throw new InvariantError(`${ms} is not an instant in UTC milliseconds of the years 1 to 9999`, { ms });
}

/** Nothing comes after it. */
export const LAST_INSTANT = instant(lastMs);

/** The instant of `ms`, or the first or last whole second of the calendar if it lies beyond. */
export function instantWithinCalendar(ms: number): Instant {
  return instant(Math.min(lastMs - (lastMs % msPerSecond), Math.max(firstMs, ms)));
}

/** `yyyy-MM-ddTHH:mm:ss.SSSZ` (http-api §9 rule 1). */
export function formatInstant(at: Instant): string {
  return new Date(at).toISOString();
}

/** The whole second that `at` lies in (subscriptions §2 rule 5). */
export function truncateToSecond(at: Instant): Instant {
  return instant(Math.floor(at / msPerSecond) * msPerSecond);
}

/** `at` plus `ms` milliseconds of elapsed time; negative goes back. */
export function addMilliseconds(at: Instant, ms: number): Instant {
  return instant(at + ms);
}

/** The latest of the given instants. */
export function maxInstant(first: Instant, ...others: readonly Instant[]): Instant {
  return others.reduce((latest, at) => (at > latest ? at : latest), first);
}

/** The earliest of the given instants. */
export function minInstant(first: Instant, ...others: readonly Instant[]): Instant {
  return others.reduce((earliest, at) => (at < earliest ? at : earliest), first);
}
