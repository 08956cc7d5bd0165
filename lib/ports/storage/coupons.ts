import type { Coupon, New, Page, PageRequest, Redemption, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface CouponReads {
  /** Returns the coupons with these codes, without regard to case. */
  findByCodes(codes: readonly string[]): Rows<Coupon>;
  page(request: PageRequest): Promise<Page<Coupon>>;
  findRedemptions(ids: readonly Uuid[]): Rows<Redemption>;
  /** Returns the redemptions of these accounts and of their subscriptions, in the order of redemption. */
  redemptionsOfAccounts(accountIds: readonly Uuid[]): Rows<Redemption>;
}

export interface CouponWrites {
  insert(coupons: readonly New<Coupon>[]): Promise<void>;
  /** Writes the fields that can change: name, last instant, limit and activity. */
  update(coupons: readonly Coupon[]): Promise<void>;
  /** Counts one redemption. Returns false if the coupon has reached its limit. */
  countRedemption(couponId: Uuid): Promise<boolean>;
  insertRedemptions(redemptions: readonly New<Redemption>[]): Rows<Redemption>;
  endRedemptions(redemptions: readonly Redemption[]): Promise<void>;
}
