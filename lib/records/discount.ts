import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import type { CouponScope } from './coupon.ts';

/** The reduction of a price by a coupon. Exactly one of `percentOff` and `amountOff` is set. */
export interface PriceReduction {
  /** The discount in percent: 20 means 20 %. */
  readonly percentOff: Decimal | null;
  /** Amount of the reduction per billing period, in the account's currency. */
  readonly amountOff: Decimal | null;
  /** If true, `amountOff` applies once for each unit of the quantity. */
  readonly perQuantity: boolean;
}

/** The days on which a discounted period may start: `from` ≤ start < `until`. */
export interface DiscountSpan {
  readonly from: LocalDate;
  /** Null means that the discount has no end. */
  readonly until: LocalDate | null;
}

/** The reduction of an invoice item by a coupon (coupons §4). */
export interface ItemDiscount {
  readonly code: string;
  readonly name: string;
  readonly amount: Decimal;
}

/** The reduction of a whole price by a coupon, as stored with the facts of an item. */
export interface BasisDiscount extends PriceReduction, Pick<DiscountSpan, 'until'> {
  readonly code: string;
  readonly name: string;
  /**
   * Amount by which the coupon reduces list price × quantity minus earlier discounts, before proration and rounding.
   */
  readonly taken: Decimal;
}

/** A redeemed coupon in the stream of billing events (coupons §3). */
export interface Discount extends PriceReduction, DiscountSpan {
  readonly redemptionId: Uuid;
  readonly code: string;
  readonly name: string;
  readonly appliesTo: CouponScope;
  /** Day of the redemption. Fixed prices are reduced from this day on. */
  readonly redeemed: LocalDate;
  /** The first day on which a fixed price is no longer reduced, or null if the discount has no end. */
  readonly fixedUntil: LocalDate | null;
}
