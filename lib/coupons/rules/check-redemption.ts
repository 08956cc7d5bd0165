import type { Account, Coupon, Redemption } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { formatInstant, type Instant } from '../../values/time/index.ts';
import { type DiscountedPlan, matchesPlan } from '../discounts/with-discounts.ts';

/**
 * Checks whether the account may redeem the coupon now (§2).
 * @param earlier redemptions of the account.
 * @param plans plans of the subscriptions that would be discounted. At least one must match, if there are any.
 * @throws BillingError COUPON_INACTIVE (62003), COUPON_EXPIRED (62004), COUPON_ALREADY_REDEEMED (62006),
 * COUPON_NOT_APPLICABLE (62007), COUPON_WITHOUT_CURRENCY (62008).
 */
export function checkRedemption(
  coupon: Coupon,
  given: {
    readonly account: Pick<Account, 'id' | 'currency'>;
    readonly earlier: readonly Pick<Redemption, 'couponId'>[];
    readonly plans: readonly DiscountedPlan[];
    readonly now: Instant;
  },
): void {
  const { account, earlier, plans, now } = given;
  const { code } = coupon;
  if (!coupon.isActive) throw refused(ErrorCode.COUPON_INACTIVE, `Coupon ${code} is inactive`, coupon);
  if (coupon.redeemBy !== null && now > coupon.redeemBy)
    throw refused(
      ErrorCode.COUPON_EXPIRED,
      `Coupon ${code} could be redeemed until ${formatInstant(coupon.redeemBy)}`,
      coupon,
    );
  if (coupon.oncePerAccount && earlier.some(({ couponId }) => couponId === coupon.id))
    throw refused(
      ErrorCode.COUPON_ALREADY_REDEEMED,
      `Account ${account.id} has already redeemed coupon ${code}`,
      coupon,
    );
  if (plans.length > 0 && !plans.some((plan) => matchesPlan(coupon, plan)))
    throw refused(
      ErrorCode.COUPON_NOT_APPLICABLE,
      `Coupon ${code} does not apply to ${namesOf(plans)}`,
      coupon,
    );
  const { currency } = account;
  if (coupon.amountsOff !== null && (currency === null || coupon.amountsOff[currency] === undefined))
    throw refused(
      ErrorCode.COUPON_WITHOUT_CURRENCY,
      `Coupon ${code} has no amount in ${currency ?? 'the account currency, which is not set'}`,
      coupon,
    );
}

function namesOf(plans: readonly DiscountedPlan[]): string {
  return plans.map(({ planName }) => planName ?? 'a subscription without a plan').join(', ');
}

/** Returns the error for a coupon whose limit is reached. */
export function usedUp(coupon: Coupon): BillingError {
  return refused(ErrorCode.COUPON_USED_UP, `Coupon ${coupon.code} has reached its limit`, coupon);
}

function refused(code: ErrorCode, message: string, coupon: Coupon): BillingError {
  return billingError(code, message, { code: coupon.code });
}
