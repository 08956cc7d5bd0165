export { itemDiscounts, type ListPrice, priceAfterDiscounts } from './discounts/list-price.ts';
export { fixedDiscounts, recurringDiscounts, withDiscounts } from './discounts/with-discounts.ts';
