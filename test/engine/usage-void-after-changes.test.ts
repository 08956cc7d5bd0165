import { ErrorCode } from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { eachDatabaseByTurns, expect, itemLines } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { usageCatalogBySubscription } from '../support/usage/usage-catalog.ts';
import { UsageStage, type UsageStageOptions } from '../support/usage/usage-stage.ts';

eachDatabaseByTurns.describe('usage voided after later changes (usage §2.2 rule 3)', (open) => {
  let stage: UsageStage;

  async function begin(options: UsageStageOptions = {}, from = '2026-04-01'): Promise<void> {
    stage = await UsageStage.begin(open, { planName: 'api-std', from }, options);
  }

  async function voidUsage(trackingId: string): Promise<void> {
    await stage.engine.acme.usage.void(stage.subscriptionId, trackingId);
  }

  /** Returns the lines of the next run; empty if it makes no invoice. */
  async function run(targetDate: string): Promise<readonly string[]> {
    const made = await stage.run(targetDate).catch((error: { readonly code: number }) => {
      if (error.code !== ErrorCode.INVOICE_NOTHING_TO_DO) throw error;
      return null;
    });
    for (const { id, itemType } of made?.items ?? [])
      if (itemType !== 'CBA_ADJ') expectExplained(await stage.engine.acme.invoices.explain(id));
    return made === null ? [] : usageLines(made);
  }

  function usageLines(invoice: InvoiceView): readonly string[] {
    return itemLines(invoice).filter((line) => !line.startsWith('CBA_ADJ'));
  }

  async function pause(from: string, to: string): Promise<void> {
    const { bundleId } = await stage.engine.acme.getSubscription(stage.subscriptionId);
    for (const [stateName, date] of [
      ['held', from],
      ['free', to],
    ] as const) {
      await stage.engine.acme.blocking.add(
        { type: 'SUBSCRIPTION_BUNDLE', id: bundleId },
        { service: 'fraud', stateName, isBlockBilling: stateName === 'held', requestedDate: date },
      );
    }
    await stage.engine.settle();
  }

  it('is credited once if a backdated pause cuts the billed period, while the rest remains charged', async () => {
    await begin();
    await stage.use('10 calls 2026-04-05', 'a');
    await stage.use('6 calls 2026-04-12', 'in the pause');
    await stage.use('4 calls 2026-04-28', 'b');
    await stage.runTo('2026-05-01', '2026-05-02');
    await pause('2026-04-10', '2026-04-25');
    expect(await run('2026-05-02')).to.eql([]);
    await voidUsage('a');
    expect(await run('2026-05-02')).to.eql(['REPAIR_ADJ 2026-04-01..2026-05-01 -10']);
    expect(await run('2026-05-02')).to.eql([]);
    await voidUsage('in the pause');
    await stage.use('3 calls 2026-05-10');
    await stage.runTo('2026-06-01');
    expect(usageLines(await stage.last())).to.eql([
      'USAGE 2026-05-01..2026-06-01 3',
      'REPAIR_ADJ 2026-04-01..2026-05-01 -6',
    ]);
    expect(await run('2026-06-01')).to.eql([]);
  });

  it('is credited after a backdated cancellation', async () => {
    await begin();
    await stage.use('10 calls 2026-04-05', 'a');
    await stage.use('5 calls 2026-04-20', 'b');
    await stage.runTo('2026-05-01', '2026-05-02');
    await stage.engine.cancelAt(stage.subscriptionId, '2026-04-15');
    await voidUsage('a');
    await voidUsage('b');
    expect(await run('2026-05-02')).to.eql(['REPAIR_ADJ 2026-04-01..2026-05-01 -15']);
  });

  it('is credited if a backdated bill cycle day makes periods overlap, while the rest is charged once', async () => {
    await begin({ catalog: usageCatalogBySubscription });
    await stage.use('2 calls 2026-04-10', 'a');
    await stage.use('60 calls 2026-04-29', 'b');
    await stage.runTo('2026-05-01', '2026-05-03');
    await stage.engine.acme.subscriptions.changeBillCycleDay(stage.subscriptionId, {
      billCycleDayLocal: 28,
      effectiveFromDate: '2026-04-20',
      allowPastDate: true,
    });
    await voidUsage('b');
    await stage.use('7 calls 2026-05-10');
    await stage.runTo('2026-05-28');
    expect((await stage.invoices()).flatMap(usageLines)).to.eql([
      'USAGE 2026-04-01..2026-05-01 62',
      'REPAIR_ADJ 2026-04-01..2026-05-01 -60',
      'USAGE 2026-04-28..2026-05-28 7',
    ]);
  });

  it('is credited at the prices of the plan that applies after a backdated change', async () => {
    await begin();
    await stage.use('10 calls 2026-04-05', 'a');
    await stage.use('7 calls 2026-04-20', 'b');
    await stage.runTo('2026-05-01', '2026-05-02');
    await stage.engine.acme.subscriptions.changePlan(stage.subscriptionId, {
      planName: 'api-plus',
      requestedDate: '2026-04-15',
    });
    await stage.engine.settle();
    await voidUsage('b');
    expect(await run('2026-05-02')).to.eql(['REPAIR_ADJ 2026-04-15..2026-05-01 -14']);
  });

  it('is not credited if the tenant ignores negative differences', async () => {
    await begin({ settings: { 'invoice.usage.negativeDelta': 'IGNORE' } });
    await stage.use('10 calls 2026-04-05', 'a');
    await stage.runTo('2026-05-01', '2026-05-02');
    await pause('2026-04-10', '2026-04-25');
    await voidUsage('a');
    expect(await run('2026-05-02')).to.eql([]);
  });

  it('is not credited in a period before the look-back', async () => {
    await begin({ settings: { 'invoice.readMaxRawUsagePreviousPeriod': '1' } });
    await stage.use('10 calls 2026-04-05', 'a');
    await stage.runTo('2026-05-01', '2026-06-01', '2026-06-02');
    await pause('2026-04-10', '2026-04-25');
    await voidUsage('a');
    expect(await run('2026-06-02')).to.eql([]);
  });
});

eachDatabaseByTurns.describe('ignored late usage (usage §7.7 rule 6)', (open) => {
  it('does not prevent usage of a voided invoice from being billed again, even if a later invoice contains its period', async () => {
    const stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-01' }, { unpaid: true });
    try {
      await stage.use('10 calls 2026-04-05', 'first');
      await stage.runTo('2026-05-01', '2026-05-02');
      await stage.use('5 calls 2026-04-06', 'second');
      await stage.run('2026-05-02');
      const { keyValues, invoices, usage } = stage.engine.acme;
      await keyValues.add('PER_TENANT_CONFIG', '{"org.service.invoice.usage.lateMode":"IGNORE"}');
      await stage.use('3 calls 2026-04-05', 'late');
      const [first] = await stage.invoices();
      if (first === undefined) throw new Error('no invoice');
      await invoices.void(first.id);
      const dates = { startDate: '2026-04-01', endDate: '2026-05-01' };
      const unbilled = async () =>
        (await usage.unbilled(stage.subscriptionId, dates)).map(
          ({ reason, amount }) => `${reason} ${amount.toFixed()}`,
        );
      expect(await unbilled()).to.eql(['LATE 3', 'NOT_YET_DUE 10']);
      expect(itemLines(await stage.run('2026-05-02'))).to.eql(['USAGE 2026-04-01..2026-05-01 10']);
      expect((await stage.last()).trackingIds).to.eql(['first']);
      expect(await unbilled()).to.eql(['LATE 3']);
    } finally {
      await stage.close();
    }
  });
});

eachDatabaseByTurns.describe('usage voided in the same millisecond as the run (usage §7.6)', (open) => {
  let stage: UsageStage;
  beforeEach('an account with usage', async () => {
    stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-01' });
    await stage.use('10 calls 2026-04-05', 'kept');
    await stage.use('5 calls 2026-04-06', 'voided');
    await stage.runTo('2026-04-30');
  });

  it('is excluded from the tracking ids if it was voided before the run', async () => {
    await stage.engine.acme.usage.void(stage.subscriptionId, 'voided');
    await stage.run('2026-05-01');
    expect((await stage.last()).trackingIds).to.eql(['kept']);
  });

  it('is included in the tracking ids if it was voided after the run', async () => {
    await stage.run('2026-05-01');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'voided');
    expect((await stage.last()).trackingIds).to.eql(['kept', 'voided']);
  });
});
