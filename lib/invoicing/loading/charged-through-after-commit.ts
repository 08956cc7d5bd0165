import type { ReadSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import { chargedThroughOf } from '../invoices/charged-through-date.ts';

/**
 * The charged-through dates that follow from the commit of a draft: a commit never lowers one while a later COMMITTED
 * charge is in force (§8.5). Drafts that are committed in time cost one statement.
 */
export async function chargedThroughAfterCommit(
  session: ReadSession,
  dates: ReadonlyMap<Uuid, LocalDate>,
): Promise<ReadonlyMap<Uuid, LocalDate>> {
  if (dates.size === 0) return dates;
  const subscriptions = await session.subscriptions.findByIds([...dates.keys()]);
  const lowered = subscriptions.filter(({ id, chargedThrough }) => {
    const date = dates.get(id);
    return date !== undefined && chargedThrough !== null && date < chargedThrough.date;
  });
  const inForce = await session.invoices.lastChargeDates(lowered.map(({ id }) => id));
  const kept = new Map(dates);
  for (const last of inForce) {
    const date = chargedThroughOf(last);
    kept.set(last.subscriptionId, maxDate(date, dates.get(last.subscriptionId) ?? date));
  }
  return kept;
}
