import type { Instant } from '../../values/time/index.ts';
import type { BilledInterval } from './billed-interval.ts';
import type { PlannedInterval } from './planned-interval.ts';

/** Whether what counts then was late: the time is billed, and was over when it was (§7.7). */
export function isLate(
  { interval, match }: Pick<PlannedInterval, 'interval' | 'match'>,
  at: Instant,
): boolean {
  const isVeryEnd = interval.includesEnd && at === interval.end.at;
  return [...match.previous, ...match.overlapping].some(
    (one) => !isBilledAhead(one) && holds(one, at, isVeryEnd),
  );
}

/** A run up to a date to come has billed it before its end. */
export function isBilledAhead({ instants, billedAt = null }: BilledInterval): boolean {
  return instants !== null && billedAt !== null && billedAt < instants.end;
}

function holds({ instants }: BilledInterval, at: Instant, isVeryEnd: boolean): boolean {
  if (instants === null) return true;
  const { start, end } = instants;
  return start <= at && (at < end || (at === end && (isVeryEnd || start === end)));
}
