import { priceAfterDiscounts } from '../../../lib/coupons/discounts/list-price.ts';
import type { PriceReduction } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { expect } from '../../support/unit.ts';

const percent = (value: string): PriceReduction => ({
  percentOff: decimal(value),
  amountOff: null,
  perQuantity: false,
});
const amount = (value: string, perQuantity = false): PriceReduction => ({
  percentOff: null,
  amountOff: decimal(value),
  perQuantity,
});

/** Returns the list price, the discounts in the order in which they apply, and the rate. */
function rateOf(price: string, quantity: number, ...reductions: readonly PriceReduction[]): string {
  const discounts = reductions.map((each) => ({ ...each, code: 'SPRING', name: 'Spring sale', until: null }));
  const { rate, list } = priceAfterDiscounts({ price: decimal(price), quantity, discounts });
  return `${list?.rate} - ${list?.discounts.map(({ taken }) => taken).join(' - ')} = ${rate}`;
}

describe('discounted rate (coupons §3)', () => {
  it('applies percentages before amounts (C6)', () => {
    expect(rateOf('30', 1, amount('10'), percent('50'))).to.equal('30 - 15 - 10 = 5');
  });

  it('is never below 0 (C7)', () => {
    expect(rateOf('30', 1, amount('40'))).to.equal('30 - 30 = 0');
    expect(rateOf('30', 1, amount('20'), amount('20'))).to.equal('30 - 20 - 10 = 0');
  });

  it('applies an amount once, or once for each unit (C11)', () => {
    expect(rateOf('30', 5, amount('2', true))).to.equal('150 - 10 = 140');
    expect(rateOf('30', 5, amount('2'))).to.equal('150 - 2 = 148');
  });

  it('combines percentages by multiplication', () => {
    expect(rateOf('100', 1, percent('20'), percent('12.5'))).to.equal('100 - 20 - 10 = 70');
  });
});
