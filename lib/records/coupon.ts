import { enumeration, f, type RecordOf } from '../values/fields/index.ts';

/** How long a coupon reduces prices: one period, a number of periods or months, or forever. */
export const CouponDuration = enumeration('ONCE', 'PERIODS', 'MONTHS', 'FOREVER');
export type CouponDuration = keyof typeof CouponDuration;

/** The prices that a coupon reduces. */
export const CouponScope = enumeration('RECURRING', 'FIXED', 'BOTH');
export type CouponScope = keyof typeof CouponScope;

/** What a coupon takes off, and from which prices. A redemption keeps a copy of these terms (coupons §2). */
const termsFields = {
  name: f.text({ set: 'update', max: 255 }),
  /** In percent, above 0 and up to 100, with at most two decimals. Null if the coupon takes amounts off. */
  percentOff: f.orNull(f.amount({ set: 'creation' })),
  /** Amounts as text by currency, per billing period. Null if the coupon takes a percentage off. */
  amountsOff: f.orNull(f.json<Readonly<Record<string, string>>, 'creation'>({ set: 'creation' })),
  /** If true, an amount applies once for each unit of the quantity. */
  perQuantity: f.flag({ set: 'creation' }),
  duration: f.oneOf(CouponDuration, { set: 'creation' }),
  /** Number of periods or months. Null for other durations. */
  durationCount: f.orNull(f.integer({ set: 'creation', range: [1, 1_200] })),
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
  /** 1 to 64 characters, unique in the tenant regardless of case. */
  code: f.text({ set: 'creation', max: 64 }),
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

/** A redeemed coupon (coupons §2). */
export const redemptionFields = {
  recordId: f.recordId,
  id: f.id(),
  couponId: f.id(),
  code: f.text(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** Null for a redemption on the account, which applies to all its subscriptions. */
  subscriptionId: f.orNull(f.id()),
  ...termsFields,
  redeemed: f.dated(),
  /** Periods that start on or after this day are not discounted. Null unless the redemption was removed. */
  ended: f.orNull(f.dated()),
  createdDate: f.instant(),
  updatedDate: f.instant(),
};
export interface Redemption extends RecordOf<typeof redemptionFields> {}
