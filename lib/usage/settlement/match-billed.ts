import type { UsageInterval } from '../intervals/usage-intervals.ts';
import type { BilledInterval } from './billed-interval.ts';

/** What is billed already of an interval (§7.3 step 2). */
export type BilledMatch<Billed extends BilledInterval = BilledInterval> =
  /** It lies within a longer billed one: nothing more is billed. */
  | { readonly kind: 'COVERED' }
  | {
      readonly kind: 'OPEN';
      /** Inside the interval, or equal to it: only the difference is billed. */
      readonly previous: readonly Billed[];
      /** Share a part with it: their points are left out of the quantities. */
      readonly overlapping: readonly Billed[];
    };

/** Matches an interval with the billed ones of the same subscription and usage name, by instants where these are known. */
export function matchBilled<Billed extends BilledInterval>(
  interval: UsageInterval,
  billed: readonly Billed[],
): BilledMatch<Billed> {
  const relations = billed.map((one) => ({ one, relation: relationOf(interval, one) }));
  if (relations.some(({ relation }) => relation === 'AROUND')) return { kind: 'COVERED' };
  const those = (wanted: Relation) =>
    relations.filter(({ relation }) => relation === wanted).map(({ one }) => one);
  return { kind: 'OPEN', previous: those('INSIDE'), overlapping: those('OVERLAPS') };
}

/** Those of them that lie within the interval, or are equal to it. */
export function billedWithin<Billed extends BilledInterval>(
  interval: UsageInterval,
  billed: readonly Billed[],
): readonly Billed[] {
  return billed.filter((one) => relationOf(interval, one) === 'INSIDE');
}

type Relation = 'AROUND' | 'INSIDE' | 'OVERLAPS' | 'APART';

interface Span {
  readonly start: number;
  readonly end: number;
}

function relationOf(interval: UsageInterval, billed: BilledInterval): Relation {
  const { start, end } = interval;
  return billed.instants === null
    ? relation(
        { start: start.date, end: end.date },
        { start: billed.startDate, end: billed.endDate },
        interval,
      )
    : relation({ start: start.at, end: end.at }, billed.instants, interval);
}

function relation(own: Span, billed: Span, interval: UsageInterval): Relation {
  if (own.start === billed.start && own.end === billed.end) return 'INSIDE';
  if (billed.start === billed.end) return ofNoLength(own, billed.start, interval);
  if (own.start === own.end) return billed.start <= own.start && own.start < billed.end ? 'AROUND' : 'APART';
  if (billed.start <= own.start && own.end <= billed.end) return 'AROUND';
  if (own.start <= billed.start && billed.end <= own.end) return 'INSIDE';
  return billed.start < own.end && own.start < billed.end ? 'OVERLAPS' : 'APART';
}

/** A billed interval of no length is not deducted from one of more than a day; what it has charged is not charged again. */
function ofNoLength(own: Span, at: number, { start, end }: UsageInterval): Relation {
  if (at < own.start || at > own.end) return 'APART';
  return end.date - start.date > 1 ? 'OVERLAPS' : 'INSIDE';
}
