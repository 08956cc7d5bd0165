import type { LookedDays, UsageReading } from '../../records/index.ts';
import {
  type ConsumingInterval,
  mayHaveMinimum,
  NO_TERMS,
  type PlannedInterval,
  type Quantities,
  type UsagePlan,
  unitsOf,
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
  // Of late usage that was charged with a later period: where it is void now, no day that is looked at shows it.
  const isCarried = [...billed, ...intervals].some(
    ({ endDate, consumed }) => endDate >= from && consumed.some(({ localDate }) => localDate < from),
  );
  if (isCarried) return null;
  const through = maxDate(first, ...others);
  let mark = 0;
  for (const [date, one] of marks) {
    if (date >= from && date <= through) mark += one;
  }
  return { through, mark };
}

interface RatedPlan {
  readonly plan: UsagePlan<ConsumingInterval>;
  readonly intervals: readonly RatedInterval[];
  /** By usage name, what waits for the next period that is not billed. */
  readonly beyond: ReadonlyMap<string, Quantities>;
}

/**
 * Whether later runs may make an item, as far as is known now: not where the tenant drops items of 0 and no point lies
 * beyond what is billed.
 */
export function mayComeTo({ usage, config }: UsageRunInput, { plan, intervals, beyond }: RatedPlan): boolean {
  if (!config.dropsZeroItems) return true;
  // A minimum is charged where nothing is used, too.
  if (plan.open.some(({ name }) => mayHaveMinimum(usage.terms ?? NO_TERMS, name))) return true;
  // What a source will tell of later days is not known.
  if (usage.supplied != null) return false;
  const billed = [...usage.billed, ...intervals];
  return plan.open.some((section) => {
    const { name } = section;
    const isNew = ({ run, match }: PlannedInterval): boolean =>
      run.section.name === name && match.previous.length === 0;
    const waits = config.beyondLookBack === 'NEXT_PERIOD' && !plan.intervals.some(isNew);
    if (waits && [...(beyond.get(name) ?? [])].some(([, quantity]) => !quantity.isZero())) return true;
    const ends = billed.filter(({ usageName }) => usageName === name).map(({ endDate }) => endDate);
    const [first, ...others] = ends;
    const through = first === undefined ? null : maxDate(first, ...others);
    const units = new Set(unitsOf(section));
    return usage.pieces.some(
      ({ unit, localDate, sum, max }) =>
        units.has(unit) && (through === null || localDate >= through) && !(sum.isZero() && max.isZero()),
    );
  });
}
