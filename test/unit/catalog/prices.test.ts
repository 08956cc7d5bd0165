import { type InternationalPrice, isZeroEverywhere, priceOf } from '../../../lib/catalog/index.ts';
import { expectCode, plan, price, version } from '../../support/catalogs/catalog-document.ts';
import { ErrorCode, expect } from '../../support/unit.ts';

function priced(prices: string): InternationalPrice {
  const declared = version({ currencies: ['USD', 'EUR', 'JPY'], plans: plan('p-m', 'P', { price: prices }) });
  const international = declared.findPlan('p-m').finalPhase.recurring?.price;
  if (international === undefined || international === null) throw new Error('no recurring price');
  return international;
}

const NIL =
  '<price><currency>EUR</currency><value xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></price>';

describe('catalog price', () => {
  it('can be missing, null or empty in a currency, with a distinct result for each (catalog W20 "Currency")', () => {
    const international = priced(price('USD', '10') + NIL);
    expect(priceOf(international, 'USD').toFixed()).to.equal('10');
    expectCode(ErrorCode.CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY, () => priceOf(international, 'EUR'));
    expectCode(ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY, () => priceOf(international, 'GBP'));
    expect(priceOf({ prices: [] }, 'GBP').toFixed(2)).to.equal('0.00');
  });

  it('keeps every digit of the document', () => {
    const international = priced(price('USD', '123456789012345.123456789'));
    expect(priceOf(international, 'USD').toFixed()).to.equal('123456789012345.123456789');
  });

  it('counts as zero only if it is zero in every currency', () => {
    expect(isZeroEverywhere({ prices: [] })).to.equal(true);
    expect(isZeroEverywhere(priced(price('USD', '0.00') + price('JPY', '0')))).to.equal(true);
    expect(isZeroEverywhere(priced(price('USD', '0') + price('JPY', '1')))).to.equal(false);
    expect(isZeroEverywhere(priced(price('USD', '0') + NIL))).to.equal(false);
  });
});
