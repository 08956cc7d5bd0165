import { expect } from 'chai';
import { standingAfter } from '../../../lib/invoicing/proposals/window.ts';
import type { BillingEvent } from '../../../lib/records/billing-event.ts';
import { cancel, day, event, text } from '../../support/invoicing/billing-events.ts';

/** `settledThrough nextDueDate` after a run at the target date. */
function standing(
  events: readonly BillingEvent[],
  targetDate: string,
  inArrearMode: 'DEFAULT' | 'GREEDY' = 'DEFAULT',
) {
  const config = { inArrearMode, prorationFixedDays: 0 };
  const { settledThrough, nextDueDate } = standingAfter({
    events,
    targetDate: day(targetDate),
    config,
  });
  return [settledThrough, nextDueDate].map((date) => (date === null ? '-' : text(date))).join(' ');
}

describe('the standing after a run', () => {
  const advance = event('CREATE', '2024-01-10', { price: '10', bcd: 15 });
  const arrears = event('CREATE', '2024-01-10', { price: '10', bcd: 15, mode: 'IN_ARREAR' });
  const change = event('CHANGE', '2024-02-01', { plan: 'tin', price: '5', bcd: 15 });

  it('the standing after a run in advance is the end of the last proposal, and due again there', () => {
    expect(standing([advance], '2024-01-10')).to.equal('2024-01-15 2024-01-15');
    expect(standing([advance], '2024-01-15')).to.equal('2024-02-15 2024-02-15');
  });

  it('the standing after a run in arrears is what has ended, and due at the next bill cycle date', () => {
    expect(standing([arrears], '2024-01-10')).to.equal('2024-01-10 2024-01-15');
    expect(standing([arrears], '2024-01-15')).to.equal('2024-01-15 2024-02-15');
    expect(standing([arrears], '2024-02-20')).to.equal('2024-02-15 2024-03-15');
  });

  it('the standing after a run in arrears and greedy is what has begun', () => {
    expect(standing([arrears], '2024-01-10', 'GREEDY')).to.equal('2024-01-15 2024-02-15');
    expect(standing([arrears], '2024-01-15', 'GREEDY')).to.equal('2024-01-15 2024-02-15');
    expect(standing([arrears], '2024-01-16', 'GREEDY')).to.equal('2024-02-15 2024-03-15');
  });

  it('is due at the next event if that is earlier', () => {
    expect(standing([advance, change], '2024-01-15')).to.equal('2024-02-01 2024-02-01');
    expect(standing([arrears, change], '2024-01-15')).to.equal('2024-01-15 2024-02-01');
    expect(standing([advance, cancel('2024-05-01')], '2024-01-15')).to.equal('2024-02-15 2024-02-15');
    expect(standing([advance, cancel('2024-01-12')], '2024-01-10')).to.equal('2024-01-12 2024-01-12');
  });

  it('is due never again once nothing recurs and nothing is to come', () => {
    expect(standing([advance, cancel('2024-01-12')], '2024-01-12')).to.equal('2024-01-12 -');
    expect(standing([event('CREATE', '2024-01-10', { fixed: '5' })], '2024-01-10')).to.equal('2024-01-10 -');
  });

  it('before the first event is settled nowhere and due at it', () =>
    expect(standing([advance], '2024-01-09')).to.equal('- 2024-01-10'));
});
