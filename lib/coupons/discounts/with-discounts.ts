import type { BillingEvent, Discount, PriceReduction } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { type DiscountLength, discountSpan } from './discount-spans.ts';

/** A redeemed coupon of one subscription, with the coupon's terms at the time of the redemption. */
export interface RedeemedCoupon extends PriceReduction {
  readonly redemptionId: Uuid;
  readonly code: string;
  readonly name: string;
  readonly redeemed: LocalDate;
  readonly length: DiscountLength;
  /** No period that starts on or after this day is discounted. Null if the redemption has not been ended. */
  readonly ended: LocalDate | null;
  /** Plans and products to which the coupon applies. Null means all of them. */
  readonly plans: readonly string[] | null;
  readonly products: readonly string[] | null;
}

/**
 * Returns the events with the discounts of the redeemed coupons that match their plans (C§3).
 * @param events billing events of one subscription, in order.
 * @param redeemed coupons of the subscription, in the order of redemption.
 */
export function withDiscounts(
  events: readonly BillingEvent[],
  redeemed: readonly RedeemedCoupon[],
): readonly BillingEvent[] {
  if (redeemed.length === 0) return events;
  const granted = redeemed.flatMap((coupon) => {
    const discount = discountOf(coupon, events);
    return discount === null ? [] : [{ coupon, discount }];
  });
  return events.map((event) => {
    const discounts = granted
      .filter(({ coupon }) => matchesPlan(coupon, event))
      .map(({ discount }) => discount);
    return discounts.length === 0 ? event : { ...event, discounts };
  });
}

/** Returns true if the coupon applies to the plan of the event. */
function matchesPlan({ plans, products }: RedeemedCoupon, { planName, productName }: BillingEvent): boolean {
  if (planName === null || productName === null) return false;
  return (plans?.includes(planName) ?? true) && (products?.includes(productName) ?? true);
}

function discountOf(coupon: RedeemedCoupon, events: readonly BillingEvent[]): Discount | null {
  const span = discountSpan(events, coupon);
  if (span === null) return null;
  const { redemptionId, code, name, percentOff, amountOff, perQuantity, ended } = coupon;
  const until = span.until === null || (ended !== null && ended < span.until) ? ended : span.until;
  if (until !== null && until <= span.from) return null;
  return { redemptionId, code, name, percentOff, amountOff, perQuantity, from: span.from, until };
}

/** Returns the discounts of a period that starts on this day. */
export function discountsOn({ discounts = [] }: BillingEvent, startDate: LocalDate): readonly Discount[] {
  return discounts.filter(({ from, until }) => from <= startDate && (until === null || startDate < until));
}
