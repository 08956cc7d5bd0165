import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type Coupon,
  type CouponTerms,
  foldedCode,
  type New,
  type Redemption,
} from '../../records/index.ts';
import type { CouponRequest } from '../../subscriptions/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import type { DiscountedPlan } from '../discounts/with-discounts.ts';
import { checkRedemption, couponUsedUpError } from '../rules/check-redemption.ts';

/** A coupon to redeem on a subscription, or on an account if `subscriptionId` is null. */
export interface RequestedRedemption {
  readonly code: string;
  readonly subscriptionId: Uuid | null;
  /**
   * Plans of the subscriptions that the coupon would discount. The list is empty for an account without
   * subscriptions.
   */
  readonly plans: readonly DiscountedPlan[];
  readonly redeemed: DatedInstant;
}

export interface RedemptionTools {
  readonly account: Account;
  readonly now: Instant;
  readonly nextId: () => Uuid;
  readonly isOfPlanChange?: boolean;
}

export interface PlannedRedemptions {
  readonly coupons: readonly Coupon[];
  /** The redemptions in the order of the requests. */
  readonly redemptions: readonly New<Redemption>[];
}

/** Returns the requested redemptions of an operation on subscriptions, one per code. */
export function requestsOf(requests: readonly CouponRequest[]): readonly RequestedRedemption[] {
  return requests.flatMap(({ codes, subscriptionId, plan, redeemed }) =>
    codes.map((code) => ({ code, subscriptionId, plans: [plan], redeemed })),
  );
}

/**
 * Runs all checks (§2) and returns the redemptions without storing them. Reads the data in one round trip.
 * @throws BillingError COUPON_NOT_FOUND (62001) and the errors of `checkRedemption`.
 */
export async function planRedemptions(
  session: ReadSession,
  requests: readonly RequestedRedemption[],
  { account, now, nextId, isOfPlanChange = false }: RedemptionTools,
): Promise<PlannedRedemptions> {
  const [coupons, earlier] = await Promise.all([
    session.coupons.findByCodes([...new Set(requests.map(({ code }) => code))]),
    session.coupons.redemptionsOf([account.recordId]),
  ]);
  const byCode = new Map(coupons.map((coupon) => [foldedCode(coupon.code), coupon]));
  const redemptions: New<Redemption>[] = [];
  for (const { code, subscriptionId, plans, redeemed } of requests) {
    const coupon = byCode.get(foldedCode(code));
    if (coupon === undefined) throw noSuchCoupon(code);
    const { id: couponId } = coupon;
    checkRedemption(coupon, { account, earlier: [...earlier, ...redemptions], plans, now });
    const count = coupon.redeemedCount + redemptions.filter((each) => each.couponId === couponId).length;
    if (coupon.maxRedemptions !== null && count >= coupon.maxRedemptions) throw couponUsedUpError(coupon);
    redemptions.push({
      id: nextId(),
      couponId,
      accountId: account.id,
      accountRecordId: account.recordId,
      subscriptionId,
      ...termsOf(coupon),
      redeemed,
      isOfPlanChange,
      ended: null,
      isOver: false,
      createdDate: now,
      updatedDate: now,
    });
  }
  return { coupons, redemptions };
}

/** Returns the terms of a coupon or of a redemption. A redemption copies them from its coupon. */
export function termsOf(stored: CouponTerms): CouponTerms {
  const { code, name, percentOff, amountOff, perQuantity, duration, plans, products, appliesTo } = stored;
  return { code, name, percentOff, amountOff, perQuantity, duration, plans, products, appliesTo };
}

export function noSuchCoupon(code: string) {
  return billingError(ErrorCode.COUPON_NOT_FOUND, `No coupon has the code ${shortenText(code)}`, { code });
}
