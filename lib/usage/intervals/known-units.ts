import type { BillingEvent } from '../../records/index.ts';
import { unitsOf } from '../rating/quantities.ts';
import type { UsageInterval } from './usage-intervals.ts';

/**
 * The units that the subscription's sections charge during an interval (§7.8): of the event in force at its start and of
 * those that take effect in it, other than at its end.
 * @param events all of the subscription, in order.
 */
export function knownUnits(
  events: readonly BillingEvent[],
  { start, end }: UsageInterval,
): ReadonlySet<string> {
  const inForce = events.findLast(({ effectiveDate }) => effectiveDate <= start.at);
  // Those at the start itself count in an interval of no length too, where the cancellation is the last of them.
  const within = events.filter(({ effectiveDate: at }) => at === start.at || (at > start.at && at < end.at));
  const sections = [...(inForce === undefined ? [] : [inForce]), ...within].flatMap(({ usages }) => usages);
  return new Set(sections.flatMap(unitsOf));
}
