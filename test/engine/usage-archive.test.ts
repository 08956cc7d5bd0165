import { eachDatabaseByTurns, expect, expectCode } from '../support/index.ts';
import { ArchivedUsageLife } from '../support/usage/archived-usage-life.ts';

eachDatabaseByTurns.describe('usage archiving', (open) => {
  async function begun(configuration: Readonly<Record<string, string>> = {}): Promise<ArchivedUsageLife> {
    const life = await ArchivedUsageLife.begin(open, configuration);
    await life.liveToJune();
    return life;
  }

  it('removes points of billed months before the look-back, without changing an invoice (usage §11.4)', async () => {
    const life = await begun();
    const before = { invoices: await life.invoiceLines(), year: await life.used('2026-01-01', '2027-01-01') };
    const { archive } = life.engine.acme.usage;
    await expectCode(archive({ before: '2026-04-02' }), 'INVALID_PARAMETER');
    // Three units have four points a month each, and five more. The look-back starts on April 1. The look-back of the
    // plan that ended on February 10 keeps the calls.
    const done = await archive({ before: '2026-08-01' });
    expect(done).to.deep.include({ points: 3 * 12 + 5, busyAccounts: 0, forgottenKeys: 0 });
    expect(await archive({ before: '2026-08-01' })).to.deep.include({ points: 0, days: 0 });
    expect(await life.invoiceLines()).to.eql(before.invoices);
    expect(await life.used('2026-01-01', '2027-01-01')).to.eql(before.year);
    await life.run('2026-06-01');
    expect(await life.invoiceLines()).to.eql(before.invoices);
  });

  it('allows only sums of whole days for archived days (usage §11.4)', async () => {
    const life = await begun();
    const ranges = [
      ['2026-01-10', '2026-03-08'],
      ['2026-03-08', '2026-03-09'],
      ['2026-03-10', '2026-05-10T14:00:00Z'],
      ['2026-02-11T13:00:00Z', '2026-06-01'],
    ] as const;
    const all = () => Promise.all(ranges.map((range) => life.used(range[0], range[1])));
    const before = await all();
    await life.engine.acme.usage.archive({ before: '2026-08-01' });
    // No point was recorded for February 11.
    expect(await all()).to.eql(before);
    for (const range of [
      ['2026-01-01', '2026-01-10T14:00:00Z'],
      ['2026-03-10T00:00:00Z', '2026-06-01'],
    ] as const)
      await expectCode(life.used(range[0], range[1]), 'INVALID_PARAMETER', range.join());
    expect(await life.used('2026-01-10T14:00:00Z', '2026-01-10T14:00:00Z')).to.eql([]);
    const timeline = (granularity: 'HOUR' | 'DAY') =>
      life.engine.acme.usage.timeline(life.subscriptionOf['sms-payg'], {
        startDate: '2026-03-01',
        endDate: '2026-04-01',
        granularity,
      });
    expect(await timeline('DAY')).to.have.length(3);
    await expectCode(timeline('HOUR'), 'INVALID_PARAMETER');
  });

  it('prevents the voiding of archived points, but not of later points (usage §11.4)', async () => {
    const life = await begun();
    const { usage } = life.engine.acme;
    const sms = life.subscriptionOf['sms-payg'];
    await usage.archive({ before: '2026-08-01' });
    await expectCode(usage.void(sms, '03/10/sms'), 'USAGE_RECORD_ARCHIVED');
    await usage.void(sms, '02/03/sms');
    await usage.void(sms, '04/03/sms');
    const before = await life.used('2026-03-01', '2026-04-01');
    await life.use('sms-payg', '1000 sms 2026-03-10 late');
    expect(await life.used('2026-03-01', '2026-04-01')).not.to.eql(before);
    await usage.void(sms, 'late');
    expect(await life.used('2026-03-01', '2026-04-01')).to.eql(before);
  });

  it('does not affect billing after late usage, with a wider look-back or after an invoice is voided (usage §11.4)', async () => {
    const [archiving, keeping] = [await begun(), await begun()];
    const both = async (work: (life: ArchivedUsageLife) => Promise<unknown>): Promise<readonly string[]> => {
      await work(archiving);
      await work(keeping);
      const invoiceLines = await archiving.invoiceLines();
      expect(invoiceLines).to.eql(await keeping.invoiceLines());
      return invoiceLines;
    };
    const archived: number[] = [];
    const archive = async () =>
      archived.push((await archiving.engine.acme.usage.archive({ before: '2026-08-01' })).points);
    await archive();
    const late = async (life: ArchivedUsageLife, mark: string): Promise<void> => {
      await life.use('sms-payg', `900 sms 2026-02-03 ${mark}`);
      await life.use('sms-payg', `300 sms 2026-02-12T14:00:00Z ${mark}2`);
      await life.use('sms-payg', `500 sms 2026-02-14 ${mark}3`);
      await life.use('api-std', `31 calls 2026-02-10T14:59:59Z ${mark}`);
      await life.use('api-std', `37 calls 2026-02-10T15:00:00Z ${mark}2`);
      await life.use('team-cap', `60 members 2026-03-05 ${mark}`);
      await life.run('2026-06-01');
    };
    const before = await both(async () => undefined);
    // All before the look-back, except usage of the plan that ended.
    expect((await both((life) => late(life, 'l'))).slice(0, -1)).to.eql(before);
    await archive();
    const wider = await both(async (life) => {
      await life.setLookBack(-1);
      await life.run('2026-06-01');
    });
    expect(wider.length).to.be.greaterThan(before.length);
    await both((life) => late(life, 'm'));
    await both(async (life) => {
      await life.voidInvoices('02');
      await life.voidInvoices('05');
      await life.run('2026-06-01');
    });
    await both(async (life) => {
      await life.setLookBack(2);
      await life.engine.runTo('2026-07-01T06:00:00Z');
    });
    await archive();
    await both(async (life) => {
      await life.setLookBack(-1);
      await late(life, 'n');
      await life.run('2026-07-01');
    });
    expect(archived[0]).to.equal(41);
    expect(archived[1]).to.equal(4);
    expect(archived[2]).to.be.greaterThan(4);
  });

  it('deletes old tracking ids of archived points after usage.keyRetentionDays, except ids on invoices', async () => {
    const life = await begun({ 'org.service.usage.keyRetentionDays': '110' });
    const before = await life.invoiceLines();
    const text = '10 sms 2026-01-03 01/03/sms';
    await expectCode(life.use('sms-payg', text), 'USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS');
    // All points were recorded on January 1. Those of April and May still exist.
    const { forgottenKeys, points } = await life.engine.acme.usage.archive({ before: '2026-08-01' });
    expect(forgottenKeys).to.equal(points);
    expect(await life.invoiceLines()).to.eql(before);
    await life.use('sms-payg', text);
    await expectCode(
      life.use('sms-payg', '10 sms 2026-04-03 04/03/sms'),
      'USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS',
    );
  });
});
