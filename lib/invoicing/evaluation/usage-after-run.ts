import type { LookedDays, UsageReading } from '../../records/index.ts';
import {
  type ConsumingInterval,
  mayHaveMinimum,
  NO_TERMS,
  type PlannedInterval,
  usageSettings,
  usageWindow,
} from '../../usage/index.ts';
import { MIN_YEAR } from '../../values/limits.ts';
import { type LocalDate, localDate, maxDate, minDate } from '../../values/time/index.ts';
import {
  type RatedInterval,
  type SubscriptionUsage,
  storedIntervals,
  type UsageRunInput,
} from './usage-run.ts';

const FIRST_DAY = localDate(MIN_YEAR, 1, 1);

/** What the next run reads of a subscription's usage. @param hasItems whether this run has made some of it. */
export function readingAfter(
  input: UsageRunInput,
  intervals: readonly RatedInterval[],
  hasItems: boolean,
): UsageReading {
  const from = readFrom(input, intervals);
  // What is not stored, for want of an invoice, stays late.
  const isStored = hasItems || !intervals.some(({ isBilledAgain }) => isBilledAgain);
  return {
    from,
    settings: usageSettings(input.config, input.usage.terms),
    looked: isStored ? lookedDays(input.usage, intervals, from) : null,
  };
}

/** Some intervals are stored only if the run makes an invoice: what either way needs is read. */
function readFrom(
  { events, usage, config }: UsageRunInput,
  intervals: readonly RatedInterval[],
): LocalDate | null {
  // What came for the oldest interval may still be carried into the next one.
  if (config.beyondLookBack === 'NEXT_PERIOD') return FIRST_DAY;
  const { zone, billed, from = null } = usage;
  const [withInvoice, without] = [true, false].map((hasInvoice) =>
    usageWindow({
      events,
      zone,
      config,
      billed: [...billed, ...storedIntervals(intervals, hasInvoice)],
      from,
    }),
  );
  return withInvoice == null || without == null ? null : minDate(withInvoice, without);
}

/** Points of later days are of intervals that fall due, or of none. */
function lookedDays(
  { billed, marks = null }: SubscriptionUsage,
  intervals: readonly RatedInterval[],
  from: LocalDate | null,
): LookedDays | null {
  const ends = [...billed, ...intervals].map(({ endDate }) => endDate);
  const [first, ...others] = ends;
  if (marks === null || from === null || first === undefined) return null;
  const through = maxDate(first, ...others);
  let mark = 0;
  for (const [date, one] of marks) {
    if (date >= from && date <= through) mark += one;
  }
  return { through, mark };
}

/**
 * Whether later runs may make an item, as far as is known now: not where the tenant drops items of 0 and no point lies
 * beyond what is billed.
 */
export function mayComeTo(
  { events, usage, config }: UsageRunInput,
  planned: readonly PlannedInterval<ConsumingInterval>[],
  intervals: readonly RatedInterval[],
): boolean {
  if (!config.dropsZeroItems) return true;
  const names = (events.at(-1)?.usages ?? []).map(({ name }) => name);
  // A minimum is charged where nothing is used, too.
  if (names.some((name) => mayHaveMinimum(usage.terms ?? NO_TERMS, name))) return true;
  // What a source will tell of later days is not known.
  if (usage.supplied != null) return false;
  // Usage from beyond the look-back waits for the first period that is not billed.
  const billsNew = planned.some(({ match }) => match.previous.length === 0);
  if (config.beyondLookBack === 'NEXT_PERIOD' && !billsNew) return true;
  const billed = [...usage.billed, ...intervals];
  return names.some((name) => {
    const ends = billed.filter(({ usageName }) => usageName === name).map(({ endDate }) => endDate);
    const [first, ...others] = ends;
    const through = first === undefined ? null : maxDate(first, ...others);
    return usage.pieces.some(
      ({ localDate, sum, max }) =>
        (through === null || localDate >= through) && !(sum.isZero() && max.isZero()),
    );
  });
}
