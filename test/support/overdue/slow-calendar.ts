import { Temporal } from 'temporal-polyfill';
import type { Span } from './overdue-documents.ts';

/** Zone and birth of an account: what turns its dates into instants. */
export interface Place {
  readonly zone: string;
  readonly referenceMs: number;
}

/** The day that it is there. */
export function dayAt(ms: number, { zone }: Place): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** That day at the time of day of the account's birth (subscriptions §2 rule 2). */
export function instantOf(day: string, place: Place): number {
  const born = Temporal.Instant.fromEpochMilliseconds(place.referenceMs).toZonedDateTimeISO(place.zone);
  const wall = Temporal.PlainDate.from(day).toPlainDateTime(born.toPlainTime());
  const earlier = wall.toZonedDateTime(place.zone, { disambiguation: 'earlier' });
  const later = wall.toZonedDateTime(place.zone, { disambiguation: 'later' });
  const isGap = !earlier.toPlainDateTime().equals(wall);
  if (!isGap) return earlier.epochMilliseconds;
  // The clocks jump over it: the first instant behind the gap, or the last second before it where that is another day.
  const jump = later.getTimeZoneTransition('previous') ?? later;
  if (jump.toPlainDate().toString() === day) return jump.epochMilliseconds;
  return jump.epochMilliseconds - 1_000;
}

/** The day after that span, null for one without end. */
export function dayAfter(day: string, span: Span): string | null {
  const { unit, number } = typeof span === 'number' ? { unit: 'DAYS', number: span } : span;
  const units: Readonly<Record<string, 'days' | 'weeks' | 'months' | 'years'>> = {
    DAYS: 'days',
    WEEKS: 'weeks',
    MONTHS: 'months',
    YEARS: 'years',
  };
  const name = units[unit];
  if (name === undefined) return null;
  return Temporal.PlainDate.from(day)
    .add({ [name]: number })
    .toString();
}

/** Whether an interval means none (overdue §1.1 rule 2). */
export function isNone(span: Span | undefined): boolean {
  if (span === undefined) return true;
  return typeof span === 'number' ? span === 0 : span.unit === 'UNLIMITED' || span.number === 0;
}
