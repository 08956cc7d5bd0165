import { billThroughDate } from '../../../lib/invoicing/proposals/recurring-proposals.ts';
import { day, text } from '../../support/invoicing/billing-events.ts';
import { cycleDatesOf, expect } from '../../support/unit.ts';

type Mode = 'IN_ADVANCE' | 'IN_ARREAR' | 'GREEDY';

/** Returns X for a monthly event on 2024-01-10 with bill cycle day 15: first = 01-15. */
function through(mode: Mode, targetDate: string, endDate: string | null): string | null {
  const cycle = cycleDatesOf({
    localDate: day('2024-01-10'),
    billingPeriod: 'MONTHLY',
    billCycleDayLocal: 15,
  });
  const date = billThroughDate({
    cycle,
    endDate: endDate === null ? null : day(endDate),
    targetDate: day(targetDate),
    billingMode: mode === 'IN_ADVANCE' ? 'IN_ADVANCE' : 'IN_ARREAR',
    inArrearMode: mode === 'GREEDY' ? 'GREEDY' : 'DEFAULT',
  });
  return date === null ? null : text(date);
}

describe('bill-through date', () => {
  // mode, target date, next event, X
  const cases: readonly [Mode, string, string | null, string | null][] = [
    ['IN_ADVANCE', '2024-01-10', null, '2024-01-15'],
    ['IN_ADVANCE', '2024-01-14', '2024-01-12', '2024-01-12'],
    ['IN_ADVANCE', '2024-01-15', null, '2024-02-15'],
    ['IN_ADVANCE', '2024-02-14', null, '2024-02-15'],
    ['IN_ADVANCE', '2024-02-15', null, '2024-03-15'],
    ['IN_ADVANCE', '2024-02-15', '2024-03-01', '2024-03-01'],
    ['IN_ADVANCE', '2024-03-01', '2024-03-01', '2024-03-01'],
    ['IN_ADVANCE', '2024-09-01', '2024-03-01', '2024-03-01'],
    ['IN_ARREAR', '2024-01-14', null, null],
    ['IN_ARREAR', '2024-01-14', '2024-01-12', '2024-01-12'],
    ['IN_ARREAR', '2024-01-15', null, '2024-01-15'],
    ['IN_ARREAR', '2024-02-14', null, '2024-01-15'],
    ['IN_ARREAR', '2024-02-15', null, '2024-02-15'],
    ['IN_ARREAR', '2024-02-20', '2024-03-01', '2024-02-15'],
    ['IN_ARREAR', '2024-03-01', '2024-03-01', '2024-03-01'],
    ['GREEDY', '2024-01-09', null, null],
    ['GREEDY', '2024-01-10', null, '2024-01-15'],
    ['GREEDY', '2024-01-10', '2024-01-12', '2024-01-12'],
    ['GREEDY', '2024-01-10', '2024-01-15', '2024-01-15'],
    ['GREEDY', '2024-01-15', null, '2024-01-15'],
    ['GREEDY', '2024-01-16', null, '2024-02-15'],
    ['GREEDY', '2024-02-15', null, '2024-02-15'],
    ['GREEDY', '2024-02-15', '2024-03-01', '2024-03-01'],
    ['GREEDY', '2024-02-16', '2024-03-20', '2024-03-15'],
    ['GREEDY', '2024-03-20', '2024-03-20', '2024-03-20'],
  ];
  for (const [mode, targetDate, endDate, expected] of cases)
    it(`is ${expected ?? 'empty'} in mode ${mode} on ${targetDate} ${endDate === null ? 'without a next event' : `with the next event on ${endDate}`}`, () =>
      expect(through(mode, targetDate, endDate)).to.equal(expected));
});
