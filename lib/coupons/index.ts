export { discountedRate } from './discounts/discounted-rate.ts';
export { discountsOn, type RedeemedCoupon, withDiscounts } from './discounts/with-discounts.ts';
