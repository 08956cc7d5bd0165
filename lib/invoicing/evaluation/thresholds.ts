import {
  type Account,
  BusEventType,
  type NewBusEvent,
  type ThresholdAnnouncement,
  ThresholdMeasure,
} from '../../records/index.ts';
import {
  latestEnd,
  NO_TERMS,
  openEnds,
  passedThresholds,
  type ThresholdPassed,
  termsOf,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  maxDate,
} from '../../values/time/index.ts';
import { settleUpTo, type UsageRunInput } from './evaluate-usage.ts';

/** A threshold that a period of a usage section has reached. */
export interface ThresholdReached extends ThresholdPassed {
  readonly usageName: string;
  readonly start: Instant;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** The latest possible end of the period. */
  readonly overAt: Instant;
}

interface LookAtThresholds extends Omit<UsageRunInput, 'targetDate'> {
  /**
   * Time at which the oldest checked usage was recorded. Periods that were running then are also checked, even if they
   * have ended since.
   */
  readonly since: Instant;
  readonly now: Instant;
}

/** Returns the date up to which usage must be rated so that the current periods are rated to their end. */
export function lastRunningDate({
  events,
  usage: { zone },
  now,
}: Pick<LookAtThresholds, 'events' | 'usage' | 'now'>): LocalDate {
  return maxDate(localDateOf(now, zone), ...openEnds(events, now, zone));
}

/**
 * Returns the thresholds reached in periods that are running now, or were running when the usage was recorded (usage
 * §12.1).
 */
export function thresholdsReached(input: LookAtThresholds): readonly ThresholdReached[] {
  const { usage, currency, since, now } = input;
  // A threshold check does not reject unknown units.
  const config = { ...input.config, refusesUnknownUnits: false };
  const { settled } = settleUpTo({ ...input, config, targetDate: lastRunningDate(input) });
  return settled.intervals.flatMap(({ planned, rated, consumes }): readonly ThresholdReached[] => {
    const { start, end } = planned.interval;
    const usageName = planned.run.section.name;
    const terms = termsOf(usage.terms ?? NO_TERMS, usageName, start.date);
    if (terms === null || start.at > now || end.at <= since) return [];
    const soFar = { quantities: consumes.quantities, amount: rated.amount, currency };
    const overAt = latestEnd(planned.interval, planned.run, usage.zone);
    const period = { usageName, start: start.at, startDate: start.date, endDate: end.date, overAt };
    return passedThresholds(terms.thresholds, soFar).map((passed) => ({ ...period, ...passed }));
  });
}

/** Returns the USAGE_THRESHOLD event (usage §12.1). */
export function thresholdEvent(
  { usageName, measure, measured, bound, reached, startDate, endDate }: ThresholdReached,
  { account, subscriptionId }: { readonly account: Account; readonly subscriptionId: Uuid },
): NewBusEvent {
  const isQuantity = measure === ThresholdMeasure.QUANTITY;
  const metaData = {
    usageName,
    unitType: isQuantity ? measured : null,
    currency: isQuantity ? null : measured,
    threshold: bound,
    reached,
    startDate: formatLocalDate(startDate),
    endDate: formatLocalDate(endDate),
  };
  return {
    type: BusEventType.USAGE_THRESHOLD,
    accountRecordId: account.recordId,
    payload: { accountId: account.id, subscriptionId, metaData },
  };
}

/** Returns the record that prevents a second report of the threshold. */
export function reportedThreshold(
  { usageName, start, measure, measured, bound, overAt }: ThresholdReached,
  { subscriptionRecordId, now }: { readonly subscriptionRecordId: number; readonly now: Instant },
): ThresholdAnnouncement {
  return { subscriptionRecordId, usageName, start, measure, measured, bound, overAt, createdDate: now };
}
