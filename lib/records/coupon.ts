import { enumeration, f, type InputOf, type RecordOf } from '../values/fields/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';

/** How long a coupon reduces prices: one period, a number of periods or months, or forever. */
export type CouponDuration = 'ONCE' | 'FOREVER' | { readonly periods: number } | { readonly months: number };

/** Amounts by currency, per billing period. */
export type AmountOff = { readonly [C in Currency]?: Decimal };

/** The prices that a coupon reduces. */
export const CouponScope = enumeration('RECURRING', 'FIXED', 'BOTH');
export type CouponScope = keyof typeof CouponScope;

/** What a coupon takes off, and from which prices. A redemption keeps a copy of these terms (coupons §2). */
const termsFields = {
  /** 1 to 64 characters, unique in the tenant regardless of case. */
  code: f.text({ set: 'creation', max: 64 }),
  name: f.text({ set: 'update', max: 255 }),
  /** In percent, above 0 and up to 100, with at most two decimals. Null if the coupon takes amounts off. */
  percentOff: f.orNull(f.amount({ set: 'creation' })),
  /** Null if the coupon takes a percentage off. */
  amountOff: f.orNull(f.json<AmountOff, 'creation'>({ set: 'creation' })),
  /** If true, an amount applies once for each unit of the quantity. */
  perQuantity: f.flag({ set: 'creation' }),
  duration: f.json<CouponDuration, 'creation'>({ set: 'creation' }),
  /** Names of plans. Null means all plans. */
  plans: f.orNull(f.json<readonly string[], 'creation'>({ set: 'creation' })),
  /** Names of products. Null means all products. */
  products: f.orNull(f.json<readonly string[], 'creation'>({ set: 'creation' })),
  appliesTo: f.oneOf(CouponScope, { set: 'creation' }),
};

/** Returns the code of a coupon in the form in which codes are compared: upper and lower case are equal. */
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

/** Changes of a coupon. Absent members stay unchanged. */
export interface CouponChange extends InputOf<typeof couponFields> {}

/** A redeemed coupon (coupons §2). */
export const redemptionFields = {
  recordId: f.recordId,
  id: f.id(),
  couponId: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** Null for a redemption on the account, which applies to all its subscriptions. */
  subscriptionId: f.orNull(f.id()),
  ...termsFields,
  redeemed: f.dated(),
  /** True if a plan change redeemed the coupon. Undoing the plan change then undoes the redemption. */
  isOfPlanChange: f.flag(),
  /** Periods that start on or after this day are not discounted. Null unless the redemption was removed. */
  ended: f.orNull(f.dated()),
  /** True once COUPON_ENDED is published. */
  isOver: f.flag(),
  createdDate: f.instant(),
  updatedDate: f.instant(),
};
export interface Redemption extends RecordOf<typeof redemptionFields> {}
