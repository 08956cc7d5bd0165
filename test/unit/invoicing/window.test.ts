import { expect } from 'chai';
import { isDue } from '../../../lib/invoicing/proposals/window.ts';
import { cancel, day, event } from '../../support/invoicing/billing-events.ts';
import { line, SubscriptionLedger } from '../../support/invoicing/subscription-ledger.ts';

/** A run ahead without recurring charges does not delay later runs (invoicing §1.5), which may read less. */
describe('run after an account was billed ahead', () => {
  const annual = { price: '365.00', period: 'ANNUAL' } as const;
  const created = event('CREATE', '2023-01-01', annual);
  const twoPending = [
    created,
    event('BCD_CHANGE', '2023-04-10', { ...annual, bcd: 15 }),
    event('BCD_CHANGE', '2023-05-10', { ...annual, bcd: 20 }),
  ];

  function billedAhead(): SubscriptionLedger {
    const ledger = new SubscriptionLedger().change([created]);
    ledger.run('2023-01-01');
    ledger.change(twoPending, '2023-04-10');
    ledger.expectRun('2023-05-12', ['X 2023-05-20 2024-01-01 -226']);
    return ledger;
  }

  it('skips an unchanged subscription', () => {
    const ledger = billedAhead();
    const { events, cursor, config } = ledger;
    expect(isDue({ events, cursor, targetDate: day('2023-03-05'), config })).to.equal(false);
    expect(ledger.runIfDue(day('2023-03-05'))).to.equal(false);
    ledger.expectRun('2023-05-20', ['R 2023-05-20 2024-05-20 365']);
  });

  it('keeps charges beyond a future event until that event', () => {
    const ledger = billedAhead();
    ledger.change([...twoPending, cancel('2023-05-13')], '2023-05-13');
    ledger.expectRun('2023-03-05', []);
    expect(ledger.nextDueDate).to.equal('2023-04-10');
    ledger.expectRun('2023-04-10', ['X 2023-04-15 2023-05-10 -25']);
    ledger.expectRun('2023-04-15', ['R 2023-04-15 2023-05-10 24.93']);
    ledger.expectRun('2023-05-13', ['X 2023-05-13 2023-05-20 -7']);
  });

  it('skips arrears in GREEDY mode that cannot have increased by the date of the run', () => {
    const arrears = { price: '31.00', bcd: 1, mode: 'IN_ARREAR' } as const;
    const monthly = event('CREATE', '2024-03-01', arrears);
    const moved = event('BCD_CHANGE', '2024-03-10', { ...arrears, bcd: 15 });
    const ledger = new SubscriptionLedger({ config: { inArrearMode: 'GREEDY' } }).change([monthly]);
    ledger.expectRun('2024-03-02', ['R 2024-03-01 2024-04-01 31']);
    ledger.change([monthly, moved], '2024-03-10');
    ledger.expectRun('2024-03-10', ['X 2024-03-15 2024-04-01 -17']);
    expect(ledger.runIfDue(day('2024-03-05'))).to.equal(false);
    expect(ledger.runIfDue(day('2024-03-14'))).to.equal(false);
    expect(ledger.runIfDue(day('2024-03-16'))).to.equal(true);
    expect(ledger.items.slice(-1).map(line)).to.eql(['R 2024-03-15 2024-04-15 31']);
  });
});
