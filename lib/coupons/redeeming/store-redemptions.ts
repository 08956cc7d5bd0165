import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  type New,
  type NewBusEvent,
  type Redemption,
} from '../../records/index.ts';
import type { RedeemCoupons } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { usedUp } from '../rules/check-redemption.ts';
import { type PlannedRedemptions, planRedemptions, requestsOf } from './plan-redemptions.ts';

/** Returns the function that redeems coupons in the transaction of a creation or a change of plan (§2 rule 2). */
export function redeemCoupons(nextId: () => Uuid): RedeemCoupons {
  return async (session, requests, { account, now }) => {
    const planned = await planRedemptions(session, requestsOf(requests), { account, now, nextId });
    await storeRedemptions(session, planned);
    session.publish(planned.redemptions.map((redemption) => redemptionEvent(redemption, account)));
  };
}

/**
 * Counts and stores redemptions. The statement that counts a redemption also checks the limit of the coupon, so that
 * the limit holds for simultaneous redemptions.
 * @throws BillingError COUPON_USED_UP (62005).
 */
export async function storeRedemptions(
  session: WriteSession,
  { coupons, redemptions }: PlannedRedemptions,
): Promise<void> {
  const counts = new Map(
    [...Map.groupBy(redemptions, ({ couponId }) => couponId)].map(([id, own]) => [id, own.length]),
  );
  const counted = new Set(await session.coupons.countRedemptions(counts));
  const refused = coupons.find(({ id }) => counts.has(id) && !counted.has(id));
  if (refused !== undefined) throw usedUp(refused);
  await session.coupons.insertRedemptions(redemptions);
}

interface RedemptionEventOptions {
  readonly type?: typeof BusEventType.COUPON_REDEEMED | typeof BusEventType.COUPON_ENDED;
  /** True if billed periods change, so that an invoice run starts (invoicing §8.1). */
  readonly changesBilling?: boolean;
}

/** Returns the event of a redemption, or of its end (§6 rule 1). */
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
