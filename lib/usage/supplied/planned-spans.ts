import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import type { ConsumingInterval } from '../collecting/usage-piece.ts';
import type { PlannedInterval } from '../settlement/planned-interval.ts';
import type { SuppliedSpan } from './supplied-usage.ts';

/**
 * True if an interval can be rated from what is told now. What a source was billed for is compared with what a source says,
 * what was recorded with what is recorded: neither knows what the other was made of.
 */
export function isComparable({ match }: PlannedInterval<ConsumingInterval>, isSupplied: boolean): boolean {
  return match.previous.every(({ supplied = null }) => (supplied !== null) === isSupplied);
}

/** The interval less what the billed intervals that overlap it have charged (§7.3 step 2); in order. */
export function spansOf({ interval, match }: PlannedInterval<ConsumingInterval>): readonly SuppliedSpan[] {
  const { start, end, includesEnd } = interval;
  let spans: readonly SuppliedSpan[] = [{ start: start.at, end: end.at, endInclusive: includesEnd }];
  for (const { instants } of match.overlapping) {
    if (instants === null) continue;
    // One of no length has charged its only instant.
    const until = instants.start === instants.end ? addMilliseconds(instants.end, 1) : instants.end;
    spans = spans.flatMap((span) => without(span, instants.start, until));
  }
  return spans;
}

function without(span: SuppliedSpan, from: Instant, to: Instant): readonly SuppliedSpan[] {
  if (to <= span.start || from > span.end) return [span];
  const before = from > span.start ? [{ start: span.start, end: from, endInclusive: false }] : [];
  const isLeft = to < span.end || (to === span.end && span.endInclusive);
  return isLeft ? [...before, { ...span, start: to }] : before;
}
