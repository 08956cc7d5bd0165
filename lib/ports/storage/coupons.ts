import type { Coupon, New, Page, PageRequest, Redemption, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface CouponReads {
  /** Returns the coupons with these codes, ignoring case. */
  findByCodes(codes: readonly string[]): Rows<Coupon>;
  findByIds(ids: readonly Uuid[]): Rows<Coupon>;
  page(request: PageRequest): Promise<Page<Coupon>>;
  /** Returns the redemptions on the subscription and on its account, in the order of redemption. */
  redemptionsOfSubscription(subscriptionId: Uuid): Rows<Redemption>;
  findRedemptions(ids: readonly Uuid[]): Rows<Redemption>;
  /** Returns the redemptions of these accounts and of their subscriptions, in the order of redemption. */
  redemptionsOf(accountRecordIds: readonly number[]): Rows<Redemption>;
}

export interface CouponWrites {
  /** Returns the coupons with these codes and locks them against changes and redemptions. */
  lockByCodes(codes: readonly string[]): Rows<Coupon>;
  /** Returns the coupons with these ids and locks them, as `lockByCodes` does. */
  lockByIds(ids: readonly Uuid[]): Rows<Coupon>;
  insert(coupons: readonly New<Coupon>[]): Promise<void>;
  /** Writes all fields except the number of redemptions. */
  update(coupons: readonly Coupon[]): Promise<void>;
  /**
   * Increases the redemption counts of the coupons whose limits allow this, and returns the ids of these coupons. All
   * other counts stay unchanged. Locks the coupons in the order of their ids.
   */
  countRedemptions(counts: ReadonlyMap<Uuid, number>): Rows<Uuid>;
  insertRedemptions(redemptions: readonly New<Redemption>[]): Promise<void>;
  /** Writes the end of redemptions. */
  endRedemptions(redemptions: readonly Redemption[]): Promise<void>;
  deleteRedemptions(redemptions: readonly Redemption[]): Promise<void>;
}
