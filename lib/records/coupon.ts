import { enumeration, f, type InputOf, type RecordOf } from '../values/fields/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';

/** Specifies how long a coupon reduces prices: one period, a number of periods or months, or forever. */
export type CouponDuration = 'ONCE' | 'FOREVER' | { readonly periods: number } | { readonly months: number };

/** Amounts by currency, per billing period. */
export type AmountOff = { readonly [C in Currency]?: Decimal };

/** The prices that a coupon reduces. */
export const CouponScope = enumeration('RECURRING', 'FIXED', 'BOTH');
export type CouponScope = keyof typeof CouponScope;

/**
 * The terms of a coupon: the reduction, and the prices to which it applies. A redemption keeps a copy of these terms
 * (coupons §2).
 */
const termsFields = {
  /** Code of the coupon with 1 to 64 characters. Unique in the tenant, ignoring case. */
  code: f.text({ set: 'creation', max: 64 }),
  name: f.text({ set: 'update', max: 255 }),
  /**
   * Percentage above 0 and up to 100, with at most two decimals. The value is null if the coupon reduces prices by
   * amounts.
   */
  percentOff: f.orNull(f.amount({ set: 'creation' })),
  /** Amounts by currency, or null if the coupon reduces prices by a percentage. */
  amountOff: f.orNull(f.json<AmountOff, 'creation'>({ set: 'creation' })),
  /** If true, the amount applies once for each unit of the quantity. */
  perQuantity: f.flag({ set: 'creation' }),
  duration: f.json<CouponDuration, 'creation'>({ set: 'creation' }),
  /** Names of plans. Null means all plans. */
  plans: f.orNull(f.json<readonly string[], 'creation'>({ set: 'creation' })),
  /** Names of the products to which the coupon applies. Null means all products. */
  products: f.orNull(f.json<readonly string[], 'creation'>({ set: 'creation' })),
  appliesTo: f.oneOf(CouponScope, { set: 'creation' }),
};

/** Returns the code of a coupon in the form in which codes are compared, ignoring case. */
export function foldedCode(code: string): string {
  return code.toLowerCase();
}

/** A coupon of a tenant (coupons §1). */
export const couponFields = {
  recordId: f.recordId,
  id: f.id(),
  ...termsFields,
  /** Last instant at which the coupon can be redeemed. Null means no limit. */
  redeemBy: f.orNull(f.instant({ set: 'update' })),
  /** Maximum number of redemptions. Null means no limit. */
  maxRedemptions: f.orNull(f.integer({ set: 'update' })),
  redeemedCount: f.integer(),
  oncePerAccount: f.flag({ set: 'creation' }),
  isActive: f.flag({ set: 'update' }),
  createdDate: f.instant(),
  updatedDate: f.instant(),
};
export interface Coupon extends RecordOf<typeof couponFields> {}

/** Terms that a redemption copies from its coupon. */
export interface CouponTerms extends RecordOf<typeof termsFields> {}

/** A coupon to create (coupons §1). */
export interface CouponInput
  extends Omit<InputOf<typeof couponFields>, 'code' | 'duration'>,
    Pick<Coupon, 'code' | 'duration'> {}

/** Changes to a coupon. Absent fields do not change. */
export interface CouponChange extends InputOf<typeof couponFields> {}

/** A redeemed coupon (coupons §2). */
export const redemptionFields = {
  recordId: f.recordId,
  id: f.id(),
  couponId: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** The subscription, or null if the redemption is on the account and applies to all of its subscriptions. */
  subscriptionId: f.orNull(f.id()),
  ...termsFields,
  redeemed: f.dated(),
  /** True if the coupon was redeemed as part of a plan change. If that plan change is undone, so is the redemption. */
  isOfPlanChange: f.flag(),
  /** The day from which new periods are no longer discounted, or null if the redemption was not removed. */
  ended: f.orNull(f.dated()),
  /** True once COUPON_ENDED is published. */
  isOver: f.flag(),
  createdDate: f.instant(),
  updatedDate: f.instant(),
};
export interface Redemption extends RecordOf<typeof redemptionFields> {}
