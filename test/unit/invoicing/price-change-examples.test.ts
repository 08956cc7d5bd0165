import { expect } from 'chai';
import { cancel, day, event } from '../../support/invoicing/billing-events.ts';
import { SubscriptionLedger } from '../../support/invoicing/subscription-ledger.ts';

function runs(ledger: SubscriptionLedger, dates: readonly string[]): readonly string[] {
  return dates.flatMap((date) => ledger.run(date));
}

/** Returns the catalog effective date of every item so far, which is the first day of the version. */
function versions(ledger: SubscriptionLedger): readonly string[] {
  return ledger.items.map(({ catalogEffectiveDate: at }) =>
    at === null ? '-' : new Date(at).toISOString().slice(0, 10),
  );
}

describe('invoice items after catalog changes', () => {
  it('keep the price of an existing subscription until its plan changes (catalog W2 "Grandfathering")', () => {
    const a1 = event('CREATE', '2024-03-05', { plan: 'a-monthly', price: '30.00', bcd: 5 });
    const b = event('CHANGE', '2024-04-05', { plan: 'b-monthly', price: '50.00', bcd: 5, order: 2 });
    const a2 = event('CHANGE', '2024-04-05', { plan: 'a-monthly', price: '36.00', bcd: 5, order: 3 });
    const ledger = new SubscriptionLedger().change([a1]);
    expect(runs(ledger, ['2024-03-05', '2024-04-05'])).to.eql([
      'R 2024-03-05 2024-04-05 30',
      'R 2024-04-05 2024-05-05 30',
    ]);
    ledger.change([a1, b], '2024-04-05');
    ledger.expectRun('2024-04-05', ['R 2024-04-05 2024-05-05 50', 'X 2024-04-05 2024-05-05 -30']);
    ledger.change([a1, b, a2], '2024-04-05');
    ledger.expectRun('2024-04-05', ['R 2024-04-05 2024-05-05 36', 'X 2024-04-05 2024-05-05 -50']);
  });

  it('are split on the date of an unaligned price change (catalog W3)', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2024-03-15', { price: '40.00', bcd: 15, catalogDate: '2024-01-01' }),
      event('CHANGE', '2024-05-01', { price: '52.00', bcd: 15, catalogDate: '2024-04-01' }),
      event('CHANGE', '2024-08-01', { price: '64.00', bcd: 15, catalogDate: '2024-07-01' }),
    ]);
    const dates = ['2024-03-15', '2024-04-15', '2024-05-01', '2024-05-15', '2024-06-15', '2024-07-15'];
    expect(runs(ledger, [...dates, '2024-08-01', '2024-08-15'])).to.eql([
      'R 2024-03-15 2024-04-15 40',
      'R 2024-04-15 2024-05-01 21.33',
      'R 2024-05-01 2024-05-15 24.27',
      'R 2024-05-15 2024-06-15 52',
      'R 2024-06-15 2024-07-15 52',
      'R 2024-07-15 2024-08-01 28.52',
      'R 2024-08-01 2024-08-15 28.9',
      'R 2024-08-15 2024-09-15 64',
    ]);
  });

  it('have the new price starting on a bill cycle date if the change is aligned (catalog W4)', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2024-03-15', { price: '40.00', bcd: 15, catalogDate: '2024-01-01' }),
      event('CHANGE', '2024-05-15', { price: '52.00', bcd: 15, catalogDate: '2024-04-01' }),
      event('CHANGE', '2024-08-15', { price: '64.00', bcd: 15, catalogDate: '2024-07-01' }),
    ]);
    const dates = ['2024-03-15', '2024-04-15', '2024-05-15', '2024-06-15', '2024-07-15', '2024-08-15'];
    expect(runs(ledger, dates)).to.eql([
      'R 2024-03-15 2024-04-15 40',
      'R 2024-04-15 2024-05-15 40',
      'R 2024-05-15 2024-06-15 52',
      'R 2024-06-15 2024-07-15 52',
      'R 2024-07-15 2024-08-15 52',
      'R 2024-08-15 2024-09-15 64',
    ]);
    const [v1, v2, v3] = ['2024-01-01', '2024-04-01', '2024-07-01'];
    expect(versions(ledger)).to.eql([v1, v1, v2, v2, v2, v3]);
  });

  it('have the price of the latest version if an aligned cycle contains two changes (catalog W5)', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2024-05-03', { price: '70.00', bcd: 3 }),
      event('CHANGE', '2024-06-03', { price: '88.00', bcd: 3 }),
    ]);
    expect(runs(ledger, ['2024-05-03', '2024-06-03'])).to.eql([
      'R 2024-05-03 2024-06-03 70',
      'R 2024-06-03 2024-07-03 88',
    ]);
  });

  it('are prorated for a leading year up to the first bill cycle date (catalog W12 "First bill cycle date")', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2023-11-10', { plan: 'x-annual', price: '1460.00', period: 'ANNUAL' }),
    ]);
    expect(runs(ledger, ['2023-11-10', '2024-11-01'])).to.eql([
      'R 2023-11-10 2024-11-01 1424.1',
      'R 2024-11-01 2025-11-01 1460',
    ]);
  });
});

describe('invoice items after subscription changes', () => {
  it('credit the days from the start of a pause, and charge again from the resume (subscriptions W13 "Pause and resume")', () => {
    const pro = { plan: 'pro-monthly', price: '249.95', bcd: 2 };
    const created = event('CREATE', '2012-03-02', pro);
    const paused = event('START_BILLING_DISABLED', '2012-03-04', { plan: 'pro-monthly', bcd: 2 });
    const resumed = event('END_BILLING_DISABLED', '2012-04-05', pro);
    const ledger = new SubscriptionLedger().change([created]);
    ledger.expectRun('2012-03-02', ['R 2012-03-02 2012-04-02 249.95']);
    ledger.change([created, paused], '2012-03-04');
    ledger.expectRun('2012-03-04', ['X 2012-03-04 2012-04-02 -233.82']);
    ledger.change([created, paused, resumed], '2012-04-05');
    ledger.expectRun('2012-04-05', ['R 2012-04-05 2012-05-02 224.96']);
  });

  it('are prorated up to each new bill cycle day (subscriptions W16 "BCD with create and change")', () => {
    const created = event('CREATE', '2018-06-21', { plan: 'solo-now', price: '19.95', bcd: 15 });
    const ledger = new SubscriptionLedger().change([created]);
    expect(runs(ledger, ['2018-06-21', '2018-07-15'])).to.eql([
      'R 2018-06-21 2018-07-15 15.96',
      'R 2018-07-15 2018-08-15 19.95',
    ]);
    const change = event('CHANGE', '2018-08-15', { plan: 'team-now', price: '29.95', bcd: 15, order: 2 });
    const to21 = event('BCD_CHANGE', '2018-08-15', { plan: 'team-now', price: '29.95', bcd: 21, order: 3 });
    ledger.change([created, change, to21], '2018-08-15');
    ledger.expectRun('2018-07-15', []);
    ledger.expectRun('2018-08-15', ['R 2018-08-15 2018-08-21 5.8']);
  });

  it('are split on the dates of price changes (subscriptions W17 "Price change for existing subscriptions")', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2018-03-15', { price: '49.95', bcd: 15 }),
      event('CHANGE', '2018-05-01', { price: '59.95', bcd: 15 }),
      event('CHANGE', '2018-08-01', { price: '69.95', bcd: 15 }),
    ]);
    expect(runs(ledger, ['2018-03-15', '2018-04-15', '2018-05-01'])).to.eql([
      'R 2018-03-15 2018-04-15 49.95',
      'R 2018-04-15 2018-05-01 26.64',
      'R 2018-05-01 2018-05-15 27.98',
    ]);
  });
});

describe('items after changes of one subscription', () => {
  it('are absent from a run if the changes undo each other within one day', () => {
    const gold = event('CREATE', '2024-01-01', { price: '30.00' });
    const tin = event('CHANGE', '2024-01-10', { plan: 'tin', price: '10.00', order: 2 });
    const goldAgain = event('CHANGE', '2024-01-10', { price: '30.00', order: 3 });
    const ledger = new SubscriptionLedger().change([gold]);
    ledger.run('2024-01-01');
    ledger.change([gold, tin, goldAgain], '2024-01-10');
    ledger.expectRun('2024-01-10', []);
  });

  it('repair and bill the same days if a cancellation is undone', () => {
    const created = event('CREATE', '2024-01-01', { price: '31.00' });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.run('2024-01-01');
    ledger.change([created, cancel('2024-01-11')], '2024-01-11');
    ledger.expectRun('2024-01-11', ['X 2024-01-11 2024-02-01 -21']);
    ledger.change([created], '2024-01-11');
    ledger.expectRun('2024-01-11', ['R 2024-01-11 2024-02-01 21']);
    expect(ledger.nextDueDate).to.equal('2024-02-01');
  });

  it('include the first period even if a later change occurs before any period is settled', () => {
    const created = event('CREATE', '2024-03-01', { price: '10.00' });
    const later = event('CHANGE', '2024-06-01', { plan: 'tin', price: '5.00' });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.expectRun('2024-01-15', []);
    expect(ledger.cursor?.settledThrough).to.equal(null);
    expect(ledger.nextDueDate).to.equal('2024-03-01');
    ledger.change([created, later], '2024-06-01');
    ledger.expectRun('2024-03-01', ['R 2024-03-01 2024-04-01 10']);
  });

  it('stay the same after the evaluation of an earlier target date', () => {
    const trials = ['2024-01-01', '2024-02-10', '2024-02-20'].map((date, index) =>
      event(index === 0 ? 'CREATE' : 'PHASE', date, { phaseDays: 10, phase: `trial-${index}` }),
    );
    const ledger = new SubscriptionLedger().change(trials);
    ledger.run('2024-02-20');
    ledger.change(trials, '2024-02-20');
    ledger.expectRun('2024-02-05', []);
    expect(ledger.cursor?.settledThrough).to.equal(day('2024-01-01'));
    expect(ledger.nextDueDate).to.equal('2024-02-10');
    const paid = event('PHASE', '2024-02-20', { price: '29.00' });
    ledger.change([...trials.slice(0, 2), paid], '2024-02-20');
    ledger.expectRun('2024-02-20', ['R 2024-02-20 2024-03-01 10']);
  });
});
