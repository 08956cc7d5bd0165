import {
  addPeriod,
  addPeriods,
  BillingPeriod,
  billingPeriodOrder,
  daysBetween,
  firstBillCycleDate,
  formatLocalDate,
  isBillingPeriod,
  isMonthBased,
  parseLocalDate,
  periodLength,
} from '../../../lib/values/time/index.ts';
import { expect, InvariantError } from '../../support/unit.ts';

/** Every period with its length, in enumeration order (catalog §9.1). */
const table: readonly (readonly [BillingPeriod, string])[] = [
  ['DAILY', '1 DAYS'],
  ['WEEKLY', '7 DAYS'],
  ['BIWEEKLY', '14 DAYS'],
  ['THIRTY_DAYS', '30 DAYS'],
  ['THIRTY_ONE_DAYS', '31 DAYS'],
  ['SIXTY_DAYS', '60 DAYS'],
  ['NINETY_DAYS', '90 DAYS'],
  ['MONTHLY', '1 MONTHS'],
  ['BIMESTRIAL', '2 MONTHS'],
  ['QUARTERLY', '3 MONTHS'],
  ['TRIANNUAL', '4 MONTHS'],
  ['BIANNUAL', '6 MONTHS'],
  ['ANNUAL', '12 MONTHS'],
  ['SESQUIENNIAL', '18 MONTHS'],
  ['BIENNIAL', '24 MONTHS'],
  ['TRIENNIAL', '36 MONTHS'],
];

describe('billing periods', () => {
  it('have the lengths and the order of the specification', () => {
    const lengths = table.map(([period]) => {
      const { unit, number } = periodLength(period);
      return [period, `${number} ${unit}`];
    });
    expect(lengths).to.eql(table);
    const sorted = Object.values(BillingPeriod).sort((a, b) => billingPeriodOrder(a) - billingPeriodOrder(b));
    expect(sorted).to.eql([...table.map(([period]) => period), 'NO_BILLING_PERIOD']);
  });

  it('are month-based if their length is a number of months, and not otherwise', () => {
    for (const [period, length] of table) expect(isMonthBased(period)).to.equal(length.endsWith('MONTHS'));
    expect(isMonthBased(BillingPeriod.NO_BILLING_PERIOD)).to.equal(false);
  });

  it('are accepted only by their exact names', () => {
    expect(isBillingPeriod('SESQUIENNIAL')).to.equal(true);
    for (const text of ['monthly', 'YEARLY', '', 'toString', '__proto__'])
      expect(isBillingPeriod(text), text).to.equal(false);
  });

  it('cause an error if dates of NO_BILLING_PERIOD are requested', () => {
    const date = parseLocalDate('2024-01-31');
    expect(() => addPeriod(date, 'NO_BILLING_PERIOD', 1)).to.throw(InvariantError, 'NO_BILLING_PERIOD');
    expect(() => addPeriods(date, 'NO_BILLING_PERIOD', 1, 31)).to.throw(InvariantError);
    expect(() => firstBillCycleDate(date, 'NO_BILLING_PERIOD', 31)).to.throw(InvariantError);
  });
});

describe('periods counted from an anchor', () => {
  const cases: readonly (readonly [BillingPeriod, readonly string[]])[] = [
    ['MONTHLY', ['2024-02-29', '2024-03-31', '2024-04-30']],
    ['BIMESTRIAL', ['2024-03-31', '2024-05-31']],
    ['QUARTERLY', ['2024-04-30', '2024-07-31']],
    ['TRIANNUAL', ['2024-05-31', '2024-09-30']],
    ['BIANNUAL', ['2024-07-31', '2025-01-31']],
    ['ANNUAL', ['2025-01-31']],
    ['SESQUIENNIAL', ['2025-07-31', '2027-01-31']],
    ['BIENNIAL', ['2026-01-31']],
    ['TRIENNIAL', ['2027-01-31']],
    ['DAILY', ['2024-02-01']],
    ['WEEKLY', ['2024-02-07']],
    ['BIWEEKLY', ['2024-02-14']],
    ['THIRTY_DAYS', ['2024-03-01']],
    ['THIRTY_ONE_DAYS', ['2024-03-02']],
    ['SIXTY_DAYS', ['2024-03-31']],
    ['NINETY_DAYS', ['2024-04-30']],
  ];

  for (const [period, expected] of cases)
    it(`match the dates of ${period} from 2024-01-31 on bill cycle day 31 (catalog W11 "Periods")`, () => {
      const start = parseLocalDate('2024-01-31');
      const dates = expected.map((_, index) => formatLocalDate(addPeriods(start, period, index + 1, 31)));
      expect(dates).to.eql(expected);
    });

  it('match the specified dates for day 29 and for ANNUAL from 2024-02-29 (catalog W11 "Periods")', () => {
    const dates = [1, 2, 3, 4].map((n) =>
      formatLocalDate(addPeriods(parseLocalDate('2024-02-29'), 'ANNUAL', n, 29)),
    );
    expect(dates).to.eql(['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']);
  });

  it('return to the bill cycle day after a clamped date', () => {
    const clamped = parseLocalDate('2024-02-29');
    expect(formatLocalDate(addPeriods(clamped, 'MONTHLY', 1, 31))).to.equal('2024-03-31');
    expect(formatLocalDate(addPeriod(clamped, 'MONTHLY', 1))).to.equal('2024-03-29');
  });

  it('go backward for a negative count', () => {
    expect(formatLocalDate(addPeriod(parseLocalDate('2024-05-31'), 'QUARTERLY', -1))).to.equal('2024-02-29');
    expect(formatLocalDate(addPeriod(parseLocalDate('2024-03-01'), 'BIWEEKLY', -2))).to.equal('2024-02-02');
  });
});

describe('first bill cycle dates', () => {
  it('are at most one full period after the start (catalog W12 "First bill cycle date")', () => {
    const start = parseLocalDate('2023-11-10');
    const first = firstBillCycleDate(start, 'ANNUAL', 1);
    expect(formatLocalDate(first)).to.equal('2024-11-01');
    expect(daysBetween(start, first)).to.equal(357);
    expect(daysBetween(addPeriod(first, 'ANNUAL', -1), first)).to.equal(366);
    expect(formatLocalDate(addPeriods(first, 'ANNUAL', 1, 1))).to.equal('2025-11-01');
  });

  const cases: readonly (readonly [string, BillingPeriod, number, string])[] = [
    ['2024-01-31', 'MONTHLY', 31, '2024-01-31'],
    ['2024-02-10', 'MONTHLY', 31, '2024-02-29'],
    ['2024-02-29', 'MONTHLY', 30, '2024-02-29'],
    ['2024-01-31', 'MONTHLY', 30, '2024-02-29'],
    ['2012-05-12', 'ANNUAL', 1, '2013-05-01'],
    ['2024-05-12', 'QUARTERLY', 11, '2024-08-11'],
    ['2024-05-12', 'WEEKLY', 1, '2024-05-12'],
  ];
  for (const [start, period, billCycleDay, expected] of cases)
    it(`are ${expected} for ${period} from ${start} on day ${billCycleDay}`, () => {
      const first = firstBillCycleDate(parseLocalDate(start), period, billCycleDay);
      expect(formatLocalDate(first)).to.equal(expected);
    });
});
