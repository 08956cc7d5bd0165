import type { Account } from '../../../lib/records/index.ts';
import type { RequestedDate } from '../../../lib/values/time/index.ts';
import {
  addDays,
  type Instant,
  instant,
  type LocalDate,
  localDateOf,
  parseLocalDate,
} from '../../../lib/values/time/index.ts';
import { at } from '../subscriptions/example.ts';
import type { AskedDay } from './subscription-steps.ts';

const msPerDay = 86_400_000;

/** A life begins on that day. */
export const lifeStart = at('2024-01-01T00:00:00Z');

export function todayOf({ timeZone }: Pick<Account, 'timeZone'>, now: Instant): LocalDate {
  return localDateOf(now, timeZone);
}

/** The date or the instant that a call names, so many days from the account's today; null = it names none. */
export function asked(day: AskedDay, account: Account, now: Instant): RequestedDate | null {
  if (day === null) return null;
  const today = todayOf(account, now);
  if (day.second === null) return { date: addDays(today, day.days) };
  const days = today - parseLocalDate('2024-01-01') + day.days;
  return { at: instant(lifeStart + days * msPerDay + day.second * 1_000) };
}
