import { eachDatabaseByTurns, expect, expectCode, itemLines } from '../support/index.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

eachDatabaseByTurns('usage of accounts that are closed', (open) => {
  let stage: UsageStage;
  beforeEach(async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-01' }, { unpaid: true });
    await stage.use('40 calls 2026-04-10', 't1');
    await stage.runTo('2026-05-01');
  });

  const close = (options: Parameters<typeof stage.engine.acme.accounts.close>[1]) =>
    stage.engine.acme.accounts.close(stage.accountId, options);

  it('accounts §9: what was written off is not billed anew, and nothing that is used afterwards makes an invoice', async () => {
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

  it('accounts §9: what was used of the running period is told as unbilled until an explicit run bills it', async () => {
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

  it('accounts §16: the export has the days of usage and what is billed of them', async () => {
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
