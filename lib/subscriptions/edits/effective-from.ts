import type { Account } from '../../records/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import {
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  type RequestedDate,
} from '../../values/time/index.ts';
import { datedInstant } from '../timeline/dated-instants.ts';

/** The day from which a bill cycle day or a quantity holds. */
export interface EffectiveFrom {
  /** A day of the account's calendar; an instant stands for the day that it falls on. Absent means today. */
  readonly effectiveFromDate?: RequestedDate | null | undefined;
  /** Whether that day may lie before today; default false. */
  readonly allowPastDate?: boolean | undefined;
}

/**
 * The day from which a change is requested; null = today (§15.3 rule 1).
 * @throws BillingError INVALID_PARAMETER (60002) for a day before today, unless that is allowed, and for one out of
 * reach.
 */
export function dayAskedFor(
  { effectiveFromDate, allowPastDate = false }: EffectiveFrom,
  now: Instant,
  account: Pick<Account, 'timeZone' | 'referenceTime'>,
): LocalDate | null {
  if (!effectiveFromDate) return null;
  const { date } = datedInstant(effectiveFromDate, now, account);
  const today = localDateOf(now, account.timeZone);
  if (date === today) return null;
  if (date > today || allowPastDate) return date;
  throw invalidParameter(
    `effectiveFromDate ${formatLocalDate(date)} lies before today, ${formatLocalDate(today)}; a past date has to be forced`,
    { parameter: 'effectiveFromDate', effectiveFromDate: formatLocalDate(date) },
  );
}
