import { type LocalDate, localDateOf, maxDate, minDate, type TimeZone } from '../../values/time/index.ts';
import { lookBackOf } from '../intervals/look-back.ts';
import { usageRuns } from '../intervals/usage-intervals.ts';
import type { BilledInterval, UsageHistory } from '../settlement/billed-interval.ts';
import { readTogether, separateSuperseded } from '../settlement/superseded-usage.ts';
import type { UsageConfig } from '../settlement/usage-config.ts';
import { firstUnbilledStart } from '../settlement/usage-plan.ts';

/** Input for `usageWindow`. `billed` contains the intervals that the last run read or created. */
interface UsageWindowInput extends UsageHistory {
  readonly config: Pick<UsageConfig, 'lookBackPeriods'>;
  /** First day that the last run read. Null (the default) means that it read everything. */
  readonly from?: LocalDate | null;
}

/**
 * Returns the date from which the next run reads a subscription's usage, provided that no invoice becomes void and no
 * event changes (§7.1). Null means all usage. The run reads the billed intervals that end on or after that date, the
 * days from that date on, and the days that these intervals consumed.
 */
export function usageWindow(input: UsageWindowInput): LocalDate | null {
  const { events, zone, config, from = null } = input;
  const { billed } = separateSuperseded(input.billed, events);
  const [first] = events;
  if (first === undefined) return null;
  const runs = usageRuns(events, maxDate(first.localDate, ...billed.map(({ endDate }) => endDate)));
  const starts = events
    .flatMap(({ usages }) => usages)
    .map((section) => {
      const { name } = section;
      const lookBack = lookBackOf(section, { events, billed, zone, config }).date;
      const named = runs.filter((run) => run.section.name === name);
      const own = billed.filter(({ usageName }) => usageName === name);
      const unbilled = firstUnbilledStart({ runs: named, billed: own, zone, from });
      return unbilled === null ? lookBack : minDate(lookBack, unbilled.date);
    });
  const [one, ...others] = starts;
  if (one === undefined) return null;
  return withRelated(minDate(one, ...others), input.billed, {
    zone,
    pairs: readTogether(input.billed),
  });
}

/** Moves the date back until the run also reads the intervals that are needed for the days from the date on. */
function withRelated(
  from: LocalDate,
  billed: readonly BilledInterval[],
  { zone, pairs }: { readonly zone: TimeZone; readonly pairs: ReturnType<typeof readTogether> },
): LocalDate {
  let date = withConsumers(from, billed, zone);
  for (const [longer, shorter] of pairs) {
    if (longer.endDate >= date && shorter.endDate < date) date = shorter.endDate;
  }
  return date === from ? from : withRelated(date, billed, { zone, pairs });
}

/**
 * Moves the date back to periods that charged late points. Such a period is needed as long as the points are needed.
 */
function withConsumers(from: LocalDate, billed: readonly BilledInterval[], zone: TimeZone): LocalDate {
  let date = from;
  for (const { endDate, consumed, supplied } of billed) {
    if (endDate >= date) continue;
    const isEvaluated =
      consumed.some(({ localDate }) => localDate >= date) ||
      (supplied?.amounts ?? []).some(({ end }) => localDateOf(end, zone) >= date);
    if (isEvaluated) date = endDate;
  }
  return date === from ? from : withConsumers(date, billed, zone);
}
