import { recurringProposals } from '../../../lib/invoicing/proposals/recurring-proposals.ts';
import { day, event } from '../../support/invoicing/billing-events.ts';
import { BillingError, expect } from '../../support/unit.ts';

describe('recurring proposals of one evaluation', () => {
  const events = [event('CREATE', '1990-01-01', { price: '1', period: 'DAILY' })];
  const upTo = (targetDate: string) =>
    recurringProposals({
      events,
      anchorIndex: 0,
      windowStart: null,
      targetDate: day(targetDate),
      currency: 'USD',
      config: { inArrearMode: 'DEFAULT', prorationFixedDays: 0 },
    });

  it('are rejected above their limit, with a suggested solution', () => {
    expect(upTo('2017-05-17')).to.have.length(9_999);
    expect(upTo('2017-05-18')).to.have.length(10_000);
    expect(() => upTo('2017-05-19'))
      .to.throw(BillingError, 'choose an earlier target date')
      .with.property('code', 4005);
  });
});
