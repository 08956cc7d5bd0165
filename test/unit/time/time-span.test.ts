import { BillingError, expect, parseTimeSpan, parseTimeSpanList } from '../../support/unit.ts';

describe('time span setting', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['250ms', 250],
    ['3000 ms', 3_000],
    ['0s', 0],
    ['30s', 30_000],
    ['5m', 300_000],
    ['12h', 43_200_000],
    ['1d', 86_400_000],
    [' 2w ', 1_209_600_000],
  ];
  for (const [text, expected] of cases)
    it(`is ${expected} ms for "${text}"`, () => expect(parseTimeSpan(text)).to.equal(expected));

  for (const text of ['', '5', 'm', '-5m', '1.5h', '5M', '5 minutes', '1h30m', 'PT5M', '99999999999999999w'])
    it(`cannot be "${text}"`, () =>
      expect(() => parseTimeSpan(text))
        .to.throw(BillingError, 'ms, s, m, h, d, w')
        .with.property('code', 60002));
});

describe('list of time spans', () => {
  it('is comma-separated, with surrounding spaces removed', () =>
    expect(parseTimeSpanList('15m,30m, 2h ,12h,1d')).to.eql([
      900_000, 1_800_000, 7_200_000, 43_200_000, 86_400_000,
    ]));

  it('may be empty', () => {
    expect(parseTimeSpanList('')).to.eql([]);
    expect(parseTimeSpanList('  ')).to.eql([]);
  });

  it('cannot be endless or contain an empty or invalid entry', () => {
    expect(() => parseTimeSpanList('5m,,1h')).to.throw(BillingError);
    expect(() => parseTimeSpanList('5m,x')).to.throw(BillingError, '"x"');
    expect(() => parseTimeSpanList(Array.from({ length: 101 }, () => '1s').join(','))).to.throw(
      BillingError,
      '101',
    );
  });
});
