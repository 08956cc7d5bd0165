import type { BillingEvent, UsageSection } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import {
  addPeriod,
  type BillingPeriod,
  type DatedInstant,
  type LocalDate,
  maxDate,
  periodLength,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';
import { instantOf } from './usage-intervals.ts';

interface LookBackInput {
  /** The latest billed end date of the section, or null if nothing has been billed. */
  readonly billedThrough: LocalDate | null;
  readonly billingPeriod: BillingPeriod;
  /** Value of `invoice.readMaxRawUsagePreviousPeriod`. A negative value means an unlimited number of periods. */
  readonly periods: number;
  readonly begin: DatedInstant;
  readonly zone: TimeZone;
}

interface BilledHistory {
  /** All events of the subscription in order. */
  readonly events: readonly BillingEvent[];
  readonly billed: readonly { readonly usageName: string; readonly endDate: LocalDate }[];
  readonly zone: TimeZone;
  readonly config: { readonly lookBackPeriods: number };
}

/** Returns L, the start of the look-back period, for a section of the subscription (§7.1). */
export function lookBackOf(
  { name, billingPeriod }: UsageSection,
  { events, billed, zone, config: { lookBackPeriods: periods } }: BilledHistory,
): DatedInstant {
  const [first] = events;
  assertInvariant(first, `The subscription of usage ${name} has no billing event`);
  const begin = instantOf(first);
  const ends = billed.filter(({ usageName }) => usageName === name).map(({ endDate }) => endDate);
  const [end, ...others] = ends;
  const billedThrough = end === undefined ? null : maxDate(end, ...others);
  return lookBackStart({ billedThrough, billingPeriod, periods, begin, zone });
}

/** Returns L, the start of the look-back period. Intervals that start before L are not computed again (§7.1). */
export function lookBackStart(input: LookBackInput): DatedInstant {
  const { billedThrough, billingPeriod, periods, begin, zone } = input;
  if (billedThrough === null || periods < 0) return begin;
  const back = Math.min(periods, periodsSince(begin.date, billedThrough, billingPeriod));
  const date = addPeriod(billedThrough, billingPeriod, -back);
  const at = startOfDay(date, zone);
  return at > begin.at ? { at, date } : begin;
}

/**
 * Returns an upper bound for the number of periods between the dates. Without this bound, a large setting could lead to
 * dates before the start of the calendar.
 */
function periodsSince(from: LocalDate, to: LocalDate, period: BillingPeriod): number {
  const { unit, number } = periodLength(period);
  const shortest = unit === 'DAYS' ? number : number * 28;
  return Math.max(0, Math.ceil((to - from) / shortest));
}
