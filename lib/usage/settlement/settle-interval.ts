import type { Currency } from '../../values/money/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import type { RatedUsage } from '../rating/rated-usage.ts';
import type { BilledInterval } from './billed-interval.ts';
import { settleAggregate } from './settle-aggregate.ts';
import { settleDetail } from './settle-detail.ts';
import { isZeroItem, type UsageCharge } from './usage-charge.ts';
import { ItemMode, type NegativeDelta } from './usage-config.ts';

export interface SettleIntervalInput {
  readonly usageName: string;
  readonly interval: UsageInterval;
  /** For all that was used in the interval so far. */
  readonly rated: RatedUsage;
  /** Those of `matchBilled`; in the order in which they were billed. */
  readonly previous: readonly BilledInterval[];
  readonly currency: Currency;
  readonly itemMode: ItemMode;
  readonly negativeDelta: NegativeDelta;
}

/**
 * The items that make what is billed of an interval equal to its rating, in the order of the invoice (§7.3 to §7.5, §7.7).
 * @throws InvariantError with FAIL if less was used than is billed.
 */
export function settleInterval(input: SettleIntervalInput): readonly UsageCharge[] {
  const { rated, itemMode, interval } = input;
  const charges =
    rated.kind === 'CAPACITY' || itemMode === ItemMode.AGGREGATE
      ? settleAggregate({ ...input, rated })
      : settleDetail({ ...input, rated });
  // §7.5 rule 3
  return interval.start.date === interval.end.date
    ? charges.filter((charge) => !isZeroItem(charge))
    : charges;
}
