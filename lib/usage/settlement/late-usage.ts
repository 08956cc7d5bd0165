import type { UsageSection } from '../../records/index.ts';
import { NO_USAGE, type Quantities, together } from '../rating/quantities.ts';
import { BeyondLookBack, LateMode, type UsageConfig } from './usage-config.ts';

/** What was used in an interval, without the points that an overlapping billed interval has charged. */
export interface CollectedUsage {
  /** Points that are counted in what is billed of the interval, as far as they are not void. */
  readonly billed: Quantities;
  /** The others: all points of an interval that is not billed, and those that arrived late for a billed one. */
  readonly fresh: Quantities;
}

export interface LateUsageInput {
  readonly section: UsageSection;
  readonly isBilled: boolean;
  readonly collected: CollectedUsage;
}

export interface LateUsageModes extends Pick<UsageConfig, 'lateMode' | 'beyondLookBack'> {
  /** Points that arrived late for billed intervals before the look-back. */
  readonly beyond: Quantities;
}

/**
 * The quantities that each interval is rated for (§7.7).
 * @param intervals those of one usage name of a subscription that are not covered, in order.
 */
export function ratedQuantities(
  intervals: readonly LateUsageInput[],
  { lateMode, beyondLookBack, beyond }: LateUsageModes,
): readonly Quantities[] {
  const next = intervals.findIndex(({ isBilled }) => !isBilled);
  const section = intervals[next]?.section;
  // Without an interval that takes them, late points are billed as what they are.
  const mode = lateMode === LateMode.NEXT_PERIOD && section === undefined ? LateMode.DELTA : lateMode;
  const own = intervals.map((interval) => ownQuantities(interval, mode));
  if (section === undefined) return own;
  const late = mode === LateMode.NEXT_PERIOD ? intervals.filter(({ isBilled }) => isBilled) : [];
  const carried = [
    ...late.map(({ collected }) => collected.fresh),
    beyondLookBack === BeyondLookBack.NEXT_PERIOD ? beyond : NO_USAGE,
  ];
  return own.map((quantities, index) =>
    index === next ? carried.reduce((all, more) => together(section, all, more), quantities) : quantities,
  );
}

function ownQuantities({ section, isBilled, collected }: LateUsageInput, mode: LateMode): Quantities {
  const { billed, fresh } = collected;
  return isBilled && mode !== LateMode.DELTA ? billed : together(section, billed, fresh);
}
