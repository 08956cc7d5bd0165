import type { SuppliedDigest } from '../../records/index.ts';
import {
  type ConsumingInterval,
  type SettledInterval,
  SuppliedBook,
  type SuppliedUsage,
  UsageBook,
  type UsageBookInput,
  type UsagePiece,
  type UsagePlan,
} from '../../usage/index.ts';

/** What was used, and what of it an interval is the first to bill. */
export interface UsageMeter extends Pick<UsageBook, 'collect' | 'unitsIn'> {
  /** By usage name: what came late for billed intervals before the look-back. */
  beyond(): ReturnType<UsageBook['beyond']>;
  newlyBilled(settled: SettledInterval<ConsumingInterval>): NewlyBilled;
}

export interface NewlyBilled {
  readonly consumed: readonly UsagePiece[];
  readonly supplied: SuppliedDigest | null;
}

/** What was recorded. */
export function recordedMeter(
  input: UsageBookInput,
  { intervals, open }: Pick<UsagePlan<ConsumingInterval>, 'intervals' | 'open'>,
): UsageMeter {
  const book = new UsageBook(input);
  return {
    collect: (planned) => book.collect(planned),
    unitsIn: (interval) => book.unitsIn(interval),
    beyond: () => book.beyond(intervals, [...intervals.map(({ run }) => run.section), ...open]),
    newlyBilled: ({ planned, consumes }) => ({
      consumed: book.newlyConsumed(planned, consumes, intervals),
      supplied: null,
    }),
  };
}

/** What a usage source has told; it is not asked for what lies before the look-back. */
export function suppliedMeter(supplied: SuppliedUsage, billed: readonly ConsumingInterval[]): UsageMeter {
  const book = new SuppliedBook(supplied, billed);
  return {
    collect: (planned) => book.collect(planned),
    unitsIn: (interval) => book.unitsIn(interval),
    beyond: () => new Map(),
    newlyBilled: ({ planned, consumes }) => ({ consumed: [], supplied: book.newlyTold(planned, consumes) }),
  };
}
