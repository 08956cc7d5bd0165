import { Decimal as GlobalDecimal } from 'decimal.js';
import { InvariantError } from '../../../lib/values/errors/index.ts';
import { Decimal, decimal, expect, formatDecimal, parseWireDecimal, sum, ZERO } from '../../support/unit.ts';

describe('decimal', () => {
  it('is exact even for values that binary numbers cannot represent', () => {
    expect(formatDecimal(decimal('0.1').plus(decimal('0.2')))).to.equal('0.3');
    expect(formatDecimal(decimal('99999999999999.99').plus(decimal('0.01')))).to.equal('100000000000000');
  });

  it('keeps the exact product of two numbers from a request', () => {
    const product = decimal('999999999999999.999999999').times(decimal('0.999999999'));
    expect(formatDecimal(product)).to.equal('999999998999999.999999999000000001');
  });

  it('uses a separate constructor that global settings do not affect', () => {
    const before = GlobalDecimal.precision;
    GlobalDecimal.set({ precision: 3 });
    try {
      expect(formatDecimal(decimal('1').dividedBy(3))).to.equal(`0.${'3'.repeat(40)}`);
      expect(Decimal.precision).to.equal(40);
    } finally {
      GlobalDecimal.set({ precision: before });
    }
  });

  it('can be created from strings, safe integers, bigints and decimals', () => {
    expect(formatDecimal(decimal('-12.50'))).to.equal('-12.5');
    expect(formatDecimal(decimal(7))).to.equal('7');
    expect(formatDecimal(decimal(12_345_678_901_234_567_890n))).to.equal('12345678901234567890');
    expect(formatDecimal(decimal(decimal('1.05e1')))).to.equal('10.5');
  });

  it('cannot be created from fractional JavaScript numbers or invalid strings', () => {
    for (const value of [
      0.1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      '',
      ' 1',
      '1,5',
      '0x10',
      'NaN',
      'Infinity',
    ])
      expect(() => decimal(value), String(value)).to.throw(InvariantError);
    expect(() => decimal(new Decimal(Number.NaN))).to.throw(InvariantError, 'finite');
  });

  it('is 0 if it is the sum of an empty list', () => {
    expect(formatDecimal(sum(['0.1', '0.2', '-0.3'].map((text) => decimal(text))))).to.equal('0');
    expect(sum([])).to.equal(ZERO);
    const [cent, tenth] = [decimal('0.01'), decimal('0.1')];
    expect(formatDecimal(sum([cent, cent, cent, tenth, cent]))).to.equal('0.14');
    expect(formatDecimal(sum(Array.from({ length: 30_000 }, () => tenth)))).to.equal('3000');
  });
});

describe('decimal text', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['30.00', '30'],
    ['10.50', '10.5'],
    ['1.05e1', '10.5'],
    ['0.000000001', '0.000000001'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['100000000000000000000000', '100000000000000000000000'],
    ['1e-30', '0.000000000000000000000000000001'],
  ];
  for (const [literal, expected] of cases)
    it(`is ${expected} for ${literal}`, () => {
      expect(formatDecimal(decimal(literal))).to.equal(expected);
      if (literal !== '-0' && literal !== '-0.00') expect(decimal(literal).toString()).to.equal(expected);
    });
});

describe('number in a request', () => {
  it('may be written in each of the accepted spellings (http-api 15.10 "Decimals")', () => {
    for (const literal of ['10.50', '1.05e1', '10.5', '+10.5', '1050E-2']) {
      const parsed = parseWireDecimal(literal);
      expect(parsed === undefined ? undefined : formatDecimal(parsed), literal).to.equal('10.5');
    }
    expect(formatDecimal(parseWireDecimal('0.123456789') ?? ZERO)).to.equal('0.123456789');
    expect(formatDecimal(parseWireDecimal('99999999999999.99') ?? ZERO)).to.equal('99999999999999.99');
  });

  it('may have at most 9 fractional and 15 integer digits (http-api 15.10 "Decimals")', () => {
    expect(parseWireDecimal('0.1234567891')).to.equal(undefined);
    expect(parseWireDecimal('1000000000000000')).to.equal(undefined);
    expect(parseWireDecimal('-1000000000000000.5')).to.equal(undefined);
    expect(formatDecimal(parseWireDecimal('999999999999999.999999999') ?? ZERO)).to.equal(
      '999999999999999.999999999',
    );
  });

  it('may have extra zeros', () => {
    expect(formatDecimal(parseWireDecimal('0000000000000000000005.00000000000000') ?? ZERO)).to.equal('5');
    expect(formatDecimal(parseWireDecimal('-0.0') ?? decimal(1))).to.equal('0');
    expect(formatDecimal(parseWireDecimal('0e999') ?? decimal(1))).to.equal('0');
  });

  it('may have a different limit of digits if the field defines one', () => {
    const usage = { integerDigits: 20, fractionDigits: 9 };
    expect(formatDecimal(parseWireDecimal('12345678901234567890', usage) ?? ZERO)).to.equal(
      '12345678901234567890',
    );
    expect(parseWireDecimal('123456789012345678901', usage)).to.equal(undefined);
  });

  it('can be a value that the exact JSON reader has already parsed', () => {
    expect(formatDecimal(parseWireDecimal(decimal('500.0')) ?? ZERO)).to.equal('500');
    expect(parseWireDecimal(new Decimal(Number.NaN))).to.equal(undefined);
    expect(parseWireDecimal(decimal('1e300'))).to.equal(undefined);
  });

  for (const text of [
    '',
    '.',
    '-',
    '1e',
    '1e+',
    'e5',
    '1.2.3',
    '1_000',
    '1,000',
    '0x1F',
    'NaN',
    'Infinity',
    '1e99999',
    '٣',
  ])
    it(`cannot be "${text}"`, () => expect(parseWireDecimal(text)).to.equal(undefined));

  it('has a limited length', () => {
    expect(parseWireDecimal('1'.repeat(1_000_000))).to.equal(undefined);
    expect(parseWireDecimal('1e9999')).to.equal(undefined);
    expect(parseWireDecimal('1e-9999')).to.equal(undefined);
  });
});
