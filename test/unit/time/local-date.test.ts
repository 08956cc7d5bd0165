import {
  addDays,
  addMonths,
  calendarDayOf,
  dayOfMonth,
  daysBetween,
  formatLocalDate,
  lengthOfMonth,
  localDate,
  localDateIfValid,
  maxDate,
  minDate,
  monthOf,
  monthsBetween,
  parseLocalDate,
  withDayOfMonth,
  yearOf,
} from '../../../lib/values/time/index.ts';
import { BillingError, expect, InvariantError } from '../../support/unit.ts';

const date = parseLocalDate;

describe('a local date', () => {
  it('counts days from 1970-01-01', () => {
    expect(localDate(1970, 1, 1)).to.equal(0);
    expect(localDate(1969, 12, 31)).to.equal(-1);
    expect(localDate(2024, 2, 29)).to.equal(19_782);
  });

  it('exposes its year, month, day and the length of its month', () => {
    const leapDay = date('2024-02-29');
    expect([yearOf(leapDay), monthOf(leapDay), dayOfMonth(leapDay), lengthOfMonth(leapDay)]).to.eql([
      2024, 2, 29, 29,
    ]);
    expect(calendarDayOf(date('0001-01-01'))).to.eql({ year: 1, month: 1, day: 1 });
    expect(lengthOfMonth(date('1900-02-01'))).to.equal(28);
    expect(lengthOfMonth(date('2000-02-01'))).to.equal(29);
  });

  it('is parsed and formatted as yyyy-MM-dd', () => {
    for (const text of ['0001-01-01', '0999-12-31', '1582-10-10', '2024-02-29', '9999-12-31'])
      expect(formatLocalDate(date(text))).to.equal(text);
  });

  for (const text of ['2024-2-29', '2023-02-29', '2024-13-01', '2024-00-10', '2024-01-00', '0000-01-01', ''])
    it(`cannot be "${text}"`, () =>
      expect(() => date(text))
        .to.throw(BillingError)
        .with.property('code', 60002));

  for (const text of ['2024-01-01T00:00', ' 2024-01-01', '2024-01-01\n', '+2024-01-01', '10000-01-01'])
    it(`cannot be ${JSON.stringify(text)}`, () =>
      expect(() => date(text)).to.throw(BillingError, 'yyyy-MM-dd'));

  it('cannot be created from parts that form an invalid date', () => {
    expect(() => localDate(2023, 2, 29)).to.throw(InvariantError, '2023-2-29');
    expect(localDateIfValid(2024, 1.5, 1)).to.equal(undefined);
    expect(localDateIfValid(10_000, 1, 1)).to.equal(undefined);
    expect(localDateIfValid(2024, 4, 31)).to.equal(undefined);
  });

  it('must be within the years 1 to 9999', () => {
    expect(() => addDays(date('9999-12-31'), 1)).to.throw(InvariantError);
    expect(() => addDays(date('0001-01-01'), -1)).to.throw(InvariantError);
    expect(() => addMonths(date('9999-12-01'), 1)).to.throw(InvariantError);
  });
});

describe('date arithmetic', () => {
  it('clamps the day of month only once', () =>
    expect([1, 2, 3, 12, 13, -2].map((n) => formatLocalDate(addMonths(date('2024-01-31'), n)))).to.eql([
      '2024-02-29',
      '2024-03-31',
      '2024-04-30',
      '2025-01-31',
      '2025-02-28',
      '2023-11-30',
    ]));

  it('sets the day of the month, clamped to the last day', () => {
    expect(formatLocalDate(withDayOfMonth(date('2024-02-10'), 31))).to.equal('2024-02-29');
    expect(formatLocalDate(withDayOfMonth(date('2024-02-10'), 1))).to.equal('2024-02-01');
  });

  it('counts days and whole months between dates', () => {
    expect(daysBetween(date('2024-02-28'), date('2024-03-01'))).to.equal(2);
    expect(daysBetween(date('2024-03-01'), date('2024-02-28'))).to.equal(-2);
    const months: readonly (readonly [string, string, number])[] = [
      ['2024-01-31', '2024-02-29', 1],
      ['2024-01-31', '2024-02-28', 0],
      ['2024-01-31', '2024-03-30', 1],
      ['2024-01-15', '2024-01-15', 0],
      ['2024-01-15', '2027-01-14', 35],
      ['2027-01-14', '2024-01-15', -35],
    ];
    for (const [from, to, expected] of months)
      expect(monthsBetween(date(from), date(to)), `${from} to ${to}`).to.equal(expected);
  });

  it('finds the latest and the earliest of several dates', () => {
    const [a, b, c] = [date('2024-03-01'), date('2024-01-01'), date('2024-02-01')];
    expect(maxDate(a, b, c)).to.equal(a);
    expect(minDate(a, b, c)).to.equal(b);
    expect(minDate(a)).to.equal(a);
  });
});
