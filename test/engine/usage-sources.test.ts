import type { UsageGranularity, UsageSource, Uuid } from '../../lib/index.ts';
import { parseLocalDate, RetryLater, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, itemLines, openEngine, type TestEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { MeteringSource } from '../support/usage/metering-source.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

eachDatabaseByTurns.describe('usage sources', (open) => {
  let engine: TestEngine;
  let source: MeteringSource;
  let accountId: Uuid;
  let subscriptionId: Uuid;

  interface Beginning {
    readonly others?: readonly UsageSource[];
    readonly configuration?: Record<string, string>;
    readonly longestTimerMs?: number;
  }

  /** Creates a subscription from 2026-04-01 whose usage comes from a source. */
  async function begin(planName: string, { others = [], ...options }: Beginning = {}): Promise<void> {
    source = new MeteringSource();
    engine = await openEngine(open, {
      now: '2026-04-01T00:00:00Z',
      catalog: usageCatalog,
      usageSources: [source, ...others],
      ...options,
    });
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    subscriptionId = (await engine.subscribe({ accountId, planName })).subscriptionId;
  }

  async function record(text: string): Promise<void> {
    const [amount = '', unitType = '', recordDate = ''] = text.split(' ');
    const unitUsageRecords = [{ unitType, usageRecords: [{ recordDate, amount }] }];
    await engine.acme.recordUsage({ subscriptionId, trackingId: text, unitUsageRecords });
  }

  async function invoices(): Promise<readonly InvoiceView[]> {
    const all = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }

  const lines = async () => (await invoices()).map((invoice) => itemLines(invoice).join(', '));

  async function trackingIds(): Promise<readonly (readonly string[])[]> {
    const all = await Promise.all((await invoices()).map(({ id }) => engine.acme.getInvoice(id)));
    return all.map((invoice) => invoice.trackingIds);
  }

  async function isParked(): Promise<boolean> {
    const tags = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id: accountId });
    return tags.some(({ tagDefinitionId }) => tagDefinitionId === SystemTag.PARK);
  }

  const generate = (targetDate: string) => engine.acme.invoices.generate({ accountId, targetDate });

  it('are used only up to the first source with data, which replaces recorded usage and supplies the tracking ids (usage §9 rule 2)', async () => {
    const second = new MeteringSource('second');
    await begin('sms-payg', { others: [second] });
    await record('5000 sms 2026-04-10');
    source.use(subscriptionId, '99 sms 2026-04-01T00:00:00Z', '100 sms 2026-04-15T12:00:00Z');
    second.use(subscriptionId, '7000 sms 2026-04-15T12:00:00Z');
    await engine.runTo('2026-05-01T00:00:00Z');
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-05-01 5.9']);
    expect(await trackingIds()).to.eql([source.records.map(({ trackingId }) => trackingId)]);
    expect(second.calls).to.eql([]);
    source.records = [];
    await begin2Months();
    expect((await lines()).at(-1)).to.equal('USAGE 2026-05-01..2026-06-01 0');
  });

  /** Runs to June. May has no usage although some is recorded, because an empty response of the source counts. */
  async function begin2Months(): Promise<void> {
    source.use(subscriptionId, '99 sms 2026-04-01T00:00:00Z', '100 sms 2026-04-15T12:00:00Z');
    await record('300 sms 2026-05-10');
    await engine.runTo('2026-06-01T00:00:00Z');
  }

  it('leave recorded usage in force for an account without data in a source', async () => {
    const second = new MeteringSource('second');
    await begin('sms-payg', { others: [second] });
    source.instead = () => null;
    second.use(subscriptionId, '250 sms 2026-04-02T00:00:00Z');
    await record('5000 sms 2026-04-10');
    const dryRun = () =>
      engine.acme.invoices.dryRun({ accountId, targetDate: '2026-05-01', dryRunType: 'TARGET_DATE' });
    expect((await dryRun())?.items.map(({ amount }) => String(amount))).to.eql(['8.85']);
    second.instead = () => null;
    expect((await dryRun())?.items.map(({ amount }) => String(amount))).to.eql(['53.3']);
    await engine.runTo('2026-05-01T00:00:00Z');
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-05-01 53.3']);
    expect(await trackingIds()).to.eql([['5000 sms 2026-04-10']]);
  });

  it('are queried from the look-back to the end of the target date, with the dates at which periods are split (usage §9 rules 3 and 5)', async () => {
    await begin('club');
    for (const month of ['05', '06', '07']) await engine.runTo(`2026-${month}-01T00:00:00Z`);
    const { range, context, properties } = source.calls.at(-1) ?? {};
    expect(range).to.eql({ start: new Date('2026-04-01'), end: new Date('2026-07-02') });
    expect(context).to.deep.include({
      tenantId: engine.tenant.id,
      accountId,
      dryRunType: null,
      inputTargetDate: '2026-07-01',
    });
    expect(JSON.parse(properties?.USAGE_TRANSITIONS ?? '')).to.eql({
      [subscriptionId]: { videos: ['04', '05', '06', '07'].map((month) => `2026-${month}-01T00:00:00.000Z`) },
    });
  });

  for (const isAggregating of [false, true])
    it(`supply ${isAggregating ? 'totals' : 'records'} that are charged only once after a backdated change (usage §7.3 rule 7)`, async () => {
      await begin('api-std');
      source.use(subscriptionId, '10 calls 2026-04-05T00:00:00Z', '7 calls 2026-04-20T00:00:00Z');
      if (isAggregating) {
        source.addUp(({ start, end }) => {
          const own = source.records.filter(
            ({ instant }) => start <= new Date(instant) && new Date(instant) < end,
          );
          return { quantity: String(own.reduce((all, { amount }) => all + Number(amount), 0)) };
        });
      }
      await engine.runTo('2026-05-01T00:00:00Z');
      await engine.runTo('2026-05-02T00:00:00Z');
      await engine.acme.subscriptions.changePlan(subscriptionId, {
        planName: 'api-plus',
        requestedDate: '2026-04-15',
      });
      await engine.settle();
      await engine.runTo('2026-06-01T00:00:00Z');
      expect(await lines()).to.eql([
        'USAGE 2026-04-01..2026-05-01 17',
        'REPAIR_ADJ 2026-04-15..2026-05-01 -7, USAGE 2026-04-15..2026-05-01 14',
        'USAGE 2026-05-01..2026-06-01 0',
      ]);
      expect(await isParked()).to.equal(false);
    });

  it('receive the date range of a dry run and the properties of its caller (usage §9 rule 5)', async () => {
    await begin('club');
    source.use(subscriptionId, '6 videos 2026-04-20T00:00:00Z');
    const pluginProperties = [{ key: 'region', value: 'eu', isUpdatable: false }];
    const asHost = engine.billing.as({ tenant: engine.tenant.id, user: 'host', pluginProperties });
    const targetDate = '2026-05-01';
    const invoice = await asHost.invoices.dryRun({ accountId, targetDate, dryRunType: 'TARGET_DATE' });
    expect(invoice && itemLines(invoice)).to.eql([
      'RECURRING 2026-05-01..2026-06-01 30',
      'USAGE 2026-04-01..2026-05-01 11',
    ]);
    expect(invoice?.trackingIds).to.eql(['6 videos 2026-04-20T00:00:00Z']);
    const call = source.calls.at(-1);
    expect(Object.keys(call?.properties ?? {})).to.eql([
      'region',
      'DRY_RUN_CUR_DATE',
      'DRY_RUN_TARGET_DATE',
      'USAGE_TRANSITIONS',
    ]);
    expect(call?.properties).to.deep.include({
      region: 'eu',
      DRY_RUN_CUR_DATE: '2026-04-01',
      DRY_RUN_TARGET_DATE: '2026-05-01',
    });
    expect(call?.context).to.deep.include({ dryRunType: 'TARGET_DATE', inputTargetDate: targetDate });
    const upcoming = await asHost.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
    expect(upcoming && itemLines(upcoming)).to.eql(invoice && itemLines(invoice));
    expect(source.calls.at(-1)?.context).to.deep.include({
      dryRunType: 'UPCOMING_INVOICE',
      inputTargetDate: null,
    });
  });

  it('can add records later, with the difference charged only under the new ids (usage §9 rule 8)', async () => {
    await begin('sms-payg');
    source.use(subscriptionId, '199 sms 2026-04-10T00:00:00Z');
    await engine.runTo('2026-05-01T00:00:00Z');
    source.use(subscriptionId, '2 sms 2026-04-30T23:59:59.999Z', '1 sms 2026-05-01T00:00:00Z');
    await engine.runTo('2026-06-01T00:00:00Z');
    expect(await lines()).to.eql([
      'USAGE 2026-04-01..2026-05-01 5.9',
      'USAGE 2026-04-01..2026-05-01 2.95, USAGE 2026-05-01..2026-06-01 2.95',
    ]);
    expect((await trackingIds()).at(-1)).to.eql(source.records.slice(1).map((each) => each.trackingId));
    await engine.runTo('2026-07-01T00:00:00Z');
    expect((await lines()).at(-1)).to.equal('USAGE 2026-06-01..2026-07-01 0');
  });

  it('stop the run if they report less usage than was billed, unless the tenant allows credits (usage §7.7)', async () => {
    await begin('sms-payg');
    source.use(subscriptionId, '199 sms 2026-04-10T00:00:00Z');
    await engine.runTo('2026-05-01T00:00:00Z');
    source.records = [];
    source.use(subscriptionId, '99 sms 2026-04-10T00:00:00Z');
    const targetDate = parseLocalDate('2026-06-01');
    const ahead = await engine.acme.invoices.dryRun({ accountId, targetDate, dryRunType: 'TARGET_DATE' });
    expect(ahead && itemLines(ahead)).to.eql(['USAGE 2026-05-01..2026-06-01 0']);
    await engine.runTo('2026-06-01T00:00:00Z');
    expect(await isParked()).to.equal(true);
    const credited = { 'org.service.invoice.usage.negativeDelta': 'CREDIT' };
    await engine.acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify(credited));
    expect(itemLines(await generate('2026-06-01'))).to.eql([
      'REPAIR_ADJ 2026-04-01..2026-05-01 -2.95',
      'USAGE 2026-05-01..2026-06-01 0',
      'CBA_ADJ 2026-06-01..2026-06-01 2.95',
    ]);
  });

  it('may return foreign and unknown records, which the run skips with a warning (usage §9 rule 4)', async () => {
    await begin('sms-payg');
    const stranger = '00000000-0000-7000-8000-0000000000ff';
    source.use(
      subscriptionId,
      '1 sms 2026-03-31T23:59:59.999Z',
      '1 sms 2026-05-02T00:00:00Z',
      '9 faxes 2026-04-10T00:00:00Z',
    );
    source.use(stranger, '500 sms 2026-04-10T00:00:00Z');
    source.use(subscriptionId, '1 sms 2026-04-30T00:00:00Z');
    await engine.runTo('2026-05-01T00:00:00Z');
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-05-01 2.95']);
    const warning = engine.logger.lines.find(({ message }) => message.includes('are ignored'));
    expect(warning?.fields).to.deep.include({ pluginName: 'meter', accountId, passedOver: 3 });
  });

  it('stop the run for a unit without a price if invoice.parkAccountsWithUnknownUsage is true (usage §7.8)', async () => {
    await begin('sms-payg', {
      configuration: { 'org.service.invoice.parkAccountsWithUnknownUsage': 'true' },
    });
    source.use(subscriptionId, '9 faxes 2026-04-10T00:00:00Z');
    await engine.runTo('2026-05-01T00:00:00Z');
    expect(await isParked()).to.equal(true);
    expect(await lines()).to.eql([]);
  });

  it('may return one total per interval instead of records (usage §9 rule 7)', async () => {
    await begin('team-cap');
    source.addUp(({ unitType }) => ({
      quantity: unitType === 'mbps' ? '101' : '10',
      trackingIds: unitType === 'mbps' ? ['peak-7'] : null,
    }));
    await engine.runTo('2026-05-01T00:00:00Z');
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-05-01 5']);
    expect(await trackingIds()).to.eql([['peak-7']]);
    const [call, ...others] = source.calls;
    expect(others).to.eql([]);
    const facts = { subscriptionId, usageName: 'team-usage', aggregation: 'MAX', endInclusive: false };
    const requestTexts = call?.requests.map(({ start, end, ...each }) => ({
      ...each,
      from: start.toISOString(),
      to: end.toISOString(),
    }));
    const bounds = { from: '2026-04-01T00:00:00.000Z', to: '2026-05-01T00:00:00.000Z' };
    expect(requestTexts).to.eql([
      { ...facts, unitType: 'mbps', ...bounds },
      { ...facts, unitType: 'members', ...bounds },
    ]);
  });

  it('are queried for records if they have no totals (usage §9 rule 7)', async () => {
    await begin('sms-payg');
    source.addUp(() => null);
    source.use(subscriptionId, '1 sms 2026-04-30T00:00:00Z');
    await engine.runTo('2026-05-01T00:00:00Z');
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-05-01 2.95']);
    expect(source.calls.map(({ member }) => member)).to.eql(['getAggregatedUsage', 'getUsageForAccount']);
  });

  it('include the last instant of a subscription (usage §6.4)', async () => {
    await begin('api-std');
    await engine.cancelAt(subscriptionId, '2026-04-16T00:00:00Z');
    source.use(subscriptionId, '7 calls 2026-04-16T00:00:00Z', '100 calls 2026-04-16T00:00:00.001Z');
    await engine.runTo('2026-04-16T00:00:01Z');
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-04-16 7']);
  });

  it('supply roll-ups for each unit, with recorded usage as the fallback (usage §3.1 rule 7)', async () => {
    await begin('sms-payg');
    await record('8 sms 2026-04-02');
    source.use(
      subscriptionId,
      '1 sms 2026-04-01T00:00:00Z',
      '2 sms 2026-04-02T00:00:00Z',
      '4 faxes 2026-04-02T12:00:00Z',
    );
    source.use('00000000-0000-7000-8000-0000000000ff', '100 sms 2026-04-02T00:00:00Z');
    const units = async (startDate: string, endDate: string, unitType?: string) => {
      const period = { startDate, endDate, ...(unitType === undefined ? {} : { unitType }) };
      const { rolledUpUnits } = await engine.acme.usage.rollUp(subscriptionId, period);
      return rolledUpUnits.map(({ amount, unitType: unit }) => `${amount} ${unit}`);
    };
    expect(await units('2026-04-01', '2026-04-02')).to.eql(['1 sms']);
    expect(await units('2026-04-01', '2026-04-03')).to.eql(['4 faxes', '3 sms']);
    expect(await units('2026-04-01', '2026-04-03', 'faxes')).to.eql(['4 faxes']);
    expect(await units('2026-04-01', '2026-04-01')).to.eql([]);
    const days = ['2026-04-01', '2026-04-02', '2026-04-02', '2026-04-03'].map((date) => `${date}T00:00:00Z`);
    const parts = await engine.acme.usage.rollUpForTransitions(subscriptionId, days);
    expect(parts.map(({ rolledUpUnits }) => rolledUpUnits.length)).to.eql([1, 0, 2]);
    expect(source.calls.at(-1)?.context).to.deep.include({
      accountId,
      dryRunType: null,
      inputTargetDate: null,
    });
    source.instead = () => null;
    expect(await units('2026-04-01', '2026-04-03')).to.eql(['8 sms']);
  });

  it('supply the timeline, the cost so far and the pages of tracking ids (usage §3.3)', async () => {
    await begin('sms-payg');
    await record('5000 sms 2026-04-02');
    source.use(
      subscriptionId,
      '99 sms 2026-04-02T10:30:00Z',
      '100 sms 2026-04-15T12:00:00Z',
      '4 faxes 2026-04-15T12:10:00Z',
    );
    const { usage } = engine.acme;
    const timeline = async (granularity: UsageGranularity) => {
      const period = { startDate: '2026-04-01', endDate: '2026-05-01', granularity };
      return (await usage.timeline(subscriptionId, period)).map(({ startDate, rolledUpUnits }) => {
        const units = rolledUpUnits.map(({ amount, unitType }) => `${amount} ${unitType}`);
        return `${startDate.toISOString().slice(5, 16)} ${units.join(', ')}`;
      });
    };
    expect(await timeline('DAY')).to.eql(['04-02T00:00 99 sms', '04-15T00:00 4 faxes, 100 sms']);
    expect(await timeline('HOUR')).to.eql(['04-02T10:00 99 sms', '04-15T12:00 4 faxes, 100 sms']);
    const [soFar, ...others] = await usage.rated(subscriptionId);
    expect([`${soFar?.amount}`, others]).to.eql(['5.9', []]);
    await engine.runTo('2026-05-01T00:00:00Z');
    const [invoice] = await invoices();
    const [all = []] = await trackingIds();
    const page = await engine.acme.invoices.trackingIds(invoice?.id ?? '', { offset: 0, limit: 10 });
    expect(page).to.eql({ rows: all, total: all.length, max: all.length });
    expect(all).to.have.length(2);
    const last = await engine.acme.invoices.trackingIds(invoice?.id ?? '', { offset: 0, limit: -1 });
    expect(last.rows).to.eql(all.slice(1));
  });

  it('are queried again if the account changes during the query', async () => {
    await begin('api-std');
    source.use(subscriptionId, '5 calls 2026-04-05T00:00:00Z', '5 calls 2026-04-15T00:00:00Z');
    let changes = 0;
    source.instead = () => {
      changes += 1;
      return (async function* changed() {
        if (changes === 1) {
          const change = { planName: 'api-plus', billingPolicy: 'IMMEDIATE' } as const;
          await engine.acme.subscriptions.changePlan(subscriptionId, change);
        }
        yield* source.records;
      })();
    };
    engine.clock.set('2026-04-10T00:00:00Z');
    expect(itemLines(await generate('2026-05-01'))).to.eql([
      'USAGE 2026-04-01..2026-04-10 5',
      'USAGE 2026-04-10..2026-05-01 10',
    ]);
    expect(changes).to.equal(2);
  });

  it('do not change recorded usage that was billed before they supplied data', async () => {
    await begin('sms-payg', { configuration: { 'org.service.invoice.usage.negativeDelta': 'CREDIT' } });
    source.instead = () => null;
    await record('199 sms 2026-04-10');
    await engine.runTo('2026-05-01T00:00:00Z');
    source.instead = null;
    source.use(subscriptionId, '300 sms 2026-05-10T00:00:00Z');
    await engine.runTo('2026-06-01T00:00:00Z');
    source.instead = () => null;
    await engine.runTo('2026-07-01T00:00:00Z');
    expect(await lines()).to.eql([
      'USAGE 2026-04-01..2026-05-01 5.9',
      'USAGE 2026-05-01..2026-06-01 8.85',
      'USAGE 2026-06-01..2026-07-01 0',
    ]);
  });

  it('can request a later query without parking the account (usage §9 rule 6)', async () => {
    await begin('sms-payg', { configuration: { 'org.service.invoice.parkAccountsOnAllExceptions': 'true' } });
    source.use(subscriptionId, '1 sms 2026-04-30T00:00:00Z');
    source.instead = () => {
      throw new RetryLater(1_000);
    };
    engine.clock.set('2026-05-01T00:00:00Z');
    // Invoice plugins are not retried more than 50 times.
    while (source.calls.length < 53) {
      await engine.billing.settle({ timeoutMs: 20 });
      engine.systemClock.push(1_000);
    }
    expect([await lines(), await isParked()]).to.eql([[], false]);
    source.instead = null;
    await engine.settle();
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-05-01 2.95']);
    expect((await invoices())[0]?.invoiceDate ?? parseLocalDate('2000-01-01')).to.equal('2026-05-01');
  });

  it('are rejected if two sources have the same name', async () => {
    await begin('sms-payg');
    const again = openEngine(open, {
      now: '2026-04-01T00:00:00Z',
      usageSources: [new MeteringSource(), new MeteringSource()],
    });
    await again.then(
      () => expect.fail('opened'),
      (error: Error) => expect(error.message).to.contain('Two usage sources have the same name: meter'),
    );
  });
});
