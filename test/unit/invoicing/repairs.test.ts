import {
  type EvaluationSettings,
  evaluateSubscription,
  missingItemIds,
} from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import type { BillingEvent } from '../../../lib/records/billing-event.ts';
import { cancel, day, event } from '../../support/invoicing/billing-events.ts';
import { countedIds, rowLines, SubscriptionLedger } from '../../support/invoicing/subscription-ledger.ts';
import { expect, formatLocalDate, InvariantError } from '../../support/unit.ts';

const pause = (from: string) => event('START_BILLING_DISABLED', from);
const resume = (to: string, price: string) => event('END_BILLING_DISABLED', to, { price });

describe('item repairs', () => {
  it('add up to the item, with the remainder in the repair of its last day', () => {
    const created = event('CREATE', '2024-04-01', { price: '10.00' });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.run('2024-04-01');
    ledger.change([created, pause('2024-04-11'), resume('2024-04-21', '10.00')], '2024-04-11');
    ledger.expectRun('2024-04-21', ['X 2024-04-11 2024-04-21 -3.33']);
    ledger.change([created, cancel('2024-04-01')], '2024-04-01');
    ledger.expectRun('2024-04-21', ['X 2024-04-01 2024-04-11 -3.33', 'X 2024-04-21 2024-05-01 -3.34']);
  });

  it('reduce the remainder of an item one after another within a run', () => {
    const created = event('CREATE', '2024-04-01', { price: '30.00' });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.run('2024-04-01');
    ledger.adjust(ledger.item(0).id, '25.00');
    const pauses = [pause('2024-04-04'), resume('2024-04-06', '30.00'), pause('2024-04-11')];
    ledger.change([created, ...pauses, resume('2024-04-13', '30.00'), pause('2024-04-21')], '2024-04-04');
    ledger.expectRun('2024-04-21', [
      'X 2024-04-04 2024-04-06 -2',
      'X 2024-04-11 2024-04-13 -2',
      'X 2024-04-21 2024-05-01 -1',
    ]);
    expect(ledger.billed.get(ledger.item(0).id)?.repairable.toFixed()).to.equal('0');
  });

  it('never exceed the remainder after adjustments', () => {
    const created = event('CREATE', '2024-04-01', { price: '30.00' });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.run('2024-04-01');
    ledger.adjust(ledger.item(0).id, '30.00');
    ledger.change([created, cancel('2024-04-16')], '2024-04-16');
    ledger.expectRun('2024-04-16', ['X 2024-04-16 2024-05-01 0']);
    expect(rowLines(ledger.rows)).to.have.length(1);
  });

  it("look for days in force outside the window before they use an item's remaining amount", () => {
    const annual = { plan: 'gold-annual', price: '365.00', period: 'ANNUAL' } as const;
    const created = event('CREATE', '2023-01-01', annual);
    const paused = event('START_BILLING_DISABLED', '2023-03-02');
    const resumed = event('END_BILLING_DISABLED', '2023-04-01', annual);
    const ledger = new SubscriptionLedger().change([created]);
    ledger.run('2023-01-01');
    ledger.change([created, paused, resumed], '2023-03-02');
    expect(ledger.run('2023-04-01')).to.include('X 2023-03-02 2023-04-01 -30');
    // The window of this change starts on 04-01, so the first 60 days of the item are before it and stay in force.
    ledger.change([created, paused, resumed, cancel('2023-05-01')], '2023-05-01');
    const settings: EvaluationSettings = {
      targetDate: day('2023-05-01'),
      currency: 'USD',
      config: ledger.config,
    };
    const loaded = ledger.load(settings.targetDate);
    expect(rowLines(loaded.rows).some((row) => row.startsWith('2023-01-01'))).to.equal(false);
    expect(missingItemIds(loaded, settings)).to.include(ledger.item(0).id);
    expect(ledger.run('2023-05-01')).to.include('X 2023-05-01 2024-01-01 -245');
    expect(rowLines(ledger.rows).map((row) => row.split(' ').slice(0, 2).join(' '))).to.eql([
      '2023-01-01 2023-03-02',
      '2023-04-01 2023-05-01',
    ]);
  });

  it('fail when the item is not loaded', () => {
    const created = event('CREATE', '2024-04-01', { price: '30.00' });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.run('2024-04-01');
    ledger.change([created, cancel('2024-04-16')], '2024-04-16');
    const settings = { targetDate: day('2024-04-16'), currency: 'USD', config: ledger.config } as const;
    expect(() => evaluateSubscription(ledger.load(settings.targetDate), settings, countedIds())).to.throw(
      InvariantError,
      'must be loaded',
    );
  });

  it('name the event in force at the target date as their cause, never a future event', () => {
    const created = event('CREATE', '2024-04-01', { price: '30.00' });
    const moved = event('BCD_CHANGE', '2024-04-10', { price: '30.00', bcd: 10 });
    const resumed = event('END_BILLING_DISABLED', '2024-04-20', { price: '30.00', bcd: 10 });
    const changed = event('CHANGE', '2024-05-05', { plan: 'tin', price: '3.00', bcd: 10 });
    const repairedAfter = (later: readonly BillingEvent[], from: string, targetDate: string) => {
      const ledger = new SubscriptionLedger().change([created]);
      ledger.run('2024-04-01');
      ledger.change([created, moved], '2024-04-10').run('2024-04-10');
      ledger.change([created, moved, ...later], from).run(targetDate);
      return ledger.items.flatMap(({ startDate, basis }) =>
        basis?.kind === 'REPAIR' && startDate ? `${formatLocalDate(startDate)} ${basis.event?.type}` : [],
      );
    };
    expect(repairedAfter([pause('2024-04-15'), resumed], '2024-04-15', '2024-04-15')).to.eql([
      '2024-04-15 START_BILLING_DISABLED',
      '2024-05-01 START_BILLING_DISABLED',
    ]);
    expect(repairedAfter([changed], '2024-05-05', '2024-04-10')).to.eql([]);
    expect(repairedAfter([changed], '2024-05-05', '2024-05-05')).to.eql(['2024-05-05 CHANGE']);
    const now = event('CHANGE', '2024-04-15', { plan: 'tin', price: '3.00', bcd: 10 });
    expect(repairedAfter([now, cancel('2024-04-20')], '2024-04-15', '2024-04-15')).to.eql([
      '2024-04-15 CHANGE',
      '2024-05-01 CHANGE',
    ]);
  });

  it('use the stored share of an item under fixed proration days if no event contains its plan anymore', () => {
    const created = event('CREATE', '2023-05-15', { price: '19.95', bcd: 15 });
    const changed = event('CHANGE', '2023-05-16', { plan: 'tin', price: '3.00', bcd: 15 });
    const ledger = new SubscriptionLedger({ config: { prorationFixedDays: 30 } }).change([created, changed]);
    expect(ledger.run('2023-05-16')).to.include('R 2023-05-16 2023-06-15 2.9');
    ledger.change([created, cancel('2023-05-23')], '2023-05-16');
    expect(ledger.run('2023-05-23').filter((each) => each.startsWith('X'))).to.eql([
      'X 2023-05-16 2023-06-15 -2.9',
    ]);
  });
});

describe('repairs without an amount', () => {
  it('are not created for a shortened item without an amount, which is billed again instead', () => {
    const created = event('CREATE', '2024-01-01', { price: '0' });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.expectRun('2024-01-01', ['R 2024-01-01 2024-02-01 0']);
    ledger.expectRun('2024-01-01', []);
    ledger.change([created, cancel('2024-01-11')], '2024-01-11');
    ledger.expectRun('2024-01-11', ['R 2024-01-01 2024-01-11 0']);
    ledger.expectRun('2024-01-11', []);
  });

  it('do not rebill days that a priced item has billed', () => {
    const created = event('CREATE', '2024-01-01', { price: '10' });
    const moved = event('BCD_CHANGE', '2024-01-02', { price: '10', bcd: 2 });
    const ledger = new SubscriptionLedger({ currency: 'JPY' }).change([created]);
    ledger.expectRun('2024-01-01', ['R 2024-01-01 2024-02-01 10']);
    ledger.change([created, moved], '2024-01-02');
    ledger.expectRun('2024-01-02', ['R 2024-02-01 2024-02-02 0']); // a part of [01-02, 02-02)
    ledger.expectRun('2024-01-02', []);
    ledger.expectRun('2024-02-02', ['R 2024-02-02 2024-03-02 10']);
  });

  it('do not rebill the remaining days of a priced item that a repair reduces to 0', () => {
    const created = event('CREATE', '2024-06-15', { price: '10', bcd: 15 });
    const ledger = new SubscriptionLedger({ currency: 'JPY' }).change([created]);
    ledger.run('2024-06-15');
    ledger.change([created, cancel('2024-06-16')], '2024-06-16');
    ledger.expectRun('2024-06-16', ['X 2024-06-16 2024-07-15 -10']);
    ledger.expectRun('2024-06-16', []);
  });
});
