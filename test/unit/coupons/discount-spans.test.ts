import { discountSpan } from '../../../lib/coupons/discounts/discount-spans.ts';
import type { BillingEvent, CouponDuration } from '../../../lib/records/index.ts';
import { cancel, day, event, text } from '../../support/invoicing/billing-events.ts';
import { expect } from '../../support/unit.ts';

const once = 'ONCE' as const;
const forever = 'FOREVER' as const;
const periods = (count: number) => ({ periods: count });
const months = (count: number) => ({ months: count });

function spanOf(events: readonly BillingEvent[], redeemed: string, duration: CouponDuration): string | null {
  const span = discountSpan(events, { redeemed: day(redeemed), duration, ended: null });
  if (span === null) return null;
  return `${text(span.from)} ${span.until === null ? 'open' : text(span.until)}`;
}

const monthly = (date: string) => event('CREATE', date, { price: '30' });

describe('discount span (coupons §3)', () => {
  it('begins with the first period of a new subscription', () => {
    expect(spanOf([monthly('2026-01-01')], '2026-01-01', periods(3))).to.equal('2026-01-01 2026-04-01');
  });

  it('counts a partial first period as a period', () => {
    expect(spanOf([monthly('2026-01-16')], '2026-01-16', once)).to.equal('2026-01-16 2026-02-01');
  });

  it('begins after a trial', () => {
    const trial = event('CREATE', '2026-01-01', { fixed: '0', phaseDays: 14 });
    const events = [trial, event('PHASE', '2026-01-15', { price: '30' })];
    expect(spanOf(events, '2026-01-01', periods(2))).to.equal('2026-01-15 2026-03-01');
  });

  it('counts a period only once if a change splits the period', () => {
    const events = [
      monthly('2026-01-01'),
      event('CHANGE', '2026-01-11', { plan: 'max-monthly', price: '62' }),
    ];
    expect(spanOf(events, '2026-01-01', periods(3))).to.equal('2026-01-01 2026-04-01');
  });

  it('counts a period only once if a pause splits the period', () => {
    const events = [
      monthly('2026-01-01'),
      event('START_BILLING_DISABLED', '2026-01-10'),
      event('END_BILLING_DISABLED', '2026-01-20', { price: '30' }),
    ];
    expect(spanOf(events, '2026-01-01', periods(2))).to.equal('2026-01-01 2026-03-01');
  });

  it('counts a period that begins after a pause', () => {
    const events = [
      monthly('2026-01-01'),
      event('START_BILLING_DISABLED', '2026-01-10'),
      event('END_BILLING_DISABLED', '2026-02-20', { price: '30' }),
    ];
    expect(spanOf(events, '2026-01-01', periods(2))).to.equal('2026-01-01 2026-03-01');
    expect(spanOf(events, '2026-02-15', once)).to.equal('2026-02-20 2026-03-01');
  });

  it('begins with the next period if the coupon is redeemed within a period', () => {
    const changed = [
      monthly('2026-01-01'),
      event('CHANGE', '2026-02-20', { plan: 'max-monthly', price: '62' }),
    ];
    for (const events of [[monthly('2026-01-01')], changed])
      expect(spanOf(events, '2026-02-10', periods(2))).to.equal('2026-03-01 2026-05-01');
  });

  it('ends the specified number of months after its first period', () => {
    const annual = event('CREATE', '2026-01-16', { price: '300', period: 'ANNUAL', bcd: 16 });
    expect(spanOf([annual], '2026-01-16', months(12))).to.equal('2026-01-16 2027-01-16');
    expect(spanOf([monthly('2026-01-16')], '2026-01-16', months(2))).to.equal('2026-01-16 2026-04-01');
  });

  it('stays open if the coupon has no limit or billing ends before the limit', () => {
    expect(spanOf([monthly('2026-01-01')], '2026-01-01', forever)).to.equal('2026-01-01 open');
    const ended = [monthly('2026-01-01'), cancel('2026-02-10')];
    expect(spanOf(ended, '2026-01-01', periods(3))).to.equal('2026-01-01 open');
    expect(spanOf(ended, '2026-02-02', once)).to.equal(null);
  });

  it('covers all parts of the last period if the discount is removed and billing ends before another period', () => {
    const change = event('CHANGE', '2026-03-05', { plan: 'max-annual', price: '600', period: 'ANNUAL' });
    const events = [monthly('2026-01-01'), change, cancel('2027-03-01')];
    const removed = { redeemed: day('2026-03-01'), duration: forever, ended: day('2026-03-05') };
    expect(discountSpan(events.slice(0, 2), removed)?.until).to.equal(day('2027-03-01'));
    expect(discountSpan(events, removed)?.until).to.equal(day('2027-03-01'));
  });
});
