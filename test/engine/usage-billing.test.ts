import { type InvoicePlugin, parseLocalDate, SystemTag } from '../../lib/index.ts';
import { codeOf, eachDatabaseByTurns, expect, expectCode, itemLines } from '../support/index.ts';
import { UsageStage, type UsageStageOptions } from '../support/usage/usage-stage.ts';

eachDatabaseByTurns.describe('usage on invoices', (open) => {
  let stage: UsageStage;

  const begin = async (planName: string, from: string, options: UsageStageOptions = {}): Promise<void> => {
    stage = await UsageStage.begin(open, { planName, from }, options);
  };

  it('is credited once if its records are voided (usage §2.2 rule 3)', async () => {
    await begin('api-std', '2026-04-01');
    await stage.use('40 calls 2026-04-10', 'wrong');
    await stage.use('2 calls 2026-04-11', 'right');
    await stage.runTo('2026-05-01');
    stage.engine.clock.set('2026-05-01T01:00:00Z');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'wrong');
    expect(itemLines(await stage.run('2026-05-01'))).to.eql([
      'REPAIR_ADJ 2026-04-01..2026-05-01 -40',
      'CBA_ADJ 2026-05-01..2026-05-01 40',
    ]);
    await expectCode(stage.run('2026-05-01'), 'INVOICE_NOTHING_TO_DO');
  });

  it('is billed for each period after AUTO_INVOICING_OFF is removed, even beyond the daily item limit (usage §7.9 rule 6)', async () => {
    await begin('api-std', '2026-01-01');
    const { acme, settle } = stage.engine;
    const account = { type: 'ACCOUNT', id: stage.accountId } as const;
    await acme.tags.add(account, [SystemTag.AUTO_INVOICING_OFF]);
    await stage.use('10 calls 2026-01-10', 'old');
    await stage.use('7 calls 2027-06-10', 'new');
    await stage.runTo('2027-07-01');
    await acme.tags.remove(account, [SystemTag.AUTO_INVOICING_OFF]);
    await settle();
    const lines = itemLines(await stage.last());
    expect(lines).to.have.length(18);
    expect([lines[0], lines[17]]).to.eql([
      'USAGE 2026-01-01..2026-02-01 10',
      'USAGE 2027-06-01..2027-07-01 7',
    ]);
  });

  it('keeps its tracking ids if it is voided after billing, but not if it is voided before billing (usage §7.6)', async () => {
    await begin('api-std', '2026-04-01');
    await stage.use('40 calls 2026-04-10', 'later');
    await stage.use('3 calls 2026-04-10', 'before');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'before');
    await stage.runTo('2026-05-01');
    expect((await stage.last()).trackingIds).to.eql(['later']);
    stage.engine.clock.set('2026-05-01T01:00:00Z');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'later');
    expect((await stage.last()).trackingIds).to.eql(['later']);
  });

  it('has the tracking ids of the points that caused a credit, even if all items are credits (usage §7.6)', async () => {
    await begin('packs-top', '2026-04-01');
    await stage.use('995 packs 2026-04-10', 'first');
    await stage.runTo('2026-05-01');
    await stage.use('20 packs 2026-04-20', 'late');
    await stage.run('2026-05-01');
    expect((await stage.last()).trackingIds).to.eql(['late']);
  });

  it('includes each tracking id once, even if its points do not affect amounts (usage §7.6)', async () => {
    await begin('sms-payg', '2026-04-01', { unpaid: true });
    const { acme } = stage.engine;
    const { accountId } = stage;
    const other = await acme.createSubscription({ accountId, planName: 'club' });
    await stage.use('150 sms 2026-04-10', 'same');
    await acme.recordUsage({
      subscriptionId: other.subscriptionId,
      trackingId: 'same',
      unitUsageRecords: [{ unitType: 'videos', usageRecords: [{ recordDate: '2026-04-10', amount: '1' }] }],
    });
    await stage.runTo('2026-05-01');
    expect((await stage.last()).trackingIds).to.eql(['same']);
    await stage.use('1 sms 2026-04-11', 'absorbed');
    await stage.engine.settle(acme.createSubscription({ accountId, planName: 'club' }));
    const next = await stage.last();
    expect(itemLines(next)).to.eql(['RECURRING 2026-05-01..2026-06-01 30']);
    expect(next.trackingIds).to.eql(['absorbed']);
    // The void releases the tracking ids, although the subscription has no item on that invoice.
    await acme.invoices.void(next.id);
    await stage.run('2026-05-01');
    expect((await stage.last()).trackingIds).to.eql(['absorbed']);
  });

  it('is required for an upcoming usage invoice if items of amount 0 are dropped (usage §7.10)', async () => {
    const settings = { 'invoice.disable.usage.zero.amount': 'true' };
    await begin('sms-payg', '2026-04-01', { settings });
    const { accountId } = stage;
    const upcoming = async () => {
      const found = await stage.engine.acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
      return found && [found.targetDate ?? parseLocalDate('0001-01-01'), ...itemLines(found)];
    };
    expect(await upcoming()).to.equal(null);
    await stage.use('5 sms 2026-06-30');
    expect(await upcoming()).to.eql(['2026-07-01', 'USAGE 2026-06-01..2026-07-01 2.95']);
    await stage.engine.subscribe({ accountId, planName: 'yearly-and-calls' });
    await stage.runTo('2026-07-01');
    expect(await upcoming()).to.eql(['2027-04-01', 'RECURRING 2027-04-01..2028-04-01 100']);
  });

  it('causes the account to be parked if its unit has no price and invoice.parkAccountsWithUnknownUsage is true (usage §7.8)', async () => {
    await begin('sms-payg', '2026-04-01', {
      settings: { 'invoice.parkAccountsWithUnknownUsage': 'true', 'usage.unknownUnitPolicy': 'ACCEPT' },
    });
    await stage.use('1 mms 2026-04-15', 'unknown');
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql([]);
    await stage.engine.acme.usage.void(stage.subscriptionId, 'unknown');
    await stage.run('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 0']);
  });

  it('results in a charged-through date without an invoice if items of amount 0 are dropped (usage §7.5 rule 4)', async () => {
    await begin('sms-payg', '2026-04-01', { settings: { 'invoice.disable.usage.zero.amount': 'true' } });
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql([]);
    expect(await stage.chargedThrough()).to.equal('2026-05-01');
    await stage.use('5 sms 2026-05-04');
    await stage.runTo('2026-06-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-05-01..2026-06-01 2.95']);
  });

  it('is billed again after a void, even for zero amounts and for subscriptions without items (usage §7.7 rule 4)', async () => {
    await begin('api-std', '2026-04-01', {
      unpaid: true,
      settings: { 'invoice.disable.usage.zero.amount': 'true' },
    });
    const { acme } = stage.engine;
    const { accountId } = stage;
    const other = (await acme.createSubscription({ accountId, planName: 'api-free' })).subscriptionId;
    await stage.use('7 calls 2026-04-10', 'charged');
    const unitUsageRecords = [
      { unitType: 'calls', usageRecords: [{ recordDate: '2026-04-20', amount: '1' }] },
    ];
    await acme.recordUsage({ subscriptionId: other, trackingId: 'free', unitUsageRecords });
    await stage.use('2 calls 2026-05-10', 'later');
    await stage.runTo('2026-05-01');
    const april = await stage.last();
    expect(itemLines(april)).to.eql(['USAGE 2026-04-01..2026-05-01 7']);
    expect(april.trackingIds).to.eql(['charged', 'free']);
    await stage.runTo('2026-06-01');
    await acme.invoices.void(april.id);
    expect(itemLines(await stage.run('2026-06-01'))).to.eql(['USAGE 2026-04-01..2026-05-01 7']);
    expect((await stage.last()).trackingIds).to.eql(['charged', 'free']);
  });

  it('is billed again after a void, even if late usage of the period was voided before (usage §7.7 rule 4)', async () => {
    await begin('sms-payg', '2026-04-01', { unpaid: true });
    await stage.runTo('2026-05-01');
    const april = await stage.last();
    expect(itemLines(april)).to.eql(['USAGE 2026-04-01..2026-05-01 0']);
    await stage.use('5 sms 2026-04-10', 'wrong');
    await stage.engine.acme.usage.void(stage.subscriptionId, 'wrong');
    await stage.runTo('2026-06-01');
    expect(itemLines(await stage.last())).to.eql(['USAGE 2026-05-01..2026-06-01 0']);
    await stage.engine.acme.invoices.void(april.id);
    expect(itemLines(await stage.run('2026-06-01'))).to.eql(['USAGE 2026-04-01..2026-05-01 0']);
  });

  describe('late usage (usage §7.7 rule 1)', () => {
    it('is billed by the next run, even after the subscription has ended', async () => {
      await begin('api-std', '2026-04-01');
      await stage.runTo('2026-04-16');
      await stage.engine.settle(stage.engine.acme.subscriptions.cancel(stage.subscriptionId));
      await stage.use('7 calls 2026-04-10');
      expect(itemLines(await stage.run('2026-12-01'))).to.eql(['USAGE 2026-04-01..2026-04-16 7']);
      await expectCode(stage.run('2026-12-01'), 'INVOICE_NOTHING_TO_DO');
    });

    it('is not searched for if no points are late', async () => {
      const statements: string[] = [];
      await begin('api-std', '2026-04-01', { trace: (statement) => statements.push(statement) });
      await stage.use('7 calls 2026-04-10', 'used');
      await stage.runTo('2026-05-01');
      const looks = async () => {
        statements.length = 0;
        await codeOf(stage.run('2026-05-02'));
        return statements.filter((statement) => statement.includes('bw_usage_intervals')).length;
      };
      expect(await looks(), 'nothing new').to.equal(0);
      await stage.use('1 calls 2026-05-02');
      expect(await looks(), 'a point of the running period').to.equal(0);
      await stage.engine.acme.usage.void(stage.subscriptionId, 'used');
      expect(await looks(), 'points that are void').to.be.above(0);
    });

    for (const [name, before, after] of [
      ['usage.lateMode', 'IGNORE', 'DELTA'],
      ['readMaxRawUsagePreviousPeriod', '0', '2'],
    ] as const)
      it(`is billed once ${name} has changed`, async () => {
        const setting = `org.service.invoice.${name}`;
        await begin('api-std', '2026-04-01', { settings: { [`invoice.${name}`]: before } });
        await stage.runTo('2026-05-01');
        await stage.use('7 calls 2026-04-10');
        await expectCode(stage.run('2026-05-01'), 'INVOICE_NOTHING_TO_DO');
        await stage.engine.acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [setting]: after }));
        expect(itemLines(await stage.run('2026-05-01'))).to.eql(['USAGE 2026-04-01..2026-05-01 7']);
      });
  });

  it("is billed after the tenant's collection interval for late points (usage §7.7)", async () => {
    await begin('club', '2026-04-01', { settings: { 'invoice.usage.collectionInterval': 'P1DT12H' } });
    await stage.use('4 videos 2026-04-10');
    await stage.runTo('2026-05-01', '2026-05-02');
    expect(await stage.lines()).to.eql(['RECURRING 2026-04-01..2026-05-01 30']);
    await stage.use('1 videos 2026-04-30', 'straggler');
    await stage.use('1 videos 2026-05-01', 'of the next period');
    await stage.engine.runTo('2026-05-02T12:00:00Z');
    expect(await stage.lines()).to.eql([
      'RECURRING 2026-04-01..2026-05-01 30',
      'RECURRING 2026-05-01..2026-06-01 30, USAGE 2026-04-01..2026-05-01 10',
    ]);
    const { targetDate } = await stage.last();
    expect(targetDate && targetDate).to.equal('2026-05-01');
    await stage.runTo('2026-06-01', '2026-06-02');
    expect(await stage.lines()).to.have.lengthOf(2);
    await stage.engine.runTo('2026-06-02T12:00:00Z');
    expect(await stage.lines()).to.have.lengthOf(3);
  });

  it('can be repriced by a plugin, but not removed or changed in quantity (invoicing §13 rule 3)', async () => {
    const plugin: InvoicePlugin = {
      name: 'discount',
      getAdditionalInvoiceItems: async ({ items }) => ({
        items: items
          .filter(({ itemType, amount }) => itemType === 'USAGE' && amount.greaterThan(5))
          .map(({ id }) => ({ id, amount: '5', itemDetails: '{"tierDetails":[],"amount":0}' })),
      }),
    };
    await begin('sms-payg', '2026-04-01', { invoicePlugins: [plugin] });
    await stage.use('250 sms 2026-04-10');
    await stage.runTo('2026-05-01');
    const billed = await stage.last();
    expect(itemLines(billed)).to.eql(['USAGE 2026-04-01..2026-05-01 5']);
    expect(JSON.parse(billed.items[0]?.itemDetails ?? '')).to.include({ amount: 8.85 });
    await stage.use('100 sms 2026-04-11');
    expect(itemLines(await stage.run('2026-05-01'))).to.eql(['USAGE 2026-04-01..2026-05-01 2.95']);
  });
});
