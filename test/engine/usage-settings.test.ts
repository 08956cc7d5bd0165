import { eachDatabaseByTurns, expect, expectCode, itemLines } from '../support/index.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

const APRIL = '2026-04-01..2026-05-01';
const MAY = '2026-05-01..2026-06-01';

eachDatabaseByTurns.describe('tenant settings for usage (usage §8)', (open) => {
  let stage: UsageStage;

  const begin = async (planName: string, settings: Readonly<Record<string, string>>): Promise<void> => {
    stage = await UsageStage.begin(open, { planName, from: '2026-04-01' }, { settings });
  };

  for (const [lateMode, may] of [
    ['DELTA', [`USAGE ${APRIL} 7`, `USAGE ${MAY} 2`]],
    ['NEXT_PERIOD', [`USAGE ${MAY} 9`]],
    ['IGNORE', [`USAGE ${MAY} 2`]],
  ] as const)
    it(`define how late usage is billed (invoice.usage.lateMode ${lateMode})`, async () => {
      await begin('api-std', { 'invoice.usage.lateMode': lateMode });
      await stage.use('40 calls 2026-04-10');
      await stage.runTo('2026-05-01');
      await stage.use('7 calls 2026-04-11', 'late');
      await stage.use('2 calls 2026-05-11', 'in time');
      await stage.runTo('2026-06-01');
      const last = await stage.last();
      expect(itemLines(last)).to.eql(may);
      expect(last.trackingIds).to.eql(lateMode === 'IGNORE' ? ['in time'] : ['late', 'in time']);
      await expectCode(stage.run('2026-06-01'), 'INVOICE_NOTHING_TO_DO');
    });

  it('allow billing of timely usage in a period billed ahead, even with invoice.usage.lateMode IGNORE (usage §7.7 rule 6)', async () => {
    await begin('api-std', { 'invoice.usage.lateMode': 'IGNORE' });
    await stage.use('10 calls 2026-04-03');
    await stage.runTo('2026-04-05');
    expect(itemLines(await stage.run('2026-05-01'))).to.eql([`USAGE ${APRIL} 10`]);
    await stage.use('20 calls 2026-04-20');
    await stage.runTo('2026-05-01');
    expect(itemLines(await stage.last())).to.eql([`USAGE ${APRIL} 20`]);
    await stage.use('40 calls 2026-04-21', 'late');
    await stage.runTo('2026-06-01');
    expect(itemLines(await stage.last())).to.eql(['USAGE 2026-05-01..2026-06-01 0']);
    const found = await stage.engine.acme.usage.unbilled(stage.subscriptionId, {
      startDate: '2026-04-01',
      endDate: '2026-06-01',
    });
    expect(found.map(({ reason, amount }) => `${reason} ${amount}`)).to.eql(['LATE 40']);
  });

  for (const [periods, april] of [
    ['0', []],
    ['1', []],
    ['2', [`USAGE ${APRIL} 7`]],
    ['-1', [`USAGE ${APRIL} 7`]],
  ] as const)
    it(`define the look-back (invoice.readMaxRawUsagePreviousPeriod ${periods})`, async () => {
      await begin('api-std', { 'invoice.readMaxRawUsagePreviousPeriod': periods });
      await stage.runTo('2026-05-01', '2026-06-01');
      await stage.use('7 calls 2026-04-11');
      await stage.use('3 calls 2026-06-11');
      await stage.runTo('2026-07-01');
      expect(itemLines(await stage.last())).to.eql([...april, 'USAGE 2026-06-01..2026-07-01 3']);
    });

  it('move older usage to the next period with invoice.usage.beyondLookback NEXT_PERIOD (usage E7 "Look-back, N = 2")', async () => {
    await begin('sms-payg', { 'invoice.usage.beyondLookback': 'NEXT_PERIOD' });
    await stage.runTo('2026-05-01', '2026-06-01', '2026-07-01');
    await stage.use('100 sms 2026-04-30', 'a');
    await stage.use('199 sms 2026-05-01', 'b');
    await stage.use('50 sms 2026-07-01', 'c');
    await stage.use('300 sms 2026-07-16', 'd');
    await stage.runTo('2026-08-01');
    const last = await stage.last();
    expect(itemLines(last)).to.eql([`USAGE ${MAY} 5.9`, 'USAGE 2026-07-01..2026-08-01 14.75']);
    expect(last.trackingIds).to.eql(['a', 'b', 'c', 'd']);
    await expectCode(stage.run('2026-08-01'), 'INVOICE_NOTHING_TO_DO');
    await stage.runTo('2026-09-01');
    expect((await stage.lines()).at(-1)).to.equal('USAGE 2026-08-01..2026-09-01 0');
  });

  for (const [negativeDelta, may] of [
    ['CREDIT', [`REPAIR_ADJ ${APRIL} -40`, `USAGE ${MAY} 0`, 'CBA_ADJ 2026-06-01..2026-06-01 40']],
    ['IGNORE', [`USAGE ${MAY} 0`]],
    ['FAIL', []],
  ] as const)
    it(`define how reduced usage is handled (invoice.usage.negativeDelta ${negativeDelta})`, async () => {
      await begin('api-std', { 'invoice.usage.negativeDelta': negativeDelta });
      await stage.use('40 calls 2026-04-10', 'wrong');
      await stage.runTo('2026-05-01');
      await stage.engine.acme.usage.void(stage.subscriptionId, 'wrong');
      await stage.runTo('2026-06-01');
      const [, june] = await stage.invoices();
      expect(june === undefined ? [] : itemLines(june)).to.eql(may);
      const tags = await stage.engine.acme.tags.ofObject({ type: 'ACCOUNT', id: stage.accountId });
      expect(tags.some((tag) => tag.tagDefinitionName === '__PARK__')).to.equal(negativeDelta === 'FAIL');
      // The dry run shows the expected invoice and never fails (usage §7.7 rule 3).
      const ahead = await stage.dryRun('2026-07-01');
      expect(ahead && itemLines(ahead).at(-1)).to.equal('USAGE 2026-06-01..2026-07-01 0');
    });

  it('limit the number of ids that an invoice shows (invoice.trackingIds.maxReturned)', async () => {
    await begin('api-std', { 'invoice.trackingIds.maxReturned': '2' });
    for (const id of ['a', 'b', 'c']) await stage.use('1 calls 2026-04-10', id);
    await stage.runTo('2026-05-01');
    expect((await stage.last()).trackingIds).to.eql(['a', 'b']);
  });
});
