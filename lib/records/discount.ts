import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import type { CouponScope } from './coupon.ts';

/** What a coupon takes off a price. Exactly one of `percentOff` and `amountOff` is not null. */
export interface PriceReduction {
  /** In percent: 20 means 20 %. */
  readonly percentOff: Decimal | null;
  /** In the account's currency, per billing period. */
  readonly amountOff: Decimal | null;
  /** If true, `amountOff` applies once for each unit of the quantity. */
  readonly perQuantity: boolean;
}

/** The days on which a discounted period can start: `from` ≤ start < `until`. */
export interface DiscountSpan {
  readonly from: LocalDate;
  /** Null means that the discount has no end. */
  readonly until: LocalDate | null;
}

/** What a coupon takes off an invoice item (coupons §4). */
export interface ItemDiscount {
  readonly code: string;
  readonly name: string;
  readonly amount: Decimal;
}

/** What a coupon takes off a whole price, stored with the facts of an item. */
export interface BasisDiscount extends PriceReduction, Pick<DiscountSpan, 'until'> {
  readonly code: string;
  readonly name: string;
  /** List price × quantity less earlier discounts is reduced by this amount, before proration and rounding. */
  readonly taken: Decimal;
}

/** A redeemed coupon in the stream of billing events (coupons §3). */
export interface Discount extends PriceReduction, DiscountSpan {
  readonly redemptionId: Uuid;
  readonly code: string;
  readonly name: string;
  readonly appliesTo: CouponScope;
  /** Day of the redemption. Fixed prices are reduced starting on this day. */
  readonly redeemed: LocalDate;
  /** First day on which a fixed price is not reduced. Null means that the discount has no end. */
  readonly fixedUntil: LocalDate | null;
}
