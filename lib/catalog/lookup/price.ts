import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import type { InternationalPrice } from '../model/catalog-model.ts';

/**
 * The amount of a price in one currency (§2 rule 2). An empty price is zero in every currency.
 * @throws BillingError 2010 `CATALOG_NO_PRICE_FOR_CURRENCY` without an entry for the currency, 2011
 *   `CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY` if the entry is null: not sold in this currency.
 */
export function priceOf(price: InternationalPrice, currency: Currency): Decimal {
  if (price.prices.length === 0) return ZERO;
  const entry = price.prices.find((candidate) => candidate.currency === currency);
  if (entry === undefined) {
    throw new BillingError({
      code: ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY,
      message: `There is no price in ${currency}; there are prices in ${price.prices.map((known) => known.currency).join(', ')}`,
      facts: { currency },
    });
  }
  if (entry.amount === null) {
    throw new BillingError({
      code: ErrorCode.CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY,
      message: `The price in ${currency} is null: this is not sold in ${currency}`,
      facts: { currency },
    });
  }
  return entry.amount.value;
}

/** Whether nothing is to be paid in any currency. A null entry is not zero: it means that there is no price. */
export function isZeroEverywhere(price: InternationalPrice): boolean {
  return price.prices.every((entry) => entry.amount?.value.isZero() ?? false);
}
