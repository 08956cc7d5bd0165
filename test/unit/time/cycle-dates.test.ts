import {
  cycleDate,
  cycleDatesOf,
  firstCycleAfter,
  lastCycleUpTo,
} from '../../../lib/values/time/billing-period.ts';
import { day, text } from '../../support/invoicing/billing-events.ts';
import { type BillingPeriod, expect, InvariantError } from '../../support/unit.ts';

function cycle(start: string, billingPeriod: BillingPeriod, billCycleDayLocal: number) {
  return cycleDatesOf({ localDate: day(start), billingPeriod, billCycleDayLocal });
}

describe('cycle dates', () => {
  const cases: readonly [string, BillingPeriod, number, readonly string[]][] = [
    ['2012-03-02', 'MONTHLY', 31, ['2012-03-31', '2012-04-30', '2012-05-31', '2012-06-30']],
    ['2024-01-31', 'MONTHLY', 31, ['2024-01-31', '2024-02-29', '2024-03-31']],
    ['2024-02-29', 'MONTHLY', 30, ['2024-02-29', '2024-03-30', '2024-04-30']],
    ['2024-01-30', 'MONTHLY', 29, ['2024-02-29', '2024-03-29']],
    ['2023-01-30', 'MONTHLY', 29, ['2023-02-28', '2023-03-29']],
    ['2012-05-12', 'ANNUAL', 1, ['2013-05-01', '2014-05-01']],
    ['2012-05-12', 'QUARTERLY', 1, ['2012-08-01', '2012-11-01', '2013-02-01']],
    ['2024-02-29', 'ANNUAL', 29, ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']],
    ['2024-03-31', 'WEEKLY', 1, ['2024-03-31', '2024-04-07', '2024-04-14']],
    ['2024-03-31', 'THIRTY_DAYS', 0, ['2024-03-31', '2024-04-30', '2024-05-30']],
    ['2024-01-15', 'TRIENNIAL', 15, ['2024-01-15', '2027-01-15']],
  ];
  for (const [start, period, bcd, dates] of cases)
    it(`are ${dates.join(', ')} for ${period} from ${start} on day ${bcd}`, () => {
      const ours = cycle(start, period, bcd);
      expect(dates.map((_, k) => text(cycleDate(ours, k)))).to.eql(dates);
      dates.forEach((date, k) => {
        expect(lastCycleUpTo(ours, day(date))).to.equal(k);
        expect(firstCycleAfter(ours, day(date))).to.equal(k + 1);
        expect(firstCycleAfter(ours, cycleDate(ours, k - 1))).to.equal(k);
      });
    });

  it('require a resolved bill cycle day for periods in months', () => {
    expect(() => cycle('2024-01-01', 'MONTHLY', 0)).to.throw(InvariantError, 'bill cycle day');
    expect(() => cycle('2024-01-01', 'MONTHLY', 32)).to.throw(InvariantError, 'bill cycle day');
  });
});
