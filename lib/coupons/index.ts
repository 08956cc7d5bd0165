export { itemDiscounts, type ListPrice, priceAfterDiscounts } from './discounts/list-price.ts';
export { fixedDiscounts, recurringDiscounts, withDiscounts } from './discounts/with-discounts.ts';
export { couponEndHandler } from './operations/coupon-end-handler.ts';
export type {
  CouponOperations,
  CouponTerms,
  CouponView,
  DiscountView,
  RedeemRequest,
  RedemptionView,
  RemoveOptions,
} from './operations/coupon-operations.ts';
export { couponOperations } from './operations/coupon-service.ts';
export type { LoadBilling } from './operations/discountable.ts';
export { planRedemptions, type RedemptionTools, requestsOf } from './redeeming/plan-redemptions.ts';
export { redeemCoupons } from './redeeming/store-redemptions.ts';
export type { CouponChange, CouponInput } from './rules/check-coupon.ts';
