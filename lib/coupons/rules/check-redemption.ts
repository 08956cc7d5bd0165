import type { Account, BillingEvent, Coupon, Redemption } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type DatedInstant, formatInstant, type Instant } from '../../values/time/index.ts';
import type { AccountBilling } from '../discounts/account-discounts.ts';
import { type DiscountedPlan, matchesPlan } from '../discounts/with-discounts.ts';

/**
 * Checks whether the account may redeem the coupon now (§2).
 * @param earlier redemptions of the account.
 * @param plans plans of the subscriptions that would be discounted. If there are any, at least one plan must match.
 * @throws BillingError COUPON_INACTIVE (62003), COUPON_EXPIRED (62004), COUPON_ALREADY_REDEEMED (62006),
 * COUPON_NOT_APPLICABLE (62007), COUPON_WITHOUT_CURRENCY (62008).
 */
export function checkRedemption(coupon: Coupon, attempt: RedemptionAttempt): void {
  const refusal = refusalOf(coupon, attempt);
  if (refusal !== null) throw billingError(...refusal, { code: coupon.code });
}

interface RedemptionAttempt {
  readonly account: Pick<Account, 'id' | 'currency'>;
  readonly earlier: readonly Pick<Redemption, 'couponId'>[];
  readonly plans: readonly DiscountedPlan[];
  readonly now: Instant;
}

function refusalOf(
  coupon: Coupon,
  { account, earlier, plans, now }: RedemptionAttempt,
): readonly [ErrorCode, string] | null {
  const { code, redeemBy, amountOff } = coupon;
  if (!coupon.isActive) return [ErrorCode.COUPON_INACTIVE, `Coupon ${code} is inactive`];
  if (redeemBy !== null && now > redeemBy)
    return [ErrorCode.COUPON_EXPIRED, `Coupon ${code} could be redeemed until ${formatInstant(redeemBy)}`];
  if (coupon.oncePerAccount && earlier.some(({ couponId }) => couponId === coupon.id))
    return [ErrorCode.COUPON_ALREADY_REDEEMED, `Account ${account.id} has already redeemed coupon ${code}`];
  if (plans.length > 0 && !plans.some((plan) => matchesPlan(coupon, plan))) {
    const names = plans.map(({ planName }) => planName).join(', ');
    return [ErrorCode.COUPON_NOT_APPLICABLE, `Coupon ${code} does not apply to ${names}`];
  }
  if (amountOff === null || (account.currency !== null && amountOff[account.currency] !== undefined))
    return null;
  const currency = account.currency ?? 'the account currency, which is not set';
  return [ErrorCode.COUPON_WITHOUT_CURRENCY, `Coupon ${code} has no amount in ${currency}`];
}

/**
 * Returns the plans that a redemption would discount: the plan of the subscription, or the plans of all running
 * subscriptions of the account. A subscription that is blocked from its start has no plan to bill.
 * @throws BillingError COUPON_SUBSCRIPTION_ENDED (62012), COUPON_NOT_APPLICABLE (62007) for a blocked subscription.
 */
export function plansToDiscount(
  { eventsOf, ends }: AccountBilling,
  { code, subscriptionId }: { readonly code: string; readonly subscriptionId: Uuid | null },
  redeemed: DatedInstant,
): readonly DiscountedPlan[] {
  const isRunning = (id: Uuid) => (ends.get(id)?.at ?? Number.POSITIVE_INFINITY) > redeemed.at;
  const planOf = (id: Uuid) => planOn(eventsOf.get(id) ?? [], redeemed);
  if (subscriptionId === null)
    return [...eventsOf.keys()].filter(isRunning).flatMap((id) => planOf(id) ?? []);
  if (!isRunning(subscriptionId))
    throw billingError(
      ErrorCode.COUPON_SUBSCRIPTION_ENDED,
      `Subscription ${subscriptionId} has ended, so no coupon can be redeemed on it`,
      { subscriptionId },
    );
  const plan = planOf(subscriptionId);
  if (plan !== undefined) return [plan];
  throw billingError(
    ErrorCode.COUPON_NOT_APPLICABLE,
    `Subscription ${subscriptionId} is blocked from its start, so coupon ${code} has no price to reduce`,
    { code, subscriptionId },
  );
}

/** Returns the plan in force at the redemption, or the first plan of a subscription that starts later. */
function planOn(events: readonly BillingEvent[], { date }: DatedInstant): DiscountedPlan | undefined {
  const planned = events.filter(({ planName }) => planName !== null);
  return planned.findLast(({ localDate }) => localDate <= date) ?? planned[0];
}

/** Returns the error for a coupon that has reached its redemption limit. */
export function couponUsedUpError({ code }: Coupon): BillingError {
  return billingError(ErrorCode.COUPON_USED_UP, `Coupon ${code} has reached its limit`, { code });
}
