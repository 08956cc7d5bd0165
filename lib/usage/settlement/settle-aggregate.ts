import { type Currency, type Decimal, sum, ZERO } from '../../values/money/index.ts';
import { aggregateDetails, readItemDetails } from '../rating/item-details.ts';
import type { BlockLine, RatedConsumable, RatedUsage } from '../rating/rated-usage.ts';
import type { BilledInterval } from './billed-interval.ts';
import { type BilledLine, billedLines, billedTotal, keyOf } from './billed-so-far.ts';
import { Refundable } from './credits.ts';
import { changeOf, type LineChange } from './line-changes.ts';
import { givesBack, type NegativeDeltaFacts } from './negative-delta.ts';
import type { ChargeFacts, UsageCharge } from './usage-charge.ts';

export interface SettleAggregateInput extends NegativeDeltaFacts {
  readonly rated: RatedUsage;
  readonly previous: readonly BilledInterval[];
  readonly currency: Currency;
}

/** One item for the interval, of the difference between its rating and what is billed (§7.3 steps 4 and 5, §7.4). */
export function settleAggregate(input: SettleAggregateInput): readonly UsageCharge[] {
  const { rated, previous } = input;
  const facts = { lines: rated.lines, due: rated.amount, billed: billedTotal(previous) };
  if (previous.length === 0) return [usageItem(rated.amount, fullDetails(rated), facts)];
  const delta = rated.amount.minus(facts.billed);
  if (delta.isZero() || isOnlyRoundedOtherwise(input)) return [];
  const details = deltaDetails(input);
  if (delta.greaterThan(ZERO)) return [usageItem(delta, details.first, facts)];
  return givesBack(delta, input) ? new Refundable(previous).credit(delta.abs(), { details, facts }) : [];
}

function usageItem(amount: Decimal, details: string, facts: ChargeFacts): UsageCharge {
  return { kind: 'USAGE', amount, rate: null, quantity: null, details, ...facts };
}

function fullDetails({ lines, exact, overflow }: RatedUsage): string {
  return aggregateDetails({ lines, amount: exact, overflow });
}

/** Of ALL_TIERS the quantities that are new; TOP_TIER and CAPACITY show the whole new rating (§7.3). */
function deltaDetails(input: SettleAggregateInput) {
  const { rated } = input;
  if (rated.kind !== 'ALL_TIERS') {
    const details = fullDetails(rated);
    return { first: details, others: details };
  }
  const changes = lineChanges(rated, input).filter(isListed);
  const { overflow } = rated;
  const content = (lines: readonly BlockLine[]) =>
    aggregateDetails({ lines, amount: sum(lines.map(({ amount }) => amount)), overflow });
  const nothing = ({ change }: LineChange): BlockLine => ({ ...change, quantity: ZERO, amount: ZERO });
  return { first: content(changes.map(({ change }) => change)), others: content(changes.map(nothing)) };
}

/** Tier 1 always, others where something changes. */
function isListed({ change }: LineChange): boolean {
  return change.tier === 1 || !change.quantity.isZero() || !change.amount.isZero();
}

function lineChanges(rated: RatedConsumable, input: SettleAggregateInput): readonly LineChange[] {
  return changeOf(rated, billedLines({ ...input, rated }));
}

/**
 * True where the same usage is billed as before, but was billed line by line: each line was rounded by itself then, so that
 * the sums may differ by cents for which nobody used anything.
 */
function isOnlyRoundedOtherwise(input: SettleAggregateInput): boolean {
  const { rated, previous } = input;
  if (rated.kind === 'CAPACITY') return false;
  const wasDetailed = previous.some(({ entries }) =>
    entries.some(({ details }) => readItemDetails(details)?.shape === 'DETAIL'),
  );
  if (!wasDetailed) return false;
  const billed: ReadonlyMap<string, BilledLine> = billedLines({ ...input, rated });
  return (
    rated.lines.every((line) => billed.get(keyOf(rated.kind, line))?.amount.equals(line.amount) ?? false) &&
    sum([...billed.values()].map(({ amount }) => amount)).equals(rated.exact)
  );
}
