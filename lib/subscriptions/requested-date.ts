import type { Account } from '../accounts/model.ts';
import {
  type DatedInstant,
  type Instant,
  instantAt,
  type LocalDate,
  localDateOf,
  localTimeOf,
  truncateToSecond,
} from '../time/index.ts';

/** A date in the account's calendar, or an instant; absent means now. A parsed `WireMoment` is one. */
export type RequestedDate = { readonly date: LocalDate } | { readonly at: Instant };

type Calendar = Pick<Account, 'timeZone' | 'referenceTime'>;

/**
 * What a requested date means (subscriptions.md §2 rules 2 to 5): a date is that date at the account's reference time,
 * today's too; only an absent one means now. Instants are cut to whole seconds.
 */
export function datedInstant(
  requested: RequestedDate | null | undefined,
  now: Instant,
  account: Calendar,
): DatedInstant {
  if (requested && 'date' in requested) return atReferenceTime(requested.date, account);
  const at = truncateToSecond(requested?.at ?? now);
  return { at, date: localDateOf(at, account.timeZone) };
}

/** `date` at the time of day of the account's reference time (§2 rule 2, `toInstant`). */
export function atReferenceTime(date: LocalDate, account: Calendar): DatedInstant {
  const time = localTimeOf(account.referenceTime, account.timeZone);
  return { date, at: instantAt(date, time, account.timeZone) };
}
