import { BillingError, ErrorCode } from '../values/errors/index.ts';
import { MAX_PERIODS_PER_RUN } from '../values/limits.ts';
import { formatLocalDate, type LocalDate } from '../values/time/index.ts';

/** What an evaluation answers that would have more periods or dates to bill at once than the bound. */
export function tooManyPeriods(
  targetDate: LocalDate,
  facts: Readonly<Record<string, unknown>>,
): BillingError {
  const target = formatLocalDate(targetDate);
  return new BillingError({
    code: ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
    message: `Up to ${target} there are more than ${MAX_PERIODS_PER_RUN} billing periods to evaluate at once; choose an earlier target date first`,
    facts: { targetDate: target, bound: MAX_PERIODS_PER_RUN, ...facts },
  });
}
