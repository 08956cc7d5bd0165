import { parseLocalDate, type Uuid } from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines, openEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

eachDatabaseByTurns.describe('tenant usage terms (usage §12)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let subscriptionId: Uuid;

  async function begin(
    planName: string,
    terms: object,
    { from = '2026-04-01', ...configuration }: Record<string, string> = {},
  ): Promise<void> {
    engine = await openEngine(open, { now: `${from}T00:00:00Z`, catalog: usageCatalog, configuration });
    await upload(terms);
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    subscriptionId = (await engine.subscribe({ accountId, planName })).subscriptionId;
  }

  const upload = (terms: object) => engine.acme.keyValues.add('USAGE_TERMS', JSON.stringify(terms));

  async function use(text: string): Promise<void> {
    const [amount = '', unitType = '', recordDate = ''] = text.split(' ');
    const unitUsageRecords = [{ unitType, usageRecords: [{ recordDate, amount }] }];
    await engine.acme.recordUsage({ subscriptionId, trackingId: text, unitUsageRecords });
  }

  async function invoices(): Promise<readonly InvoiceView[]> {
    const all = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }

  const lines = async () => (await invoices()).map((invoice) => itemLines(invoice).join(', '));

  it('add their own lines to the item, its explanation and the dry run', async () => {
    await begin('sms-payg', {
      'sms-usage': { freeQuantity: { sms: 100 }, percentOff: '10', minimumAmount: { USD: 4 } },
    });
    await use('250 sms 2026-04-10');
    const targetDate = parseLocalDate('2026-05-01');
    const ahead = await engine.acme.invoices.dryRun({ accountId, targetDate });
    await engine.runTo('2026-05-01T00:00:00Z');
    expect(await lines()).to.eql(['USAGE 2026-04-01..2026-05-01 5.31']);
    expect(ahead && itemLines(ahead)).to.eql(['USAGE 2026-04-01..2026-05-01 5.31']);
    const item = (await invoices())[0]?.items[0];
    expect(JSON.parse(item?.itemDetails ?? '')).to.eql({
      tierDetails: [
        { tier: 1, tierUnit: 'sms', tierPrice: 2.95, quantity: 2, tierBlockSize: 100, amount: 5.9 },
        { tier: 0, tierUnit: 'free of sms', tierPrice: 0, quantity: 100, tierBlockSize: 0, amount: 0 },
        { tier: 0, tierUnit: 'percent off', tierPrice: -0.59, quantity: 1, tierBlockSize: 0, amount: -0.59 },
      ],
      amount: 5.31,
    });
    const { text } = await engine.acme.invoices.explain(item?.id ?? '');
    expect(text)
      .to.contain('billed in arrear: 250 sms.')
      .and.to.contain('100 sms are free.')
      .and.to.contain('0.59 USD of it is discounted by the usage terms.');
  });

  it('limit the cost of a period, even if usage arrives late', async () => {
    await begin('api-std', { 'std-usage': { minimumAmount: { USD: 10 }, maximumAmount: { USD: 50 } } });
    await use('3 calls 2026-04-10');
    await engine.runTo('2026-05-01T00:00:00Z');
    await use('9 calls 2026-04-11');
    await engine.runTo('2026-06-01T00:00:00Z');
    await use('100 calls 2026-04-12');
    await engine.runTo('2026-07-01T00:00:00Z');
    expect(await lines()).to.eql([
      'USAGE 2026-04-01..2026-05-01 10',
      'USAGE 2026-04-01..2026-05-01 2, USAGE 2026-05-01..2026-06-01 10',
      'USAGE 2026-04-01..2026-05-01 38, USAGE 2026-06-01..2026-07-01 10',
    ]);
  });

  it('prorate the minimum of a short period by days, in runs, previews and explanations', async () => {
    await begin('api-std', { 'std-usage': { minimumAmount: { USD: 30 } } }, { from: '2026-04-20' });
    const [soFar] = await engine.acme.usage.rated(subscriptionId);
    const targetDate = parseLocalDate('2026-05-01');
    const ahead = await engine.acme.invoices.dryRun({ accountId, targetDate });
    await engine.runTo('2026-05-01T00:00:00Z');
    await engine.runTo('2026-05-12T00:00:00Z');
    await engine.acme.subscriptions.changePlan(subscriptionId, {
      planName: 'api-plus',
      billingPolicy: 'IMMEDIATE',
    });
    await engine.settle();
    expect(await lines()).to.eql(['USAGE 2026-04-20..2026-05-01 11', 'USAGE 2026-05-01..2026-05-12 10.65']);
    expect(soFar?.amount.toFixed()).to.equal('11');
    expect(ahead && itemLines(ahead)).to.eql(['USAGE 2026-04-20..2026-05-01 11']);
    const explained = await engine.acme.invoices.explain((await invoices())[1]?.items[0]?.id ?? '');
    expectExplained(explained);
    expect(explained.text)
      .to.contain('The minimum of a whole period is 30.00 USD, and counts for 11 of 31 days.')
      .and.to.contain('30.00 USD × 11/31 days = 10.6451613, rounded half up to 10.65 USD');
  });

  it('prorate the minimum of each part if a backdated change divides a period', async () => {
    await begin('api-std', {
      'std-usage': { minimumAmount: { USD: 30 } },
      'plus-usage': { minimumAmount: { USD: 60 } },
    });
    await engine.runTo('2026-05-01T00:00:00Z');
    await engine.runTo('2026-05-02T00:00:00Z');
    await engine.acme.subscriptions.changePlan(subscriptionId, {
      planName: 'api-plus',
      requestedDate: '2026-04-11',
    });
    await engine.settle();
    expect(await lines()).to.eql([
      'USAGE 2026-04-01..2026-05-01 30',
      'REPAIR_ADJ 2026-04-11..2026-05-01 -20, USAGE 2026-04-11..2026-05-01 40',
    ]);
  });

  it('apply to periods that begin on or after their date, but not to billed periods', async () => {
    await begin('api-std', {});
    await use('10 calls 2026-04-10');
    await engine.runTo('2026-05-01T00:00:00Z');
    await use('10 calls 2026-05-10');
    await upload({ 'std-usage': { effectiveDate: '2026-05-01', percentOff: 50 } });
    await engine.runTo('2026-06-01T00:00:00Z');
    await upload({
      'std-usage': [{ effectiveDate: '2026-05-01', percentOff: 50 }, { effectiveDate: '2026-06-01' }],
    });
    await use('10 calls 2026-06-10');
    await engine.runTo('2026-07-01T00:00:00Z');
    expect(await lines()).to.eql([
      'USAGE 2026-04-01..2026-05-01 10',
      'USAGE 2026-05-01..2026-06-01 5',
      'USAGE 2026-06-01..2026-07-01 10',
    ]);
  });

  it('credit the excess charge if they are changed for a billed period', async () => {
    await begin('api-std', {});
    await use('10 calls 2026-04-10');
    await engine.runTo('2026-05-01T00:00:00Z');
    await upload({ 'std-usage': { percentOff: 50 } });
    await engine.runTo('2026-06-01T00:00:00Z');
    expect((await lines()).at(-1)).to.equal(
      'REPAIR_ADJ 2026-04-01..2026-05-01 -5, USAGE 2026-05-01..2026-06-01 0, CBA_ADJ 2026-06-01..2026-06-01 5',
    );
  });

  it('bill usage with a discount as one item, even if the tenant is configured for one item per line', async () => {
    const detail = { 'org.service.invoice.item.result.behavior.mode': 'DETAIL' };
    await begin('club', { 'club-usage': { maximumAmount: { USD: 15 } } }, detail);
    await use('13 videos 2026-04-10');
    await engine.runTo('2026-05-01T00:00:00Z');
    expect((await lines()).at(-1)).to.equal(
      'RECURRING 2026-05-01..2026-06-01 30, USAGE 2026-04-01..2026-05-01 15',
    );
    await upload({ 'club-usage': { minimumAmount: { USD: 25 } } });
    await use('1 videos 2026-05-10');
    await engine.runTo('2026-06-01T00:00:00Z');
    expect((await lines()).at(-1)).to.contain(
      'USAGE 2026-05-01..2026-06-01 23, USAGE 2026-05-01..2026-06-01 2',
    );
  });

  it('are rejected if they are unreadable, and nothing is stored', async () => {
    await begin('api-std', { 'std-usage': { percentOff: 50 } });
    await expectCode(upload({ 'std-usage': { percentOff: 200 } }), 'INVALID_PARAMETER');
    const { values } = await engine.acme.keyValues.get('USAGE_TERMS');
    expect(values).to.eql(['{"std-usage":{"percentOff":50}}']);
  });
});
