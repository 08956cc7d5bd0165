import {
  accountQuotaPeriod,
  type QuotaSpan,
  subscriptionQuotaPeriod,
} from '../../../lib/features/evaluation/quota-period.ts';
import type { QuotaPeriod } from '../../../lib/records/index.ts';
import { account, day, held, streamOf } from '../../support/features/feature-facts.ts';
import { event } from '../../support/subscriptions/lifecycle.ts';
import { expect, formatLocalDate } from '../../support/unit.ts';

const text = ({ start, end }: QuotaSpan) =>
  `${formatLocalDate(start)} to ${end === null ? '-' : formatLocalDate(end)}`;

describe('quota periods (features §4 rule 1)', () => {
  const spans = (one: ReturnType<typeof held>, per: QuotaPeriod, ...dates: readonly string[]) =>
    dates.map((date) => text(subscriptionQuotaPeriod(streamOf(one), per, day(date))));

  it('follow the calendar day for DAY and the subscription start for EVER', () => {
    const one = held('max-evergreen', '2026-03-10');
    expect(spans(one, 'DAY', '2026-03-12')).to.eql(['2026-03-12 to 2026-03-13']);
    expect(spans(one, 'EVER', '2030-01-01')).to.eql(['2026-03-10 to -']);
  });

  it('follow the bill cycle day for MONTH and YEAR, with a short first period', () => {
    const one = held('max-evergreen', '2026-03-10');
    expect(spans(one, 'MONTH', '2026-03-10', '2026-03-31', '2026-04-01')).to.eql([
      '2026-03-10 to 2026-04-01',
      '2026-03-10 to 2026-04-01',
      '2026-04-01 to 2026-05-01',
    ]);
    expect(spans(one, 'YEAR', '2026-03-31', '2027-04-01')).to.eql([
      '2026-03-10 to 2027-03-01',
      '2027-03-01 to 2028-03-01',
    ]);
  });

  it('end at the next boundary after the bill cycle day is moved', () => {
    const moved = event('BCD_CHANGE', '2026-04-10', { billCycleDay: 20 });
    const one = held('max-evergreen', '2026-03-10', { events: [moved] });
    expect(spans(one, 'MONTH', '2026-04-09', '2026-04-15', '2026-04-20')).to.eql([
      '2026-04-01 to 2026-04-20',
      '2026-04-01 to 2026-04-20',
      '2026-04-20 to 2026-05-20',
    ]);
  });

  it('restart for BILLING_PERIOD when the bill cycle day is set, even to the same day', () => {
    const moved = event('BCD_CHANGE', '2026-10-01', { billCycleDay: 1 });
    const one = held('yearly-evergreen', '2026-09-01', { events: [moved] });
    expect(spans(one, 'BILLING_PERIOD', '2026-09-30', '2026-10-01')).to.eql([
      '2026-09-01 to 2026-10-01',
      '2026-10-01 to 2027-10-01',
    ]);
    expect(spans(one, 'YEAR', '2026-10-01')).to.eql(['2026-09-01 to 2027-09-01']);
  });

  it('are monthly for BILLING_PERIOD in a phase without a recurring price, and continue in the next phase', () => {
    const paid = { planName: 'pro', phaseName: 'pro-evergreen', priceListName: 'DEFAULT' };
    const one = held('pro-trial', '2026-03-10', { events: [event('PHASE', '2026-03-24', paid)] });
    expect(spans(one, 'BILLING_PERIOD', '2026-03-23', '2026-03-24', '2026-04-02')).to.eql([
      '2026-03-10 to 2026-04-01',
      '2026-03-10 to 2026-04-01',
      '2026-04-01 to 2026-05-01',
    ]);
  });

  it('follow the account bill cycle day for account overrides', () => {
    const span = (per: QuotaPeriod, date: string, billCycleDayLocal = 1) =>
      text(accountQuotaPeriod({ ...account, billCycleDayLocal }, per, day(date)));
    expect(span('MONTH', '2026-02-10', 31)).to.equal('2026-01-31 to 2026-02-28');
    expect(span('BILLING_PERIOD', '2026-02-10')).to.equal('2026-02-01 to 2026-03-01');
    // An account without a bill cycle day uses the day of its creation.
    expect(span('YEAR', '2026-02-10', 0)).to.equal('2026-01-01 to 2027-01-01');
    expect(span('EVER', '2026-02-10')).to.equal('2026-01-01 to -');
  });
});
