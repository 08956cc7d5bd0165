import { SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, itemLines } from '../support/index.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

eachDatabaseByTurns('usage and the runs of its account', (open) => {
  let stage: UsageStage;

  const account = () => ({ type: 'ACCOUNT', id: stage.accountId }) as const;

  it('usage §7.9 rule 6: what AUTO_INVOICING_OFF has kept back is billed period by period, however old', async () => {
    stage = await UsageStage.begin(
      open,
      { planName: 'api-std', from: '2026-01-01' },
      { settings: { 'invoice.readMaxRawUsagePreviousPeriod': '0' } },
    );
    await stage.engine.acme.tags.add(account(), [SystemTag.AUTO_INVOICING_OFF]);
    for (const month of ['01', '02', '03', '04']) await stage.use(`1 calls 2026-${month}-15`);
    await stage.runTo('2026-02-01', '2026-05-02');
    expect(await stage.lines()).to.eql([]);
    await stage.engine.settle(stage.engine.acme.tags.remove(account(), [SystemTag.AUTO_INVOICING_OFF]));
    expect(await stage.lines()).to.eql([
      [
        'USAGE 2026-01-01..2026-02-01 1',
        'USAGE 2026-02-01..2026-03-01 1',
        'USAGE 2026-03-01..2026-04-01 1',
        'USAGE 2026-04-01..2026-05-01 1',
      ].join(', '),
    ]);
    expect((await stage.last()).trackingIds).to.have.length(4);
  });

  it('usage §7.6: a reused draft tells the tracking ids of all its runs, and so does a dry run', async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-01' });
    const { AUTO_INVOICING_DRAFT, AUTO_INVOICING_REUSE_DRAFT } = SystemTag;
    await stage.engine.acme.tags.add(account(), [AUTO_INVOICING_DRAFT, AUTO_INVOICING_REUSE_DRAFT]);
    await stage.use('1 calls 2026-04-15', 'a');
    await stage.use('2 calls 2026-05-15', 'b');
    await stage.runTo('2026-05-01');
    expect(await stage.chargedThrough()).to.equal(null);
    const ahead = await stage.dryRun('2026-06-01');
    await stage.runTo('2026-06-01');
    const draft = await stage.last();
    const lines = ['USAGE 2026-04-01..2026-05-01 1', 'USAGE 2026-05-01..2026-06-01 2'];
    for (const invoice of [ahead, draft]) {
      expect(invoice && itemLines(invoice)).to.eql(lines);
      expect(invoice?.trackingIds).to.eql(['a', 'b']);
    }
    await stage.engine.acme.invoices.commit(draft.id);
    expect(await stage.chargedThrough()).to.equal('2026-06-01');
  });

  it('usage §6.2 rule 4: a plan of usage alone gives its account the bill cycle day', async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-10' }, { bcd: 0 });
    await stage.use('3 calls 2026-04-12');
    await stage.runTo('2026-05-01', '2026-05-10');
    expect((await stage.engine.acme.getAccount(stage.accountId)).billCycleDayLocal).to.equal(10);
    expect(await stage.lines()).to.eql(['USAGE 2026-04-10..2026-05-10 3']);
  });

  it('usage §7.10: a dry run of a cancellation shows what is used up to it', async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-01' });
    await stage.use('3 calls 2026-04-12');
    await stage.use('4 calls 2026-04-21');
    const { accountId, subscriptionId } = stage;
    const { bundleId } = await stage.engine.acme.getSubscription(subscriptionId);
    const found = await stage.engine.acme.invoices.dryRun({
      accountId,
      dryRunType: 'SUBSCRIPTION_ACTION',
      dryRunAction: 'STOP_BILLING',
      subscriptionId,
      bundleId,
      effectiveDate: '2026-04-20',
    });
    expect(found && itemLines(found)).to.eql(['USAGE 2026-04-01..2026-04-20 3']);
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 7']);
  });
});
