export { discountedRate } from './discounts/discounted-rate.ts';
export { fixedDiscounts, recurringDiscounts, withDiscounts } from './discounts/with-discounts.ts';
