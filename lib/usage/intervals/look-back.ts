import {
  addPeriod,
  type BillingPeriod,
  type DatedInstant,
  type LocalDate,
  periodLength,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';

export interface LookBackInput {
  /** Latest end date that is billed of the subscription's section; null = none. */
  readonly billedThrough: LocalDate | null;
  readonly billingPeriod: BillingPeriod;
  /** `invoice.readMaxRawUsagePreviousPeriod`; negative = all. */
  readonly periods: number;
  /** First billing event of the subscription. */
  readonly begin: DatedInstant;
  readonly zone: TimeZone;
}

/** L: intervals that start earlier are not computed again (§7.1). */
export function lookBackStart(input: LookBackInput): DatedInstant {
  const { billedThrough, billingPeriod, periods, begin, zone } = input;
  if (billedThrough === null || periods < 0) return begin;
  const back = Math.min(periods, periodsSince(begin.date, billedThrough, billingPeriod));
  const date = addPeriod(billedThrough, billingPeriod, -back);
  const at = startOfDay(date, zone);
  return at > begin.at ? { at, date } : begin;
}

/** At least as many periods as there are between the dates; a large setting must not leave the calendar. */
function periodsSince(from: LocalDate, to: LocalDate, period: BillingPeriod): number {
  const { unit, number } = periodLength(period);
  const shortest = unit === 'DAYS' ? number : number * 28;
  return Math.max(0, Math.ceil((to - from) / shortest));
}
