import { ErrorCode, SystemTag } from '../../lib/index.ts';
import { anyDatabase, eachDatabaseByTurns } from '../support/databases.ts';
import { expect, expectCode, itemLines, openEngine, type TestEngine } from '../support/index.ts';
import { usageCatalog, usageCatalogBySubscription } from '../support/usage/usage-catalog.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';
import { shelfDocuments } from '../support/usage-oracle/metered-shelf.ts';

eachDatabaseByTurns.describe('runs that bill usage', (open) => {
  let stage: UsageStage;

  const account = () => ({ type: 'ACCOUNT', id: stage.accountId }) as const;

  it('bill one period at a time after AUTO_INVOICING_OFF has held back usage (usage §7.9 rule 6)', async () => {
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

  it('show the tracking ids of all runs on a reused draft, even in a dry run (usage §7.6)', async () => {
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

  it('set the bill cycle day of an account that has only a usage-based plan (usage §6.2 rule 4)', async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-10' }, { bcd: 0 });
    await stage.use('3 calls 2026-04-12');
    await stage.runTo('2026-05-01', '2026-05-10');
    expect((await stage.engine.acme.getAccount(stage.accountId)).billCycleDayLocal).to.equal(10);
    expect(await stage.lines()).to.eql(['USAGE 2026-04-10..2026-05-10 3']);
  });

  it('bill usage up to the cancellation in a cancellation dry run (usage §7.10)', async () => {
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

anyDatabase.describe('dry runs of usage if items of amount 0 are dropped', (open) => {
  let engine: TestEngine;

  const configuration = {
    'org.service.invoice.disable.usage.zero.amount': true,
    'org.service.invoice.usage.beyondLookback': 'NEXT_PERIOD',
  };

  it('quickly determine that there is no next invoice if many subscriptions have only old usage (usage §7.10)', async () => {
    engine = await openEngine(open, { now: '2026-01-01T00:00:00Z', catalog: usageCatalog, configuration });
    const { acme } = engine;
    const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    await acme.createSubscription({ accountId, planName: 'api-std' });
    engine.clock.set('2026-01-15T00:00:00Z');
    const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'sms-payg' });
    await engine.runTo('2026-02-01T00:00:00Z');
    await engine.runTo('2026-03-01T00:00:00Z');
    const request = { accountId, dryRunType: 'UPCOMING_INVOICE' } as const;
    expect(await acme.invoices.dryRun(request)).to.equal(null);
    for (const date of ['2026-04-01', '2026-05-01', '2026-06-01']) await engine.runTo(`${date}T00:00:00Z`);
    await acme.recordUsage({
      subscriptionId,
      trackingId: 'late',
      unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate: '2026-01-20', amount: '100' }] }],
    });
    const upcoming = await acme.invoices.dryRun(request);
    expect(upcoming?.targetDate && upcoming.targetDate).to.equal('2026-07-01');
    expect(upcoming?.trackingIds).to.eql(['late']);
  });

  it('exclude usage that an earlier run has billed, even if the next run covers a shorter time (usage §7.10)', async () => {
    engine = await openEngine(open, { now: '2024-01-29T15:20:11Z', catalog: null, configuration });
    const { acme } = engine;
    for (const document of shelfDocuments) await acme.uploadCatalog(document);
    const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 9 });
    const begun = '2024-01-09';
    const { subscriptionId } = await acme.createSubscription(
      { accountId, planName: 'trial-plan' },
      { entitlementDate: begun, billingDate: begun },
    );
    await engine.settle(acme.createSubscription({ accountId, planName: 'top-plan' }));
    await engine.runTo('2024-03-01T20:34:10Z');
    await acme.subscriptions.changeBillCycleDay(subscriptionId, {
      billCycleDayLocal: 11,
      effectiveFromDate: '2024-03-11',
    });
    await engine.settle();
    const ahead = acme.invoices.generate({ accountId, targetDate: '2024-03-11' });
    await expectCode(ahead, 'INVOICE_NOTHING_TO_DO');
    expect(await acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' })).to.equal(null);
  });
});

eachDatabaseByTurns.describe('runs after an account with usage is closed', (open) => {
  let stage: UsageStage;
  beforeEach(async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-01' }, { unpaid: true });
    await stage.use('40 calls 2026-04-10', 't1');
    await stage.runTo('2026-05-01');
  });

  const close = (options: Parameters<typeof stage.engine.acme.accounts.close>[1]) =>
    stage.engine.acme.accounts.close(stage.accountId, options);

  it('do not bill adjusted usage again, and create no invoice for later usage (accounts §9)', async () => {
    await close({ cancelAllSubscriptions: true, itemAdjustUnpaidInvoices: true });
    const [invoice] = await stage.invoices();
    expect(invoice && itemLines(invoice)).to.eql([
      'USAGE 2026-04-01..2026-05-01 40',
      'ITEM_ADJ 2026-05-01..2026-05-01 -40',
    ]);
    await stage.runTo('2026-05-02', '2026-06-01');
    await expectCode(stage.use('1 calls 2026-06-01'), 'USAGE_RECORD_AFTER_SUBSCRIPTION_END');
    expect(await stage.lines()).to.have.lengthOf(1);
    expect(await Array.fromAsync(stage.engine.billing.checks.breaches())).to.eql([]);
  });

  it('leave usage of the current period unbilled until an explicit run bills it (accounts §9)', async () => {
    await stage.use('7 calls 2026-05-05', 't2');
    await stage.runTo('2026-05-10');
    await close({ cancelAllSubscriptions: true });
    await stage.runTo('2026-06-01', '2026-06-02');
    expect(await stage.lines()).to.have.lengthOf(1);
    const dates = { startDate: '2026-05-01', endDate: '2026-06-01' };
    const unbilled = await stage.engine.acme.usage.unbilled(stage.subscriptionId, dates);
    expect(unbilled.map(({ amount }) => amount.toFixed())).to.eql(['7']);
    expect(itemLines(await stage.run('2026-06-02'))).to.eql(['USAGE 2026-05-01..2026-05-10 7']);
  });

  it('keep usage days and billed usage in the account export (accounts §16)', async () => {
    const text = (await Array.fromAsync(await stage.engine.acme.accounts.export(stage.accountId))).join('');
    for (const [table, row] of [
      ['usage_days', /\|40\|/],
      ['usage_intervals', /\|std-usage\|/],
    ] as const) {
      const [, section = ''] = text.split(`-- ${table} `);
      const [own = ''] = section.split('\n-- ');
      expect(own, table).to.match(row);
    }
  });
});

anyDatabase.describe('runs over partly billed usage periods of any age (usage §7.1 rule 3)', (open) => {
  let stage: UsageStage;

  for (const periods of ['0', '2'])
    it(`bill the period again after a void of its invoice, with a look-back of ${periods} (usage §7.7 rule 4)`, async () => {
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
      // Late usage of a billed period before the look-back stays unbilled.
      await stage.use('5 calls 2026-02-11', 'late');
      await stage.runTo('2026-06-02');
      expect(itemLines(await stage.run('2026-06-01'))).to.eql(['USAGE 2026-01-01..2026-02-01 10']);
      expect((await stage.last()).trackingIds).to.eql(['m1']);
      await stage.use('60 calls 2026-06-10');
      await stage.runTo('2026-07-01');
      expect(itemLines(await stage.last())).to.eql(['USAGE 2026-06-01..2026-07-01 60']);
    });

  it('credit voided usage that is older than the look-back after the tenant extends the look-back (usage §2.2 rule 3)', async () => {
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

  it('bill partly billed periods without a look-back if a backdated bill cycle day makes periods overlap', async () => {
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
