import { expect } from 'chai';
import {
  type Currency,
  decimal,
  formatDecimal,
  prorate,
  quotient,
  roundToCurrency,
  roundToScale,
} from '../../../lib/values/money/index.ts';

describe('rounding to a currency', () => {
  const cases: readonly (readonly [string, Currency, string])[] = [
    ['2.345', 'USD', '2.35'],
    ['-2.345', 'USD', '-2.35'],
    ['2.3449999', 'USD', '2.34'],
    ['2.5', 'JPY', '3'],
    ['-2.5', 'JPY', '-3'],
    ['2.4999', 'JPY', '2'],
    ['1.0005', 'KWD', '1.001'],
    ['0.000000005', 'BTC', '0.00000001'],
    ['-0.004', 'USD', '0'],
  ];
  for (const [amount, currency, expected] of cases)
    it(`converts ${amount} ${currency} to ${expected}`, () =>
      expect(formatDecimal(roundToCurrency(decimal(amount), currency))).to.equal(expected));

  it('never returns negative zero', () => {
    expect(roundToCurrency(decimal('-0.004'), 'USD').isNegative()).to.equal(false);
    expect(roundToScale(decimal('-0.0000000004'), 9).isNegative()).to.equal(false);
  });
});

describe('quotient of days', () => {
  const cases: readonly (readonly [number, number, string])[] = [
    [14, 31, '0.451612903'],
    [2, 3, '0.666666667'],
    [357, 366, '0.975409836'],
    [1, 1, '1'],
    [31, 30, '1.033333333'],
    [0, 31, '0'],
    [5, 0, '0'],
    [5, -3, '0'],
    [-14, 31, '-0.451612903'],
  ];
  for (const [n, t, expected] of cases)
    it(`equals ${expected} for ${n} of ${t} days`, () =>
      expect(formatDecimal(quotient(n, t))).to.equal(expected));
});

describe('prorated amount', () => {
  const cases: readonly (readonly [string, number, number, string])[] = [
    ['1460.00', 357, 366, '1424.1'],
    ['100.00', 14, 31, '45.16'],
    ['100.00', 12, 31, '38.71'],
    ['249.95', 29, 31, '233.82'],
    ['249.95', 27, 30, '224.96'],
    ['19.95', 24, 30, '15.96'],
    ['29.95', 6, 31, '5.8'],
    ['40.00', 16, 30, '21.33'],
    ['-30.00', 1, 1, '-30'],
  ];
  for (const [amount, days, totalDays, expected] of cases)
    it(`equals ${expected} for ${amount} over ${days} of ${totalDays} days`, () => {
      const prorated = prorate({ amount: decimal(amount), days, totalDays, currency: 'USD' });
      expect(formatDecimal(prorated)).to.equal(expected);
    });
});
