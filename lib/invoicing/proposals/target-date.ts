import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import { formatLocalDate, type LocalDate, maxDate, monthsBetween } from '../../values/time/index.ts';

/**
 * Returns the date up to which a run evaluates the account. It is never before the latest billed target date (§8.2
 * step 4).
 * @throws BillingError INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005).
 */
export function effectiveTargetDate({
  requested,
  today,
  maxTargetDate,
  maxMonthsInFuture,
}: {
  /** The requested target date. Null means today. */
  readonly requested: LocalDate | null;
  /** Today, as a local date of the account. */
  readonly today: LocalDate;
  /** The latest billed target date, or null if nothing is billed (§1.5). */
  readonly maxTargetDate: LocalDate | null;
  /** The setting `invoice.maxNumberOfMonthsInFuture`. */
  readonly maxMonthsInFuture: number;
}): LocalDate {
  const targetDate = requested ?? today;
  if (monthsBetween(today, targetDate) > maxMonthsInFuture) {
    const facts = { targetDate: formatLocalDate(targetDate), today: formatLocalDate(today) };
    throw billingError(
      ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
      `Target date ${facts.targetDate} is more than ${maxMonthsInFuture} months after ${facts.today}; choose an earlier one`,
      { ...facts, maxMonthsInFuture },
    );
  }
  return maxTargetDate === null ? targetDate : maxDate(targetDate, maxTargetDate);
}

/** Returns the error for a run whose number of periods or dates exceeds the bound. */
export function tooManyPeriods(targetDate: LocalDate, facts: Readonly<Record<string, unknown>>) {
  const target = formatLocalDate(targetDate);
  return billingError(
    ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
    `An evaluation up to ${target} would cover more than ${MAX_PERIODS_PER_RUN} billing periods; choose an earlier target date first`,
    { targetDate: target, bound: MAX_PERIODS_PER_RUN, ...facts },
  );
}
