import type { ReadSession } from '../../ports/storage/index.ts';
import type { InvoiceItem } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { chargedThroughOf } from '../invoices/charged-through-date.ts';

/**
 * The charged-through dates that follow from the commit of drafts with these items: a commit changes none where a later
 * charge is COMMITTED already (§8.5).
 * @param dates by subscription, what the drafts alone come to.
 */
export async function chargedThroughAfterCommit(
  session: ReadSession,
  dates: ReadonlyMap<Uuid, LocalDate>,
  items: readonly Pick<InvoiceItem, 'recordId'>[],
): Promise<ReadonlyMap<Uuid, LocalDate>> {
  if (dates.size === 0) return dates;
  const since = items.reduce((first, { recordId }) => Math.min(first, recordId), Number.MAX_SAFE_INTEGER);
  const last = await session.invoices.lastChargeDates([...dates.keys()], since);
  return new Map([
    ...dates,
    ...last.map((charge) => [charge.subscriptionId, chargedThroughOf(charge)] as const),
  ]);
}
