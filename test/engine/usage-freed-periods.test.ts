import { ErrorCode } from '../../lib/index.ts';
import { anyDatabase, expect, itemLines } from '../support/index.ts';
import { usageCatalogBySubscription } from '../support/usage/usage-catalog.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

anyDatabase('usage §7.1 rule 3: periods of which some time is not billed, however old', (open) => {
  let stage: UsageStage;

  for (const periods of ['0', '2']) {
    it(`usage §7.7 rule 4: are billed again where their invoice is void, with N = ${periods}`, async () => {
      const settings = { 'invoice.readMaxRawUsagePreviousPeriod': periods };
      stage = await UsageStage.begin(
        open,
        { planName: 'api-std', from: '2026-01-01' },
        { unpaid: true, settings },
      );
      for (const month of [1, 2, 3, 4, 5]) await stage.use(`${month}0 calls 2026-0${month}-10`, `m${month}`);
      await stage.runTo('2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01', '2026-06-01');
      const [january] = await stage.invoices();
      if (january === undefined) throw new Error('no invoice');
      await stage.engine.acme.invoices.void(january.id);
      // Late usage of a period that is billed and too old stays where it was.
      await stage.use('5 calls 2026-02-11', 'late');
      await stage.runTo('2026-06-02');
      expect(itemLines(await stage.run('2026-06-01'))).to.eql(['USAGE 2026-01-01..2026-02-01 10']);
      expect((await stage.last()).trackingIds).to.eql(['m1']);
      await stage.use('60 calls 2026-06-10');
      await stage.runTo('2026-07-01');
      expect(itemLines(await stage.last())).to.eql(['USAGE 2026-06-01..2026-07-01 60']);
    });
  }

  it('usage §2.2 rule 3: a void of what is billed longer ago than the look-back is given back once N is higher', async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-01-01' });
    await stage.use('10 calls 2026-01-10', 'old');
    await stage.runTo('2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'old');
    const nothing = await stage.run('2026-05-01').then(itemLines, ({ code }: { code: number }) => code);
    expect(nothing).to.equal(ErrorCode.INVOICE_NOTHING_TO_DO);
    const all = '{"org.service.invoice.readMaxRawUsagePreviousPeriod":"-1"}';
    await stage.engine.acme.keyValues.add('PER_TENANT_CONFIG', all);
    expect(itemLines(await stage.run('2026-05-01'))).to.include('REPAIR_ADJ 2026-01-01..2026-02-01 -10');
  });

  it('are billed with N = 0 where a bill cycle day in the past makes them begin before what is billed', async () => {
    stage = await UsageStage.begin(
      open,
      { planName: 'api-std', from: '2026-04-01' },
      { catalog: usageCatalogBySubscription, settings: { 'invoice.readMaxRawUsagePreviousPeriod': '0' } },
    );
    await stage.use('2 calls 2026-04-29');
    await stage.runTo('2026-05-01', '2026-05-03');
    await stage.engine.acme.subscriptions.changeBillCycleDay(stage.subscriptionId, {
      billCycleDayLocal: 28,
      effectiveFromDate: '2026-04-20',
      allowPastDate: true,
    });
    await stage.use('3 calls 2026-05-10');
    await stage.use('4 calls 2026-06-10');
    await stage.runTo('2026-05-28', '2026-06-28');
    expect(await stage.lines()).to.eql([
      'USAGE 2026-04-01..2026-05-01 2',
      'USAGE 2026-04-28..2026-05-28 3',
      'USAGE 2026-05-28..2026-06-28 4',
    ]);
  });
});
