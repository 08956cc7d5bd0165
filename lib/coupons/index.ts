export type { LoadBilling } from './discounts/account-discounts.ts';
export { itemDiscounts, type ListPrice, priceAfterDiscounts } from './discounts/list-price.ts';
export { fixedDiscounts, recurringDiscounts, withDiscounts } from './discounts/with-discounts.ts';
export { couponEndHandler } from './operations/coupon-end-handler.ts';
export type {
  CouponOperations,
  CouponView,
  DiscountView,
  RedeemRequest,
  RedemptionView,
  RemoveOptions,
} from './operations/coupon-operations.ts';
export { couponOperations } from './operations/coupon-service.ts';
export { planRedemptions, type RedemptionTools, requestsOf } from './redeeming/plan-redemptions.ts';
export { loadUndone, subscriptionCoupons } from './redeeming/store-redemptions.ts';
