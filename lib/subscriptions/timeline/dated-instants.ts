import type { Account } from '../../records/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import { MAX_REQUESTED_DATE_YEARS } from '../../values/limits.ts';
import type { RequestedDate } from '../../values/time/index.ts';
import {
  type DatedInstant,
  formatLocalDate,
  type Instant,
  instantAt,
  type LocalDate,
  localDateOf,
  localTimeOf,
  maxDate,
  truncateToSecond,
  UTC,
  yearOf,
} from '../../values/time/index.ts';

type Calendar = Pick<Account, 'timeZone' | 'referenceTime'>;

/**
 * What a requested date means (§2 rules 2 to 5): a date, today included, is that date at the account's reference time;
 * only an absent one means now. Instants are cut to whole seconds.
 * @throws BillingError INVALID_PARAMETER (60002) for a date so far from today that the calendar has no room for phases.
 */
export function datedInstant(
  requested: RequestedDate | null | undefined,
  now: Instant,
  account: Calendar,
): DatedInstant {
  const today = localDateOf(now, account.timeZone);
  if (requested && 'date' in requested) {
    checkReach(requested.date, today);
    return atReferenceTime(requested.date, account);
  }
  const at = truncateToSecond(requested?.at ?? now);
  // An instant is checked by its UTC day: at the very end of the calendar it has no day in some zones.
  checkReach(localDateOf(at, UTC), today);
  return { at, date: localDateOf(at, account.timeZone) };
}

function checkReach(date: LocalDate, today: LocalDate): void {
  if (Math.abs(yearOf(date) - yearOf(today)) <= MAX_REQUESTED_DATE_YEARS) return;
  throw invalidParameter(
    `${formatLocalDate(date)} lies more than ${MAX_REQUESTED_DATE_YEARS} years from today, ${formatLocalDate(today)}`,
    { date: formatLocalDate(date) },
  );
}

/** `date` at the time of day of the account's reference time (§2 rule 2, `toInstant`). */
export function atReferenceTime(date: LocalDate, account: Calendar): DatedInstant {
  const time = localTimeOf(account.referenceTime, account.timeZone);
  return { date, at: instantAt(date, time, account.timeZone) };
}

/** `dated`, but not before `bound`, nor its local date before that of `bound` (§2 rule 8). */
export function raisedTo(dated: DatedInstant, bound: DatedInstant): DatedInstant {
  if (dated.at < bound.at) return bound;
  return { at: dated.at, date: maxDate(dated.date, bound.date) };
}
