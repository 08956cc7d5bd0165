import { withDiscounts } from '../../../lib/coupons/index.ts';
import { recurringProposals } from '../../../lib/invoicing/proposals/recurring-proposals.ts';
import type { BillingEvent } from '../../../lib/records/index.ts';
import { asCurrency } from '../../../lib/values/money/index.ts';
import { type RedemptionTerms, redemption } from '../../support/coupons.ts';
import { day, event, text } from '../../support/invoicing/billing-events.ts';
import { expect } from '../../support/unit.ts';

const USD = asCurrency('USD');
/** Returns the proposed charges as `start amount`. */
function charges(
  events: readonly BillingEvent[],
  terms: RedemptionTerms,
  targetDate: string,
): readonly string[] {
  return recurringProposals({
    events: withDiscounts(events, [redemption(terms)], USD),
    anchorIndex: 0,
    windowStart: null,
    targetDate: day(targetDate),
    currency: USD,
    config: { inArrearMode: 'DEFAULT', prorationFixedDays: 0 },
  }).map(({ startDate, amount }) => `${text(startDate)} ${amount}`);
}

const periods = (count: number) => ({ duration: { periods: count } }) as const;
const monthly = (date: string) => event('CREATE', date, { plan: 'gold-monthly', price: '30' });
const upgraded = [monthly('2026-01-01'), event('CHANGE', '2026-01-11', { plan: 'max-monthly', price: '62' })];

describe('charges with a coupon (coupons §3)', () => {
  it('are reduced for the periods of the coupon (C1)', () => {
    const terms = { redeemed: '2026-01-01', ...periods(3) };
    expect(charges([monthly('2026-01-01')], terms, '2026-04-01')).to.eql([
      '2026-01-01 24',
      '2026-02-01 24',
      '2026-03-01 24',
      '2026-04-01 30',
    ]);
  });

  it('are reduced before proration (C2)', () => {
    const terms = { percentOff: '50', redeemed: '2026-01-16', ...periods(1) };
    expect(charges([monthly('2026-01-16')], terms, '2026-02-01')).to.eql([
      '2026-01-16 7.74',
      '2026-02-01 30',
    ]);
  });

  it('are reduced from the first charge after a trial (C3)', () => {
    const trial = event('CREATE', '2026-01-01', { fixed: '0', phaseDays: 14 });
    const events = [trial, event('PHASE', '2026-01-15', { price: '30' })];
    expect(charges(events, { redeemed: '2026-01-01', ...periods(2) }, '2026-03-01')).to.eql([
      '2026-01-15 13.16',
      '2026-02-01 24',
      '2026-03-01 30',
    ]);
  });

  it('stay reduced after a change to another plan that the coupon covers (C4)', () => {
    expect(charges(upgraded, { redeemed: '2026-01-01', ...periods(3) }, '2026-04-01')).to.eql([
      '2026-01-01 7.74',
      '2026-01-11 33.6',
      '2026-02-01 49.6',
      '2026-03-01 49.6',
      '2026-04-01 62',
    ]);
  });

  it('are not reduced on a plan that the coupon does not cover (C5)', () => {
    const terms = { redeemed: '2026-01-01', ...periods(3), plans: ['gold-monthly'] };
    expect(charges(upgraded, terms, '2026-02-01')).to.eql([
      '2026-01-01 7.74',
      '2026-01-11 42',
      '2026-02-01 62',
    ]);
  });

  it('are reduced from the next period after the redemption (C8)', () => {
    expect(charges([monthly('2026-02-01')], { redeemed: '2026-02-10', ...periods(2) }, '2026-05-01')).to.eql([
      '2026-02-01 30',
      '2026-03-01 24',
      '2026-04-01 24',
      '2026-05-01 30',
    ]);
  });

  it('are reduced for the number of months that the coupon specifies (C12)', () => {
    const annual = event('CREATE', '2026-01-01', { price: '300', period: 'ANNUAL' });
    const terms = {
      percentOff: '10',
      redeemed: '2026-01-01',
      duration: { months: 12 },
    } as const;
    expect(charges([annual], terms, '2027-01-01')).to.eql(['2026-01-01 270', '2027-01-01 300']);
  });

  it('are no longer reduced after the redemption ends', () => {
    expect(
      charges([monthly('2026-01-01')], { redeemed: '2026-01-01', ended: '2026-02-01' }, '2026-02-01'),
    ).to.eql(['2026-01-01 24', '2026-02-01 30']);
  });
});
