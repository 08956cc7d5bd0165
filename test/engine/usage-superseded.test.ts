import { decimal, formatDecimal, SystemTag } from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { eachDatabaseByTurns, expect, itemLines } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { laterPowerCatalog } from '../support/usage/usage-catalog.ts';
import { UsageStage, type UsageStageOptions } from '../support/usage/usage-stage.ts';

eachDatabaseByTurns.describe('backdated change of billed usage (usage §7.3 rule 7)', (open) => {
  let stage: UsageStage;

  async function begin(planName: string, options: UsageStageOptions = {}): Promise<void> {
    stage = await UsageStage.begin(open, { planName, from: '2026-04-01' }, options);
  }

  /** Records 10 calls before and 7 after April 15, billed on May 1. */
  async function billApril(planName = 'api-std', options: UsageStageOptions = {}): Promise<void> {
    await begin(planName, options);
    await stage.use('10 calls 2026-04-05', 'before');
    await stage.use('7 calls 2026-04-20', 'after');
    await stage.runTo('2026-05-01', '2026-05-02');
  }

  async function changeTo(planName: string, date: string): Promise<void> {
    await stage.engine.acme.subscriptions.changePlan(stage.subscriptionId, { planName, requestedDate: date });
    await stage.engine.settle();
  }

  const usageLines = (invoice: InvoiceView): readonly string[] =>
    itemLines(invoice).filter((line) => !line.startsWith('CBA_ADJ'));

  /** Returns the usage lines of the last invoice, and expects each amount to be explained. */
  async function lastLines(): Promise<readonly string[]> {
    const invoice = await stage.last();
    for (const { id, itemType } of invoice.items)
      if (itemType !== 'CBA_ADJ') expectExplained(await stage.engine.acme.invoices.explain(id));
    return usageLines(invoice);
  }

  const expectLast = async (...lines: readonly string[]) => expect(await lastLines()).to.eql(lines);

  async function total(): Promise<string> {
    const items = (await stage.invoices())
      .filter(({ status }) => status !== 'VOID')
      .flatMap((invoice) => invoice.items)
      .filter(({ itemType }) => itemType === 'USAGE' || itemType === 'REPAIR_ADJ');
    return formatDecimal(items.reduce((all, { amount }) => all.plus(amount), decimal(0)));
  }

  async function expectNothingLeft(targetDate: string): Promise<void> {
    const next = await stage.dryRun(targetDate);
    expect(next === null ? [] : usageLines(next)).to.eql([]);
  }

  it('credits the days since the change, and bills these days by the new plan', async () => {
    await billApril();
    await changeTo('api-plus', '2026-04-15');
    await expectLast('REPAIR_ADJ 2026-04-15..2026-05-01 -7', 'USAGE 2026-04-15..2026-05-01 14');
    const { items, trackingIds } = await stage.last();
    const [first] = await stage.invoices();
    expect(items[0]?.linkedItemId).to.equal(first?.items[0]?.id);
    expect(trackingIds).to.eql(['before', 'after']);
    const { text } = await stage.engine.acme.invoices.explain(items[0]?.id ?? '');
    expect(text)
      .to.contain('Credit for usage std-usage')
      .and.to.contain('17.00 USD of it was billed before.')
      .and.to.contain('credited for 2026-04-15 to 2026-05-01');
    expect(await total()).to.equal('24');
    await expectNothingLeft('2026-05-02');
    await stage.use('3 calls 2026-05-10');
    await stage.runTo('2026-06-01');
    await expectLast('USAGE 2026-05-01..2026-06-01 6');
  });

  it('bills late and voided usage of each part by the plan of that part', async () => {
    await billApril();
    await changeTo('api-plus', '2026-04-15');
    await stage.use('2 calls 2026-04-06');
    await stage.use('2 calls 2026-04-21');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'after');
    await stage.runTo('2026-06-01');
    await expectLast(
      'USAGE 2026-04-01..2026-04-15 2',
      'REPAIR_ADJ 2026-04-15..2026-05-01 -10',
      'USAGE 2026-05-01..2026-06-01 0',
    );
    await expectNothingLeft('2026-06-01');
  });

  it('credits all usage of the former plan if the change starts on the first day of that plan', async () => {
    await billApril();
    await changeTo('api-plus', '2026-04-01');
    await expectLast('USAGE 2026-04-01..2026-05-01 34', 'REPAIR_ADJ 2026-04-01..2026-05-01 -17');
    const repair = (await stage.last()).items.find(({ itemType }) => itemType === 'REPAIR_ADJ');
    const { text } = await stage.engine.acme.invoices.explain(repair?.id ?? '');
    expect(text).to.contain('no longer due after');
    await expectNothingLeft('2026-05-02');
  });

  it('charges nothing for days on which the new plan has no section for the unit', async () => {
    await billApril();
    await changeTo('club', '2026-04-15');
    const lines = (await lastLines()).filter((line) => !line.startsWith('RECURRING'));
    expect(lines).to.eql(['REPAIR_ADJ 2026-04-15..2026-05-01 -7', 'USAGE 2026-04-15..2026-05-01 0']);
    const unbilled = await stage.engine.acme.usage.unbilled(stage.subscriptionId, {
      startDate: '2026-04-01',
      endDate: '2026-05-01',
    });
    expect(unbilled.map((one) => `${one.startDate} ${one.reason}`)).to.eql(['2026-04-20 UNKNOWN_UNIT']);
  });

  it('charges the first plan again if the change is undone', async () => {
    await billApril();
    await changeTo('api-plus', '2026-04-15');
    await changeTo('api-std', '2026-04-15');
    await expectLast('USAGE 2026-04-01..2026-05-01 7', 'REPAIR_ADJ 2026-04-15..2026-05-01 -14');
    expect(await total()).to.equal('17');
    await expectNothingLeft('2026-05-02');
    await changeTo('api-plus', '2026-04-10');
    expect(await total()).to.equal('24');
    await expectNothingLeft('2026-05-02');
  });

  it('is not limited by the look-back', async () => {
    await billApril('api-std', { settings: { 'invoice.readMaxRawUsagePreviousPeriod': '0' } });
    await stage.runTo('2026-06-01', '2026-07-01', '2026-08-01', '2026-08-02');
    await changeTo('api-plus', '2026-04-15');
    const lines = await lastLines();
    expect(lines.filter((line) => !line.endsWith(' 0'))).to.eql([
      'REPAIR_ADJ 2026-04-15..2026-05-01 -7',
      'USAGE 2026-04-15..2026-05-01 14',
    ]);
    await expectNothingLeft('2026-08-02');
    await stage.runTo('2026-09-01');
    await expectLast('USAGE 2026-08-01..2026-09-01 0');
  });

  for (const negativeDelta of ['IGNORE', 'FAIL'])
    it(`credits usage even with invoice.usage.negativeDelta ${negativeDelta}, because this setting applies only to reduced usage`, async () => {
      await billApril('api-std', { settings: { 'invoice.usage.negativeDelta': negativeDelta } });
      await changeTo('api-plus', '2026-04-15');
      expect(await total()).to.equal('24');
      await expectNothingLeft('2026-05-02');
    });

  for (const mode of ['AGGREGATE', 'DETAIL'])
    it(`rates the shorter period again, including its tiers, in ${mode} mode`, async () => {
      await begin('duo', { settings: { 'invoice.item.result.behavior.mode': mode } });
      await stage.use('8 FOO 2026-04-05');
      await stage.use('12 FOO 2026-04-20');
      await stage.runTo('2026-05-01', '2026-05-02');
      expect(await total()).to.equal('110');
      await changeTo('api-std', '2026-04-15');
      expect(await total()).to.equal('8');
      await lastLines();
      await expectNothingLeft('2026-05-02');
    });

  it('charges more for the shorter period if a lower quantity costs more', async () => {
    await begin('packs-top');
    await stage.use('995 packs 2026-04-10');
    await stage.use('20 packs 2026-04-20');
    await stage.runTo('2026-05-01', '2026-05-02');
    expect(await total()).to.equal('1020');
    await changeTo('api-std', '2026-04-15');
    await expectLast(
      'USAGE 2026-04-01..2026-04-15 10000',
      'USAGE 2026-04-15..2026-05-01 0',
      'REPAIR_ADJ 2026-04-01..2026-05-01 -1020',
    );
    await expectNothingLeft('2026-05-02');
  });

  it('bills usage only once if the periods of the two plans have different lengths', async () => {
    await billApril();
    await changeTo('api-quarterly', '2026-04-15');
    await expectLast('REPAIR_ADJ 2026-04-15..2026-05-01 -7');
    await stage.runTo('2026-07-01');
    expect(await total()).to.equal('17');
  });

  it('is reversed if its invoice is voided, and is then billed again', async () => {
    await billApril('api-std', { unpaid: true });
    await changeTo('api-plus', '2026-04-15');
    const { invoices } = stage.engine.acme;
    const [first] = await stage.invoices();
    await expectRefused(invoices.void(first?.id ?? ''));
    await invoices.void((await stage.last()).id);
    expect(await total()).to.equal('17');
    expect(usageLines(await stage.run('2026-05-02'))).to.eql([
      'REPAIR_ADJ 2026-04-15..2026-05-01 -7',
      'USAGE 2026-04-15..2026-05-01 14',
    ]);
  });

  it('credits at most the remaining amount of an adjusted item', async () => {
    await billApril();
    const [first] = await stage.invoices();
    const [item] = first?.items ?? [];
    if (first === undefined || item === undefined) throw new Error('no item');
    await stage.engine.acme.invoices.adjustItem({
      accountId: stage.accountId,
      invoiceId: first.id,
      invoiceItemId: item.id,
      amount: '17',
    });
    await changeTo('api-plus', '2026-04-15');
    await expectLast('REPAIR_ADJ 2026-04-15..2026-05-01 0', 'USAGE 2026-04-15..2026-05-01 14');
    await expectNothingLeft('2026-05-02');
  });

  it('can result from a price change that is uploaded for billed days', async () => {
    await begin('power');
    await stage.use('100 kwh 2026-05-02');
    await stage.use('100 kwh 2026-05-10');
    await stage.runTo('2026-05-01', '2026-06-01', '2026-06-02');
    expect(await total()).to.equal('300');
    await stage.engine.settle(stage.engine.acme.uploadCatalog(laterPowerCatalog));
    await expectLast('REPAIR_ADJ 2026-05-08..2026-06-01 -150', 'USAGE 2026-05-08..2026-06-01 250');
  });

  it('is previewed by a dry run', async () => {
    await billApril();
    const { bundleId } = await stage.engine.acme.getSubscription(stage.subscriptionId);
    const foreseen = await stage.engine.acme.invoices.dryRun({
      accountId: stage.accountId,
      targetDate: '2026-05-02',
      dryRunType: 'SUBSCRIPTION_ACTION',
      dryRunAction: 'CHANGE',
      subscriptionId: stage.subscriptionId,
      bundleId,
      planName: 'api-plus',
      effectiveDate: '2026-04-15',
    });
    await changeTo('api-plus', '2026-04-15');
    expect(foreseen && usageLines(foreseen)).to.eql(await lastLines());
  });

  it('causes the affected usage to be reported as not yet due until a run bills it', async () => {
    await billApril();
    const { acme } = stage.engine;
    await acme.tags.add({ type: 'ACCOUNT', id: stage.accountId }, [SystemTag.AUTO_INVOICING_OFF]);
    await changeTo('api-plus', '2026-04-15');
    const dates = { startDate: '2026-04-01', endDate: '2026-05-01' };
    const unbilled = async () =>
      (await acme.usage.unbilled(stage.subscriptionId, dates)).map(
        ({ startDate, reason, usageName }) => `${startDate} ${reason} ${usageName}`,
      );
    expect(await unbilled()).to.eql([
      '2026-04-05 NOT_YET_DUE std-usage',
      '2026-04-20 NOT_YET_DUE plus-usage',
    ]);
    await stage.run('2026-05-02');
    expect(await unbilled()).to.eql([]);
  });

  it('does not credit the charges if it is only a cancellation, a pause or a quantity change', async () => {
    await billApril();
    const { acme } = stage.engine;
    await acme.subscriptions.changeQuantity(stage.subscriptionId, {
      quantity: 3,
      effectiveFromDate: '2026-04-10',
      allowPastDate: true,
    });
    await stage.engine.settle();
    await stage.engine.cancelAt(stage.subscriptionId, '2026-04-15');
    await stage.engine.settle();
    expect(await total()).to.equal('17');
    await expectNothingLeft('2026-05-02');
  });
});

async function expectRefused(call: Promise<unknown>): Promise<void> {
  const outcome = await call.then(
    () => 'done',
    () => 'refused',
  );
  expect(outcome).to.equal('refused');
}
