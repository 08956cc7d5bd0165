import { belowMinorUnit, decimal, formatDecimal, statedAmount } from '../../../lib/values/money/index.ts';
import { type Currency, codeThrownBy, errorOf, expect } from '../../support/unit.ts';

const REFUSED = 60003;

/** An amount, its currency, and the accepted amount: exact, and with noise rounded away. */
const cases: readonly (readonly [
  amount: string,
  currency: Currency,
  exact: string | null,
  rounded: string | null,
])[] = [
  ['10', 'JPY', '10', '10'],
  ['10.999', 'JPY', null, null],
  ['10.000001', 'JPY', null, '10'],
  ['9.999999', 'JPY', null, '10'],
  ['9.9999989', 'JPY', null, null],
  ['0.3', 'USD', '0.3', '0.3'],
  ['0.30000000000000004', 'USD', null, '0.3'],
  // Has single precision.
  ['0.300000012', 'USD', null, '0.3'],
  ['-0.30000000000000004', 'USD', null, '-0.3'],
  ['0.00000000000000004', 'USD', null, '0'],
  ['19.996', 'USD', null, null],
  ['0.304', 'USD', null, null],
  ['1.001', 'KWD', '1.001', '1.001'],
  ['1.0010000000000001', 'KWD', null, '1.001'],
  ['1.0015', 'KWD', null, null],
  ['1.0001', 'CLF', '1.0001', '1.0001'],
  ['1.000101', 'CLF', null, '1.0001'],
  ['0.00000001', 'BTC', '0.00000001', '0.00000001'],
  ['0.300000000000000004', 'BTC', null, '0.3'],
  ['0.000000015', 'BTC', null, null],
];

describe('amount in a request', () => {
  for (const [amount, currency, exact, rounded] of cases) {
    const stated = (roundsFloatNoise: boolean) =>
      formatDecimal(statedAmount(decimal(amount), { currency, roundsFloatNoise }));
    for (const [roundsFloatNoise, expected] of [
      [false, exact],
      [true, rounded],
    ] as const)
      it(`${expected === null ? 'is rejected' : `becomes ${expected}`} for ${amount} ${currency}${roundsFloatNoise ? ' with rounding of float noise' : ''}`, () => {
        if (expected === null) expect(codeThrownBy(() => stated(roundsFloatNoise))).to.equal(REFUSED);
        else expect(stated(roundsFloatNoise)).to.equal(expected);
      });
  }

  it('may be exactly the remaining amount at any precision', () => {
    const stated = (amount: string) =>
      formatDecimal(statedAmount(decimal(amount), { currency: 'USD', rest: decimal('0.004') }));
    expect(stated('0.004')).to.equal('0.004');
    expect(codeThrownBy(() => stated('0.003'))).to.equal(REFUSED);
  });

  it("is rejected with the allowed digits when it is finer than the currency's minor unit", () => {
    const message = (amount: string, currency: Currency) =>
      errorOf(() => statedAmount(decimal(amount), { currency, name: 'processedAmount' })).message;
    expect(message('1.0005', 'KWD')).to.contain(
      'processedAmount 1.0005 is finer than the minor unit of KWD. Use at most 3',
    );
  });
});

describe('fraction below the minor unit', () => {
  for (const [amount, currency, part] of [
    ['0.004', 'USD', '0.004'],
    ['99.001', 'JPY', '0.001'],
    ['-99.001', 'JPY', '-0.001'],
    ['20', 'USD', '0'],
  ] as const)
    it(`equals ${part} in ${amount} ${currency}`, () =>
      expect(formatDecimal(belowMinorUnit(decimal(amount), currency))).to.equal(part));
});
