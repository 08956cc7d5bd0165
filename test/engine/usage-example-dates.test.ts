import { instant } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines } from '../support/index.ts';
import { usageCatalogBySubscription } from '../support/usage/usage-catalog.ts';
import { ratesOf, tierLines, UsageStage, type UsageStageOptions } from '../support/usage/usage-stage.ts';

eachDatabaseByTurns.describe('usage period billing', (open) => {
  let stage: UsageStage;

  const begin = async (planName: string, from: string, options: UsageStageOptions = {}): Promise<void> => {
    stage = await UsageStage.begin(open, { planName, from }, options);
  };

  it('bills each phase by its own section (usage E8 "Phase change")', async () => {
    await begin('trial-api', '2026-04-01');
    await stage.use('10 calls 2026-04-10');
    await stage.use('5 calls 2026-04-20');
    await stage.runTo('2026-04-15');
    expect(tierLines(await stage.last())).to.eql(['calls T1 10 (0)']);
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-04-15 0', 'USAGE 2026-04-15..2026-05-01 5']);
  });

  for (const [mode, trial] of [
    ['AGGREGATE', []],
    ['DETAIL', ['0 10 0']],
  ] as const)
    it(`creates ${trial.length} items for a free phase in ${mode} mode if items of amount 0 are dropped (usage E8 "Phase change")`, async () => {
      await begin('trial-api', '2026-04-01', {
        settings: { 'invoice.disable.usage.zero.amount': 'true', 'invoice.item.result.behavior.mode': mode },
      });
      await stage.use('10 calls 2026-04-10');
      await stage.runTo('2026-04-15');
      expect((await stage.invoices()).flatMap(ratesOf)).to.eql(trial);
    });

  it('bills a short first interval at its end, without proration (usage E9 "Short first interval")', async () => {
    await begin('sms-payg', '2026-03-20', { bcd: 15 });
    await stage.use('130 sms 2026-03-20');
    await stage.use('271 sms 2026-03-21');
    await stage.use('199 sms 2026-04-15');
    await expectCode(stage.run('2026-04-14'), 'INVOICE_NOTHING_TO_DO');
    expect(itemLines(await stage.run('2026-05-15'))).to.eql([
      'USAGE 2026-03-20..2026-04-15 14.75',
      'USAGE 2026-04-15..2026-05-15 5.9',
    ]);
  });

  it('bills the usage of the former plan when the plan changes (usage E10 "Plan change within a day")', async () => {
    await begin('api-std', '2026-01-01');
    await stage.use('10 calls 2026-01-01T00:00:00Z');
    stage.engine.clock.set('2026-01-01T02:00:00Z');
    await stage.engine.acme.subscriptions.changePlan(stage.subscriptionId, { planName: 'api-plus' });
    await stage.engine.settle();
    await stage.use('20 calls 2026-01-01T02:00:00Z');
    await stage.runTo('2026-02-01');
    expect(await stage.lines()).to.eql([
      'USAGE 2026-01-01..2026-01-01 10',
      'USAGE 2026-01-01..2026-02-01 40',
    ]);
  });

  it('bills usage up to the instant of the cancellation, and bills late points only if they start a block (usage E12 "Cancellation at an instant")', async () => {
    await begin('sms-payg', '2026-05-01');
    await stage.use('50 sms 2026-05-01');
    await stage.use('300 sms 2026-05-16T00:00:00Z');
    await stage.use('100 sms 2026-05-20');
    await stage.runTo('2026-05-16');
    await stage.engine.settle(stage.engine.acme.subscriptions.cancel(stage.subscriptionId));
    expect(await stage.lines()).to.eql(['USAGE 2026-05-01..2026-05-16 11.8']);
    await expectCode(stage.use('1 sms 2026-05-17'), 'USAGE_RECORD_AFTER_SUBSCRIPTION_END');
    await stage.use('50 sms 2026-05-16T00:00:00Z', 'absorbed');
    await expectCode(stage.run('2026-05-20'), 'INVOICE_NOTHING_TO_DO');
    await stage.use('1 sms 2026-05-16T00:00:00Z', 'late');
    expect(itemLines(await stage.run('2026-05-20'))).to.eql(['USAGE 2026-05-01..2026-05-16 2.95']);
    expect((await stage.last()).trackingIds).to.eql(['absorbed', 'late']);
    await stage.runTo('2026-08-01');
    expect(await stage.lines()).to.have.lengthOf(2);
  });

  it('excludes usage that is recorded during a pause (usage E13 "Pause and resume")', async () => {
    await begin('api-std', '2026-08-01', { catalog: usageCatalogBySubscription });
    const { acme } = stage.engine;
    const call = async (...days: readonly string[]) => {
      for (const day of days) await stage.use(`1 calls 2026-${day}`);
    };
    const block = (date: string, isBlockBilling: boolean) =>
      acme.blocking.add(
        { type: 'SUBSCRIPTION', id: stage.subscriptionId },
        {
          service: 'test',
          stateName: isBlockBilling ? 'HELD' : 'CLEAR',
          isBlockBilling,
          requestedDate: date,
        },
      );
    await call('08-01', '08-02', '08-03', '08-04', '08-05');
    await stage.runTo('2026-09-01');
    await stage.engine.settle(block('2026-09-01', true));
    await call('09-01', '09-02', '09-04');
    await stage.runTo('2026-09-05');
    await acme.subscriptions.changeBillCycleDay(stage.subscriptionId, {
      billCycleDayLocal: 5,
      effectiveFromDate: '2026-09-05',
    });
    await stage.engine.settle(block('2026-09-05', false));
    await call('09-05', '09-06', '09-07', '10-01', '10-02');
    await stage.runTo('2026-10-01', '2026-10-05');
    expect(await stage.lines()).to.eql(['USAGE 2026-08-01..2026-09-01 5', 'USAGE 2026-09-05..2026-10-05 5']);
    expect(await stage.rolledUp('2026-09-01', '2026-09-05')).to.equal('calls 3');
  });

  it('counts a point just after local midnight in the new month, even after a clock change (usage E14 "Zones")', async () => {
    await begin('api-std', '2026-02-01T17:00:00Z', {
      account: { timeZone: 'America/New_York', referenceTime: instant(Date.UTC(2026, 1, 1, 17)) },
    });
    await stage.use('1 calls 2026-04-01T04:30:00Z');
    for (const date of ['03-01', '04-01', '05-01']) await stage.engine.runTo(`2026-${date}T17:00:00Z`);
    expect(await stage.lines()).to.eql([
      'USAGE 2026-02-01..2026-03-01 0',
      'USAGE 2026-03-01..2026-04-01 0',
      'USAGE 2026-04-01..2026-05-01 1',
    ]);
  });

  it('includes a point dated on the start day, but no point before the start instant (usage E15 "Date-only start day")', async () => {
    await begin('api-std', '2026-04-01T06:00:00Z');
    await stage.use('40 calls 2026-04-01', 'of the day');
    await stage.use('7 calls 2026-04-01T00:00:00Z', 'before');
    await stage.engine.runTo('2026-05-01T06:00:00Z');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 40']);
    expect((await stage.last()).trackingIds).to.eql(['of the day']);
    expect(await stage.rolledUp('2026-04-01', '2026-04-02')).to.equal('calls 47');
  });

  for (const [what, plan, from, bcd, until, ends] of [
    ['day 31', 'api-std', '2026-01-31', 31, '2026-04-30', ['01-31', '02-28', '03-31', '04-30']],
    ['a quarter', 'api-quarterly', '2026-01-20', 15, '2026-07-15', ['01-20', '04-15', '07-15']],
    ['a yearly plan', 'yearly-and-calls', '2026-04-10', 1, '2026-06-01', ['04-10', '05-01', '06-01']],
  ] as const)
    it(`bills usage on the cycle dates of ${what} (usage E17 "Cycle dates")`, async () => {
      await begin(plan, from, { bcd });
      await stage.run(until);
      const used = (await stage.invoices()).flatMap(itemLines).filter((line) => line.startsWith('USAGE'));
      expect(used).to.eql(ends.slice(1).map((end, index) => `USAGE 2026-${ends[index]}..2026-${end} 0`));
    });
});
