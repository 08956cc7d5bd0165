import type { Coupon, Redemption } from '../../core/data.ts';
import { money, now } from '../../core/format.ts';
import { texts } from '../../texts.ts';

const t = texts.coupons;

/** Returns the terms of a coupon in words, such as `20 % off for 6 periods`. */
export function termsText({ percentOff, amountOff, perQuantity, duration }: Coupon | Redemption): string {
  const amounts = Object.entries(amountOff ?? {}).map(([currency, amount]) => money(amount, currency));
  const size = percentOff === null ? amounts.join(t.or) : t.percent(String(percentOff));
  return t.terms(perQuantity ? t.perSeat(size) : size, durationText(duration));
}

function durationText(duration: Coupon['duration']): string {
  if (duration === 'ONCE') return t.once;
  if (duration === 'FOREVER') return t.forever;
  return 'periods' in duration ? t.periods(duration.periods) : t.months(duration.months);
}

/** Returns why a coupon cannot be redeemed now; null if it can. */
export function obstacleOf(coupon: Coupon): string | null {
  if (!coupon.isActive) return t.inactive;
  if (coupon.redeemBy !== null && coupon.redeemBy < now()) return t.expired;
  if (coupon.maxRedemptions !== null && coupon.redeemedCount >= coupon.maxRedemptions) return t.usedUp;
  return null;
}
