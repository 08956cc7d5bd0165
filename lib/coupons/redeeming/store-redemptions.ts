import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  type New,
  type NewBusEvent,
  type Redemption,
} from '../../records/index.ts';
import type { SubscriptionCoupons } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { couponUsedUpError } from '../rules/check-redemption.ts';
import { type PlannedRedemptions, planRedemptions, requestsOf } from './plan-redemptions.ts';

/**
 * Returns the functions that redeem coupons in the transaction that creates a subscription or changes its plan (§2
 * rules 2 and 7).
 */
export function subscriptionCoupons(nextId: () => Uuid): SubscriptionCoupons {
  return {
    async redeem(session, requests, tools) {
      const planned = await planRedemptions(session, requestsOf(requests), { ...tools, nextId });
      await storeRedemptions(session, planned);
      session.publish(planned.redemptions.map((redemption) => redemptionEvent(redemption, tools.account)));
    },

    async undoPending(session, subscriptionId, { account, now }) {
      const undone = await loadUndone(session, subscriptionId, { account, now });
      if (undone.length === 0) return;
      await session.coupons.deleteRedemptions(undone);
      await session.coupons.countRedemptions(countsOf(undone, -1));
      session.publish(
        undone.map((redemption) => redemptionEvent(redemption, account, { type: BusEventType.COUPON_ENDED })),
      );
    },
  };
}

/** Returns the redemptions of the pending plan changes of a subscription, except those that reduced a billed price. */
export async function loadUndone(
  session: ReadSession,
  subscriptionId: Uuid,
  { account, now }: { readonly account: Account; readonly now: Instant },
): Promise<readonly Redemption[]> {
  const pending = (await session.coupons.redemptionsOf([account.recordId])).filter(
    (each) =>
      each.subscriptionId === subscriptionId && each.isOfPlanChange && !each.isOver && each.redeemed.at > now,
  );
  const windows = pending.map(({ redeemed }) => ({ subscriptionId, from: redeemed.date }));
  const rows = await session.invoices.loadCoverage(windows);
  return pending.filter(
    ({ redeemed }) => !rows.some(({ startDate, kind }) => kind !== 'FREE' && startDate >= redeemed.date),
  );
}

/** Returns the change in the redemption count of each coupon. */
function countsOf(redemptions: readonly New<Redemption>[], change: 1 | -1): ReadonlyMap<Uuid, number> {
  const own = Map.groupBy(redemptions, ({ couponId }) => couponId);
  return new Map([...own].map(([id, { length }]) => [id, change * length]));
}

/**
 * Counts and stores redemptions. The statement that counts them also checks the coupon's limit, so simultaneous
 * redemptions cannot exceed it.
 * @throws BillingError COUPON_USED_UP (62005).
 */
export async function storeRedemptions(
  session: WriteSession,
  { coupons, redemptions }: PlannedRedemptions,
): Promise<void> {
  const counts = countsOf(redemptions, 1);
  const counted = new Set(await session.coupons.countRedemptions(counts));
  const refused = coupons.find(({ id }) => counts.has(id) && !counted.has(id));
  if (refused !== undefined) throw couponUsedUpError(refused);
  await session.coupons.insertRedemptions(redemptions);
}

interface RedemptionEventOptions {
  readonly type?: typeof BusEventType.COUPON_REDEEMED | typeof BusEventType.COUPON_ENDED;
  /** True if billed periods change. An invoice run then starts (invoicing §8.1). */
  readonly changesBilling?: boolean;
}

/** Returns the event that reports a redemption or its end (§6 rule 1). */
export function redemptionEvent(
  { id, code, name, subscriptionId }: New<Redemption>,
  account: Pick<Account, 'id' | 'recordId'>,
  { type = BusEventType.COUPON_REDEEMED, changesBilling = false }: RedemptionEventOptions = {},
): NewBusEvent {
  return {
    type,
    accountRecordId: account.recordId,
    payload: {
      accountId: account.id,
      subscriptionId,
      objectId: subscriptionId ?? account.id,
      changesBilling,
      metaData: { redemptionId: id, code, name },
    },
  };
}
