import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { afterAdjustment, isAdjustable, itemAdjustment } from '../invoices/item-adjustment.ts';

/** What is taken off an item; of what no longer remains of it nothing is. */
export interface RefundedItem {
  readonly invoiceId: Uuid;
  readonly invoiceItemId: Uuid;
  readonly amount: Decimal;
  /** Default: that of every adjustment (§1.3). */
  readonly description?: string;
}

/**
 * The changed invoices with an adjustment of each of these items, dated today in the account's zone: what a refund takes
 * off them. Writes what remains of the items; a constant number of statements.
 */
export async function withAdjustments(
  session: WriteSession,
  changes: readonly ChangedInvoice[],
  { adjustments, ids }: { readonly adjustments: readonly RefundedItem[]; readonly ids: IdGenerator },
): Promise<readonly ChangedInvoice[]> {
  if (adjustments.length === 0) return changes;
  const items = await session.invoices.findItemsByIds(adjustments.map(({ invoiceItemId }) => invoiceItemId));
  const accounts = await session.accounts.findByIds([
    ...new Set(changes.map(({ after }) => after.accountId)),
  ]);
  const zones = new Map(accounts.map(({ id, timeZone }) => [id, timeZone]));
  const owners = new Map(changes.map(({ after }) => [after.id, after.accountId]));
  const left = new Map(items.map((item) => [item.id, item]));
  const taken = adjustments.flatMap(({ invoiceId, invoiceItemId, amount: asked, description }) => {
    const item = left.get(invoiceItemId);
    const zone = zones.get(owners.get(invoiceId) ?? invoiceId);
    if (!item || zone === undefined || !isAdjustable(item) || item.repairable.isZero()) return [];
    const amount = asked.greaterThan(item.repairable) ? item.repairable : asked;
    const date = localDateOf(session.authorship.createdDate, zone);
    const adjustment = itemAdjustment(item, {
      id: ids.next(),
      amount,
      date,
      description: description ?? null,
    });
    left.set(item.id, { ...item, ...afterAdjustment(item, amount) });
    return [{ invoiceId, adjustment, itemId: item.id }];
  });
  await session.invoices.setRepairable(
    [...new Set(taken.map(({ itemId }) => itemId))].flatMap((id) => left.get(id) ?? []),
  );
  return changes.map((change) => {
    const newItems = taken.flatMap(({ invoiceId, adjustment }) =>
      invoiceId === change.after.id ? [adjustment] : [],
    );
    if (newItems.length === 0) return change;
    return { ...change, after: { ...change.after, ...amountsAfterItems(change.after, newItems) }, newItems };
  });
}
