import { allocate, type Currency, decimal, formatDecimal } from '../../../lib/values/money/index.ts';
import { expect, InvariantError } from '../../support/unit.ts';

function split(total: string, weights: readonly string[], currency: Currency = 'USD'): readonly string[] {
  const shares = weights.map((weight) => decimal(weight));
  return allocate(decimal(total), shares, currency).map(formatDecimal);
}

describe('amount split', () => {
  it('distributes the remainder, with ties going to earlier parts', () => {
    expect(split('10.00', ['1', '1', '1'])).to.eql(['3.34', '3.33', '3.33']);
    expect(split('0.05', ['1', '1'])).to.eql(['0.03', '0.02']);
    expect(split('100', ['1', '1', '1'], 'JPY')).to.eql(['34', '33', '33']);
    expect(split('1', ['1', '1', '1'], 'KWD')).to.eql(['0.334', '0.333', '0.333']);
  });

  it('gives the remainder to the parts that lost most by truncation', () => {
    expect(split('1.00', ['1', '5', '1'])).to.eql(['0.14', '0.72', '0.14']);
    expect(split('100.00', ['29.95', '19.95', '0.10'])).to.eql(['59.9', '39.9', '0.2']);
  });

  it('gives nothing to a weight of 0', () =>
    expect(split('0.01', ['0', '0', '3'])).to.eql(['0', '0', '0.01']));

  it('treats a credit as the mirror image of a charge', () => {
    expect(split('-10.00', ['1', '1', '1'])).to.eql(['-3.34', '-3.33', '-3.33']);
    expect(split('0', ['1', '2'])).to.eql(['0', '0']);
  });

  it('rejects an amount finer than the minor unit, negative weights and an empty list of weights', () => {
    expect(() => split('0.001', ['1'])).to.throw(InvariantError, 'minor units of USD');
    expect(() => split('1', ['2', '-1'])).to.throw(InvariantError, 'negative');
    expect(() => split('1', ['0', '0'])).to.throw(InvariantError, 'positive');
    expect(() => split('1', [])).to.throw(InvariantError, 'positive');
  });
});
