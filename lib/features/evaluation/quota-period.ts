import type { PlanPhase } from '../../catalog/index.ts';
import { type Account, QuotaPeriod } from '../../records/index.ts';
import type { ServiceCycle, ServiceStream } from '../../subscriptions/index.ts';
import {
  addDays,
  BillingPeriod,
  type CycleDates,
  cycleDate,
  cycleDatesOf,
  dayOfMonth,
  firstCycleAfter,
  isMonthBased,
  type LocalDate,
  lastCycleUpTo,
  localDateOf,
  minDate,
} from '../../values/time/index.ts';

/** A period of a quota in local dates: `start` ≤ day < `end`. */
export interface QuotaSpan {
  readonly start: LocalDate;
  /** Null if the period has no end. */
  readonly end: LocalDate | null;
}

/** A bill cycle. It applies until the next one starts. */
interface Cadence {
  readonly from: LocalDate;
  readonly cycle: CycleDates;
}

/**
 * Returns the period of a subscription's quota on a date (§4). If the bill cycle or the billing period changes, the
 * period ends at the next boundary.
 */
export function subscriptionQuotaPeriod(stream: ServiceStream, per: QuotaPeriod, date: LocalDate): QuotaSpan {
  const fixed = fixedSpan(per, { start: stream.start, date });
  if (fixed !== null) return fixed;
  const cadences: (Cadence & { readonly period: BillingPeriod; readonly day: number })[] = [];
  for (const cycle of stream.cycles) {
    const from = cadences.length === 0 ? stream.start : cycle.from;
    const period = cyclePeriod(per, cycle);
    const { day } = cycle;
    const last = cadences.at(-1);
    const isSame = last?.period === period && (last.day === day || !isMonthBased(period));
    const restarts = per === QuotaPeriod.BILLING_PERIOD && cycle.beginsCycle;
    if (isSame && !restarts) continue;
    // If several changes are on one day, only the last change counts.
    if (last?.from === from) cadences.pop();
    cadences.push({ from, period, day, cycle: cycleOf(from, period, day) });
  }
  return spanAt(cadences, { start: stream.start, date });
}

/** Returns the period for an override on the account. It depends on the account's bill cycle day. */
export function accountQuotaPeriod(
  account: Pick<Account, 'billCycleDayLocal' | 'timeZone' | 'createdDate'>,
  per: QuotaPeriod,
  date: LocalDate,
): QuotaSpan {
  const start = localDateOf(account.createdDate, account.timeZone);
  const fixed = fixedSpan(per, { start, date });
  if (fixed !== null) return fixed;
  const day = account.billCycleDayLocal || dayOfMonth(start);
  const period = per === QuotaPeriod.YEAR ? BillingPeriod.ANNUAL : BillingPeriod.MONTHLY;
  return spanAt([{ from: start, cycle: cycleOf(start, period, day) }], { start, date });
}

function fixedSpan(per: QuotaPeriod, { start, date }: Dates): QuotaSpan | null {
  if (per === QuotaPeriod.DAY) return { start: date, end: addDays(date, 1) };
  return per === QuotaPeriod.EVER ? { start, end: null } : null;
}

interface Dates {
  /** Start of the first period. */
  readonly start: LocalDate;
  readonly date: LocalDate;
}

function cyclePeriod(per: QuotaPeriod, { inForce }: ServiceCycle): BillingPeriod {
  if (per === QuotaPeriod.YEAR) return BillingPeriod.ANNUAL;
  return per === QuotaPeriod.BILLING_PERIOD ? billedPeriod(inForce.phase) : BillingPeriod.MONTHLY;
}

/**
 * Returns the billing period for a quota. This is the recurring period, otherwise the period of the first usage
 * section, otherwise a month.
 */
function billedPeriod({ recurring, usages }: PlanPhase): BillingPeriod {
  const [usage] = usages;
  const periods = [recurring?.billingPeriod, usage?.billingPeriod];
  const found = periods.find((period) => period !== undefined && period !== BillingPeriod.NO_BILLING_PERIOD);
  return found ?? BillingPeriod.MONTHLY;
}

function cycleOf(localDate: LocalDate, billingPeriod: BillingPeriod, day: number): CycleDates {
  return cycleDatesOf({ localDate, billingPeriod, billCycleDayLocal: day });
}

/**
 * Returns the span between the two boundaries around a date. Each cadence defines the boundaries after its own start.
 */
function spanAt(cadences: readonly Cadence[], { start, date }: Dates): QuotaSpan {
  const index = Math.max(
    0,
    cadences.findLastIndex(({ from }) => from <= date),
  );
  return {
    start: boundaryUpTo(cadences, { index, date }) ?? minDate(start, date),
    end: boundaryAfter(cadences, { index, date }),
  };
}

function boundaryUpTo(cadences: readonly Cadence[], { index, date }: Place): LocalDate | null {
  let latest = date;
  for (let place = index; place >= 0; place -= 1) {
    const cadence = cadences[place];
    if (cadence === undefined) return null;
    const k = lastCycleUpTo(cadence.cycle, latest);
    if (k >= 0) return cycleDate(cadence.cycle, k);
    latest = addDays(cadence.from, -1);
  }
  return null;
}

function boundaryAfter(cadences: readonly Cadence[], { index, date }: Place): LocalDate | null {
  let earliest = date;
  for (let place = index; place < cadences.length; place += 1) {
    const cadence = cadences[place];
    if (cadence === undefined) return null;
    const until = cadences[place + 1]?.from;
    const next = cycleDate(cadence.cycle, firstCycleAfter(cadence.cycle, earliest));
    if (until === undefined || next < until) return next;
    earliest = addDays(until, -1);
  }
  return null;
}

interface Place {
  /** The cadence that applies on the date. */
  readonly index: number;
  readonly date: LocalDate;
}
