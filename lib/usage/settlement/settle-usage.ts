import type { Currency } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { NO_USAGE, type Quantities } from '../rating/quantities.ts';
import { rateUsage } from '../rating/rate-usage.ts';
import type { RatedUsage } from '../rating/rated-usage.ts';
import { type CollectedUsage, ratedQuantities } from './late-usage.ts';
import { settleInterval } from './settle-interval.ts';
import { isZeroItem, type UsageCharge } from './usage-charge.ts';
import type { UsageConfig } from './usage-config.ts';
import type { BilledOfSection, PlannedInterval, UsagePlan } from './usage-plan.ts';

export interface SettleUsageInput<Billed extends BilledOfSection = BilledOfSection> {
  readonly plan: UsagePlan<Billed>;
  /** One for each interval of the plan. */
  readonly collected: readonly CollectedUsage[];
  /** By usage name: points that arrived late for billed intervals before the look-back. */
  readonly beyond: ReadonlyMap<string, Quantities>;
  readonly currency: Currency;
  readonly config: UsageConfig;
}

/** What a run bills of one interval. */
export interface SettledInterval<Billed extends BilledOfSection = BilledOfSection> {
  readonly planned: PlannedInterval<Billed>;
  readonly quantities: Quantities;
  readonly rated: RatedUsage;
  /** In the order of the invoice; without the zero items that the tenant drops. */
  readonly charges: readonly UsageCharge[];
}

export interface SettledUsage<Billed extends BilledOfSection = BilledOfSection> {
  readonly intervals: readonly SettledInterval<Billed>[];
  /** Latest end of its items, zero items that are dropped included (§7.5 rule 4, §7.9 rule 2); null = there are none. */
  readonly chargedThrough: LocalDate | null;
}

/**
 * Rates the planned intervals of a subscription and compares them with what is billed (§7.3 to §7.7). Runs, dry runs and
 * previews of current usage go through it.
 * @throws InvariantError under `negativeDelta` FAIL if less was used than is billed.
 */
export function settleUsage<Billed extends BilledOfSection>(
  input: SettleUsageInput<Billed>,
): SettledUsage<Billed> {
  const quantities = quantitiesOfPlan(input);
  const all = input.plan.intervals.map((planned) =>
    settled(planned, quantities.get(planned) ?? NO_USAGE, input),
  );
  const dates = all
    .filter(({ charges }) => charges.some(({ kind }) => kind === 'USAGE'))
    .map(({ planned }) => planned.interval.end.date);
  const { dropsZeroItems } = input.config;
  return {
    intervals: dropsZeroItems ? all.map(withoutZeroItems) : all,
    chargedThrough: dates.reduce<LocalDate | null>(
      (last, date) => (last === null || date > last ? date : last),
      null,
    ),
  };
}

/** Late points go to another interval of the same usage name, whichever run it belongs to. */
function quantitiesOfPlan<Billed extends BilledOfSection>({
  plan,
  collected,
  beyond,
  config,
}: SettleUsageInput<Billed>): ReadonlyMap<PlannedInterval<Billed>, Quantities> {
  const places = plan.intervals.map((planned, index) => ({ planned, index }));
  const byName = Map.groupBy(places, ({ planned }) => planned.run.section.name);
  const found = new Map<PlannedInterval<Billed>, Quantities>();
  for (const [name, group] of byName) {
    const ordered = group.toSorted((a, b) => a.planned.interval.start.at - b.planned.interval.start.at);
    const rated = ratedQuantities(
      ordered.map(({ planned, index }) => ({
        section: planned.run.section,
        isBilled: planned.match.previous.length > 0,
        collected: collected[index] ?? { billed: NO_USAGE, fresh: NO_USAGE },
      })),
      { ...config, beyond: beyond.get(name) ?? NO_USAGE },
    );
    for (const [place, { planned }] of ordered.entries()) found.set(planned, rated[place] ?? NO_USAGE);
  }
  return found;
}

function settled<Billed extends BilledOfSection>(
  planned: PlannedInterval<Billed>,
  quantities: Quantities,
  { currency, config }: SettleUsageInput<Billed>,
): SettledInterval<Billed> {
  const { section } = planned.run;
  const rated = rateUsage({ section, quantities, currency, overflow: config.overflow });
  const { itemMode, negativeDelta } = config;
  const { previous } = planned.match;
  const charges = settleInterval({
    usageName: section.name,
    interval: planned.interval,
    rated,
    previous,
    currency,
    itemMode,
    negativeDelta,
  });
  return { planned, quantities, rated, charges };
}

function withoutZeroItems<Billed extends BilledOfSection>(
  interval: SettledInterval<Billed>,
): SettledInterval<Billed> {
  return { ...interval, charges: interval.charges.filter((charge) => !isZeroItem(charge)) };
}
