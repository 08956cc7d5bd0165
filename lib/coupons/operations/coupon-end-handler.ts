import { type CatalogProvider, catalogsOfBatch } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { ActingComponent, BusEventType, QueueName, type Redemption } from '../../records/index.ts';
import { batchAuthorship, type QueueHandler } from '../../runtime/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type AccountBilling, endOfRedemption, type LoadBilling } from '../discounts/account-discounts.ts';
import { redemptionEvent } from '../redeeming/store-redemptions.ts';

/**
 * Emits COUPON_ENDED when a redemption ends (§6 rule 1). Each event that may set or move that end adds a queue entry
 * for the end of each redemption on the account.
 */
export function couponEndHandler(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  catalogs: CatalogProvider,
  loadBilling: LoadBilling,
): QueueHandler {
  return {
    name: 'coupon-service:ends',
    topics: [
      QueueName.COUPON_ENDS,
      BusEventType.COUPON_REDEEMED,
      BusEventType.SUBSCRIPTION_CHANGE,
      BusEventType.SUBSCRIPTION_CANCEL,
      BusEventType.SUBSCRIPTION_EXPIRED,
      BusEventType.BUNDLE_RESUME,
      BusEventType.BLOCKING_STATE,
    ],
    needs: ({ payload }) => payload.actionType !== 'REQUESTED',
    async handle(batch) {
      const now = clock.now();
      const recordIds = batch.entries.flatMap(({ accountRecordId }) => accountRecordId ?? []);
      const known = await storage.readInOneStatement(batch.tenant, (session) =>
        session.coupons.redemptionsOf(recordIds),
      );
      if (known.every(({ isOver }) => isOver)) return;
      const catalogsOf = await catalogsOfBatch(catalogs, batch, now);
      if (catalogsOf === null) return;
      const authorship = batchAuthorship(batch.entries, ActingComponent.COUPONS, now);
      const busy = await storage.write(batch.tenant, authorship, async (session) => {
        const accounts = await session.tryLockAccounts(recordIds);
        const locked = new Set<number | null>(accounts.map(({ recordId }) => recordId));
        const catalogOf = await catalogsOf(
          session,
          accounts.map(({ id }) => id),
        );
        const billingOf = await loadBilling(session, { accounts, catalogOf, now });
        const redemptions = await session.coupons.redemptionsOf(accounts.map(({ recordId }) => recordId));
        const over = redemptions.filter((redemption) => {
          const billing = billingOf.get(redemption.accountId);
          return (
            billing !== undefined && !redemption.isOver && isOverNow(session, redemption, { billing, now })
          );
        });
        await session.coupons.endRedemptions(
          over.map((redemption) => ({ ...redemption, isOver: true, updatedDate: now })),
        );
        const entries = Map.groupBy(batch.entries, ({ accountRecordId }) => locked.has(accountRecordId));
        await batch.finish(session, entries.get(true) ?? []);
        return entries.get(false) ?? [];
      });
      batch.busy(busy);
    },
  };
}

/** Emits the event if the redemption has ended. Otherwise, schedules the next check if the end is known. */
function isOverNow(
  session: WriteSession,
  redemption: Redemption,
  { billing, now }: { readonly billing: AccountBilling; readonly now: Instant },
): boolean {
  const { account } = billing;
  const at = endOfRedemption(redemption, billing);
  if (at <= now) {
    session.publish([redemptionEvent(redemption, account, { type: BusEventType.COUPON_ENDED })]);
    return true;
  }
  if (Number.isFinite(at))
    session.schedule([
      {
        queueName: QueueName.COUPON_ENDS,
        accountRecordId: account.recordId,
        effectiveDate: at,
        payload: {},
        uniqueKey: `coupon-end:${redemption.id}:${at}`,
      },
    ]);
  return false;
}
