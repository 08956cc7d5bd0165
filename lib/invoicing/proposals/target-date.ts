import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import { formatLocalDate, type LocalDate, maxDate, monthsBetween } from '../../values/time/index.ts';

interface TargetDateInput {
  /** T as asked for; null = today. */
  readonly requested: LocalDate | null;
  /** Local date of the account. */
  readonly today: LocalDate;
  /** Latest target date that is billed already, null = none (§1.5). */
  readonly maxTargetDate: LocalDate | null;
  /** `invoice.maxNumberOfMonthsInFuture`. */
  readonly maxMonthsInFuture: number;
}

/**
 * The date up to which a run evaluates: never earlier than what is already billed (§8.2 step 4).
 * @throws BillingError INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005).
 */
export function effectiveTargetDate(input: TargetDateInput): LocalDate {
  const { requested, today, maxTargetDate, maxMonthsInFuture } = input;
  const targetDate = requested ?? today;
  if (monthsBetween(today, targetDate) > maxMonthsInFuture) {
    throw billingError(
      ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
      `Target date ${formatLocalDate(targetDate)} is more than ${maxMonthsInFuture} months after ${formatLocalDate(today)}; choose an earlier one`,
      { targetDate: formatLocalDate(targetDate), today: formatLocalDate(today), maxMonthsInFuture },
    );
  }
  return maxTargetDate === null ? targetDate : maxDate(targetDate, maxTargetDate);
}

/** The error of an evaluation that would bill more periods or dates at once than the bound allows. */
export function tooManyPeriods(
  targetDate: LocalDate,
  facts: Readonly<Record<string, unknown>>,
): BillingError {
  const target = formatLocalDate(targetDate);
  return billingError(
    ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
    `Up to ${target} there are more than ${MAX_PERIODS_PER_RUN} billing periods to evaluate at once; choose an earlier target date first`,
    { targetDate: target, bound: MAX_PERIODS_PER_RUN, ...facts },
  );
}
