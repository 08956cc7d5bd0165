import { Temporal } from 'temporal-polyfill';
import {
  addDays,
  addMonths,
  addPeriod,
  addPeriods,
  BillingPeriod,
  dayOfMonth,
  daysBetween,
  firstBillCycleDate,
  formatLocalDate,
  isMonthBased,
  type LocalDate,
  lengthOfMonth,
  localDate,
  monthOf,
  monthsBetween,
  parseLocalDate,
  parseWireDate,
  periodLength,
  withDayOfMonth,
  yearOf,
} from '../../lib/values/time/index.ts';
import { expect, fc, forAll } from '../support/property.ts';

const dates = fc
  .tuple(
    fc.integer({ min: 200, max: 9_700 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
  )
  .map(([year, month, day]) => Temporal.PlainDate.from({ year, month, day }, { overflow: 'constrain' }));
const periods = fc.constantFrom(
  ...Object.values(BillingPeriod).filter((period) => period !== BillingPeriod.NO_BILLING_PERIOD),
);
const counts = fc.integer({ min: -30, max: 30 });
const billCycleDays = fc.integer({ min: 1, max: 31 });

describe('date arithmetic', () => {
  it('matches Temporal in the parts and the text of dates', () =>
    forAll([dates], (expected) => {
      const date = ours(expected);
      expect([yearOf(date), monthOf(date), dayOfMonth(date), lengthOfMonth(date)]).to.eql([
        expected.year,
        expected.month,
        expected.day,
        expected.daysInMonth,
      ]);
      expect(formatLocalDate(date)).to.equal(expected.toString());
      expect(parseLocalDate(expected.toString())).to.equal(date);
      expect(parseWireDate(`${expected.toString().slice(0, 5)}${expected.month}-${expected.day}`)).to.equal(
        date,
      );
    }));

  it('matches Temporal when adding and counting days and months', () =>
    forAll([dates, dates, fc.integer({ min: -1_200, max: 1_200 })], (from, to, n) => {
      expect(formatLocalDate(addDays(ours(from), n))).to.equal(from.add({ days: n }).toString());
      expect(formatLocalDate(addMonths(ours(from), n))).to.equal(from.add({ months: n }).toString());
      expect(daysBetween(ours(from), ours(to))).to.equal(from.until(to, { largestUnit: 'days' }).days);
    }));

  it('matches Temporal when clamping the day of the month', () =>
    forAll([dates, billCycleDays], (date, day) => {
      const expected = date.with({ day }, { overflow: 'constrain' });
      expect(formatLocalDate(withDayOfMonth(ours(date), day))).to.equal(expected.toString());
    }));
});

describe('month arithmetic', () => {
  it('counts the largest number of months that can be added to the first date without passing the second', () =>
    forAll([dates, fc.integer({ min: 0, max: 40_000 })], (from, days) => {
      const to = addDays(ours(from), days);
      const months = monthsBetween(ours(from), to);
      expect(addMonths(ours(from), months)).to.be.at.most(to);
      expect(addMonths(ours(from), months + 1)).to.be.above(to);
      expect(monthsBetween(to, ours(from))).to.equal(months === 0 ? 0 : -months);
    }));
});

describe('billing period arithmetic', () => {
  it('yields periods that strictly increase from the anchor and keep the day of the anchor', () =>
    forAll([dates, periods, counts], (anchor, period, n) => {
      const date = addPeriod(ours(anchor), period, n);
      expect(addPeriod(ours(anchor), period, n + 1)).to.be.above(date);
      if (isMonthBased(period)) {
        expect(dayOfMonth(date)).to.equal(Math.min(anchor.day, lengthOfMonth(date)));
      } else {
        expect(daysBetween(ours(anchor), date)).to.equal(n * periodLength(period).number);
      }
    }));

  it('ends periods on their bill cycle day, or on the last day of a shorter month', () =>
    forAll(
      [dates, periods.filter(isMonthBased), fc.tuple(counts, billCycleDays)],
      (start, period, [n, day]) => {
        const date = addPeriods(ours(start), period, n, day);
        expect(dayOfMonth(date)).to.equal(Math.min(day, lengthOfMonth(date)));
      },
    ));

  it('starts periods on the first bill cycle date, in the start month or one full period later', () =>
    forAll([dates, periods.filter(isMonthBased), billCycleDays], (start, period, day) => {
      const first = firstBillCycleDate(ours(start), period, day);
      const inMonthOfStart = withDayOfMonth(ours(start), day);
      expect(first).to.be.at.least(ours(start));
      expect([inMonthOfStart, addPeriods(inMonthOfStart, period, 1, day)]).to.include(first);
      if (inMonthOfStart >= ours(start)) expect(first).to.equal(inMonthOfStart);
    }));
});

function ours(date: Temporal.PlainDate): LocalDate {
  return localDate(date.year, date.month, date.day);
}
