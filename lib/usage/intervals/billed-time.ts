import type { BillingEvent } from '../../records/index.ts';
import type { DatedInstant, Instant, LocalDate } from '../../values/time/index.ts';
import type { UsageInterval } from './usage-intervals.ts';
import { isBilled, isEnd } from './usage-runs.ts';

/** A stretch in which a subscription is billed: from its start, or the end of a pause. */
export interface BilledTime {
  readonly start: DatedInstant;
  /** null = it has no end yet. */
  readonly end: Instant | null;
  /** True where it ends with the subscription, whose last instant counts (§6.4). */
  readonly includesEnd: boolean;
}

/** What decides when a point counts. */
export interface PointInTime {
  readonly recordInstant: Instant;
  /** Stored when the point was recorded. */
  readonly localDate: LocalDate;
  /** True where it was recorded for a day and not for an instant. */
  readonly dateOnly: boolean;
}

/** When a subscription is billed, in order. */
export function billedTimes(events: readonly BillingEvent[]): readonly BilledTime[] {
  const times: BilledTime[] = [];
  let start: DatedInstant | null = null;
  for (const event of events) {
    const at = event.effectiveDate;
    if (isBilled(event)) start ??= { at, date: event.localDate };
    else if (start !== null) {
      times.push({ start, end: at, includesEnd: isEnd(event) });
      start = null;
    }
  }
  return start === null ? times : [...times, { start, end: null, includesEnd: false }];
}

/**
 * The instant at which a point counts (§2.3 rule 3): where it was recorded for a day that begins before billing does, the
 * earliest start of billing on that day; else its own.
 */
export function countsAt(point: PointInTime, times: readonly BilledTime[]): Instant {
  const { recordInstant, localDate, dateOnly } = point;
  if (!dateOnly || isBilledAt(recordInstant, times)) return recordInstant;
  const start = times.find((time) => time.start.date === localDate && time.start.at > recordInstant);
  return start?.start.at ?? recordInstant;
}

/** Whether the subscription is billed then. */
export function isBilledAt(at: Instant, times: readonly BilledTime[]): boolean {
  return times.some((time) => holds(time, at));
}

/** True if a point that counts at `at` is one of the interval's (§6.4). */
export function isWithin({ start, end, includesEnd }: UsageInterval, at: Instant): boolean {
  return at >= start.at && (at < end.at || (includesEnd && at === end.at));
}

function holds({ start, end, includesEnd }: BilledTime, at: Instant): boolean {
  return at >= start.at && (end === null || at < end || (includesEnd && at === end));
}
