import { expect } from 'chai';
import { computeStanding } from '../../../lib/invoicing/proposals/window.ts';
import type { BillingEvent } from '../../../lib/records/billing-event.ts';
import { cancel, day, event, text } from '../../support/invoicing/billing-events.ts';

/** Returns `settledThrough nextDueDate` after a run at the target date. */
function standing(
  events: readonly BillingEvent[],
  targetDate: string,
  inArrearMode: 'DEFAULT' | 'GREEDY' = 'DEFAULT',
) {
  const config = { inArrearMode, prorationFixedDays: 0 };
  const { settledThrough, nextDueDate } = computeStanding({ events, targetDate: day(targetDate), config });
  return [settledThrough, nextDueDate].map((date) => (date === null ? '-' : text(date))).join(' ');
}

describe('settled and due dates after a run', () => {
  const advance = event('CREATE', '2024-01-10', { price: '10', bcd: 15 });
  const arrears = event('CREATE', '2024-01-10', { price: '10', bcd: 15, mode: 'IN_ARREAR' });
  const change = event('CHANGE', '2024-02-01', { plan: 'tin', price: '5', bcd: 15 });

  it('are the end of the last proposal when billing in advance', () => {
    expect(standing([advance], '2024-01-10')).to.equal('2024-01-15 2024-01-15');
    expect(standing([advance], '2024-01-15')).to.equal('2024-02-15 2024-02-15');
  });

  it('are the end of the last full period and the next bill cycle date when billing in arrears', () => {
    expect(standing([arrears], '2024-01-10')).to.equal('2024-01-10 2024-01-15');
    expect(standing([arrears], '2024-01-15')).to.equal('2024-01-15 2024-02-15');
    expect(standing([arrears], '2024-02-20')).to.equal('2024-02-15 2024-03-15');
  });

  it('are the end of the last started period when billing in arrears in GREEDY mode', () => {
    expect(standing([arrears], '2024-01-10', 'GREEDY')).to.equal('2024-01-15 2024-02-15');
    expect(standing([arrears], '2024-01-15', 'GREEDY')).to.equal('2024-01-15 2024-02-15');
    expect(standing([arrears], '2024-01-16', 'GREEDY')).to.equal('2024-02-15 2024-03-15');
  });

  it('use an earlier next event as the due date', () => {
    expect(standing([advance, change], '2024-01-15')).to.equal('2024-02-01 2024-02-01');
    expect(standing([arrears, change], '2024-01-15')).to.equal('2024-01-15 2024-02-01');
    expect(standing([advance, cancel('2024-05-01')], '2024-01-15')).to.equal('2024-02-15 2024-02-15');
    expect(standing([advance, cancel('2024-01-12')], '2024-01-10')).to.equal('2024-01-12 2024-01-12');
  });

  it('include no due date when nothing recurs and no event follows', () => {
    expect(standing([advance, cancel('2024-01-12')], '2024-01-12')).to.equal('2024-01-12 -');
    expect(standing([event('CREATE', '2024-01-10', { fixed: '5' })], '2024-01-10')).to.equal('2024-01-10 -');
  });

  it('consist of only a due date before the first event', () =>
    expect(standing([advance], '2024-01-09')).to.equal('- 2024-01-10'));
});
