import type { CatalogWithOverrides, SeenAsOf } from '../../catalog/index.ts';
import type { Account } from '../../records/index.ts';
import {
  addDays,
  addMilliseconds,
  type Instant,
  type RequestedDate,
  startOfDay,
  UTC,
} from '../../values/time/index.ts';
import { datedInstant } from '../timeline/dated-instants.ts';

/** From the instant that a date means to the end of that day, 23:59:59 UTC; null if no date is given (§20). */
export function dayOf(
  requested: RequestedDate | null | undefined,
  { account, now }: { readonly account: Account; readonly now: Instant },
): SeenAsOf | null {
  if (!requested || !('date' in requested)) return null;
  const from = datedInstant(requested, now, account).at;
  const end = addMilliseconds(startOfDay(addDays(requested.date, 1), UTC), -1_000);
  return from < end ? { from, end } : null;
}

/** The catalog as that day sees it. */
export function seenOn(day: SeenAsOf | null, catalog: CatalogWithOverrides): CatalogWithOverrides {
  return day === null ? catalog : catalog.seenAsOf(day);
}
