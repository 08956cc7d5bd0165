import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, InvoiceItem } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { chargedThroughOf } from '../invoices/charged-through-date.ts';

/**
 * Sets the charged-through dates of these subscriptions to what follows from all their COMMITTED charges, as they are
 * stored by now: null without any (§8.5). Two statements.
 * @param accounts by subscription.
 * @param charges items of a COMMITTED invoice that has charged each of them, if there is one: earlier items are not read.
 */
export async function resetChargedThrough(
  session: WriteSession,
  accounts: ReadonlyMap<Uuid, Account>,
  charges: readonly Pick<InvoiceItem, 'recordId'>[] = [],
): Promise<void> {
  if (accounts.size === 0) return;
  const since = charges.reduce((first, { recordId }) => Math.min(first, recordId), Number.POSITIVE_INFINITY);
  const last = await session.invoices.lastCharges(
    [...accounts.keys()],
    Number.isFinite(since) ? since : undefined,
  );
  const dates = new Map(last.map((charge) => [charge.subscriptionId, chargedThroughOf(charge)]));
  await session.subscriptions.setChargedThrough(
    [...accounts].map(([subscriptionId, account]) => {
      const date = dates.get(subscriptionId);
      return { subscriptionId, chargedThrough: date === undefined ? null : atReferenceTime(date, account) };
    }),
  );
}
