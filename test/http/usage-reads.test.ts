import { aliasHeaders, eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { createdId, expectStatus, plainType, serveEach, xmlType } from '../support/http/serving.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

interface ItemJson {
  readonly invoiceItemId: string;
  readonly invoiceId: string;
  readonly itemType: string;
}

eachDatabaseByTurns.describe('usage reads over HTTP', (open) => {
  const serving = serveEach(open);
  const { call, put, remove } = serving;
  let accountId: string;
  let subscriptionId: string;

  beforeEach(async () => {
    serving.clock.set('2026-04-01T00:00:00Z');
    await post('/catalog/xml', usageCatalog, xmlType);
    accountId = createdId(await post('/accounts', { currency: 'USD', billCycleDayLocal: 1 }));
    subscriptionId = createdId(await post('/subscriptions', { accountId, planName: 'sms-payg' }));
    await serving.billing.settle();
  });

  async function post(path: string, body: unknown, headers = {}) {
    return expectStatus(await call('POST', `/1.0/kb${path}`, { body, headers }), 201);
  }

  async function get(path: string, headers = {}): Promise<unknown> {
    return expectStatus(await call('GET', `/1.0/kb${path}`, { headers }), 200).json;
  }

  const refused = async (path: string): Promise<string> => {
    const { status, json } = await call('GET', `/1.0/kb${path}`);
    return `${status} ${(json as { readonly code: number }).code}`;
  };

  /** Records usage such as `2 sms 2026-04-02`. */
  async function use(text: string, trackingId: string): Promise<void> {
    const [amount, unitType, recordDate] = text.split(' ');
    const unitUsageRecords = [{ unitType, usageRecords: [{ recordDate, amount }] }];
    await post('/usages', { subscriptionId, trackingId, unitUsageRecords });
  }

  async function runTo(at: string): Promise<void> {
    serving.clock.set(at);
    await serving.billing.settle();
  }

  const items = async (): Promise<readonly ItemJson[]> => {
    const invoices = await get(`/accounts/${accountId}/invoices?includeInvoiceComponents=true`);
    return (invoices as readonly { readonly items: readonly ItemJson[] }[]).flatMap((one) => one.items);
  };

  it('return the timeline as roll-ups, by day by default, with the same result in either dialect (usage §3.3)', async () => {
    await use('0.5 sms 2026-04-02T10:15:00Z', 'a');
    await use('99999999999999999999.999999999 faxes 2026-04-02', 'b');
    await use('2 sms 2026-04-03', 'c');
    const path = `/usages/${subscriptionId}/timeline?startDate=2026-04-01&endDate=2026-05-01`;
    const part = (startDate: string, endDate: string, ...units: readonly (readonly [string, number])[]) => ({
      subscriptionId,
      startDate: `2026-04-${startDate}:00.000Z`,
      endDate: `2026-04-${endDate}:00.000Z`,
      rolledUpUnits: units.map(([unitType, amount]) => ({ unitType, amount })),
    });
    const days = [
      part('02T00:00', '03T00:00', ['faxes', 1e20], ['sms', 0.5]),
      part('03T00:00', '04T00:00', ['sms', 2]),
    ];
    expect(await get(path)).to.eql(days);
    expect(await get(path, aliasHeaders)).to.eql(days);
    expect(await get(`${path}&granularity=hour&unitType=sms`)).to.eql([
      part('02T10:00', '02T11:00', ['sms', 0.5]),
      part('03T00:00', '03T01:00', ['sms', 2]),
    ]);
    const { text } = await call('GET', `/1.0/kb${path}&granularity=MONTH`);
    expect(text).to.contain('{"unitType":"faxes","amount":99999999999999999999.999999999}');
  });

  it('show that usage was charged once, and explain the credit, after a backdated change in a billed period (usage §7.3 rule 7)', async () => {
    await use('199 sms 2026-04-02', 'a');
    await use('101 sms 2026-04-20', 'b');
    await runTo('2026-05-01T00:00:00Z');
    await runTo('2026-05-02T00:00:00Z');
    const changed = await put(`/subscriptions/${subscriptionId}?requestedDate=2026-04-15`, {
      planName: 'api-std',
    });
    expect(changed.status, changed.text).to.equal(204);
    await serving.billing.settle();
    const all = (await items()) as readonly (ItemJson & {
      readonly amount: number;
      readonly startDate: string;
    })[];
    const usageItems = all.filter(({ itemType }) => itemType !== 'CBA_ADJ');
    expect(usageItems.map(({ itemType, startDate, amount }) => `${itemType} ${startDate} ${amount}`)).to.eql([
      'USAGE 2026-04-01 8.85',
      'REPAIR_ADJ 2026-04-15 -2.95',
      'USAGE 2026-04-15 0',
    ]);
    const credit = usageItems.find(({ itemType }) => itemType === 'REPAIR_ADJ');
    const explained = await get(`/invoiceItems/${credit?.invoiceItemId}/explanation`);
    expect(explained).to.deep.include({ usageDue: 5.9, usageBilledBefore: 8.85, creditDue: 2.95 });
    expect(await get(`/usages/${subscriptionId}/unbilled?startDate=2026-04-01&endDate=2026-05-01`)).to.eql([
      {
        unitType: 'sms',
        amount: 101,
        reason: 'UNKNOWN_UNIT',
        usageName: null,
        startDate: '2026-04-20',
        endDate: '2026-04-21',
      },
    ]);
  });

  it('list the current period’s cost as the items that billing will create (usage §3.3)', async () => {
    await use('199 sms 2026-04-02', 'a');
    await runTo('2026-04-10T00:00:00Z');
    const path = `/usages/${subscriptionId}/rated`;
    const [rated, ...others] = (await get(path)) as readonly ItemJson[];
    expect(others).to.eql([]);
    expect(rated).to.deep.include({
      itemType: 'USAGE',
      subscriptionId,
      accountId,
      usageName: 'sms-usage',
      prettyUsageName: 'sms-usage',
      startDate: '2026-04-01',
      endDate: '2026-05-01',
      amount: 5.9,
      currency: 'USD',
      rate: null,
      quantity: null,
      auditLogs: [],
      itemDetails:
        '{"tierDetails":[{"tier":1,"tierUnit":"sms","tierPrice":2.95,"quantity":2,"tierBlockSize":100,"amount":5.9}],"amount":5.9}',
    });
    expect(await get(`${path}?targetDate=2026-04-30`)).to.eql([]);
    for (const targetDate of ['2026-05-01', '2026-05-01T10:00:00Z'])
      expect(await get(`${path}?targetDate=${targetDate}`)).to.have.length(1);
    expect(await items()).to.eql([]);
    await runTo('2026-05-01T00:00:00Z');
    const [item] = await items();
    const made = ({ invoiceItemId: _, invoiceId: __, ...one }: ItemJson) => one;
    expect(item && made(item)).to.eql(rated && made(rated));
    expect(await refused(`${path}?targetDate=2030-05-02`)).to.equal('400 4005');
  });

  it('list uninvoiced usage by day with the reason (usage §3.3)', async () => {
    await use('1 sms 2026-03-31', 'a');
    await use('2 sms 2026-04-02', 'b');
    await use('3 faxes 2026-04-02', 'c');
    const path = `/usages/${subscriptionId}/unbilled?startDate=2026-03-01&endDate=2026-05-01`;
    const day = (startDate: string, endDate: string, own: object) => ({
      startDate,
      endDate,
      unitType: 'sms',
      usageName: null,
      ...own,
    });
    const unbilled = [
      day('2026-03-31', '2026-04-01', { amount: 1, reason: 'BEFORE_START' }),
      day('2026-04-02', '2026-04-03', { unitType: 'faxes', amount: 3, reason: 'UNKNOWN_UNIT' }),
      day('2026-04-02', '2026-04-03', { amount: 2, reason: 'NOT_YET_DUE', usageName: 'sms-usage' }),
    ];
    expect(await get(path)).to.eql(unbilled);
    expect(await get(path, aliasHeaders)).to.eql(unbilled);
    await runTo('2026-05-01T00:00:00Z');
    expect(await get(path)).to.eql(unbilled.slice(0, 2));
  });

  it('require an existing subscription, and require dates in views that use dates (usage §3.3)', async () => {
    const unknown = '11111111-1111-4111-8111-111111111111';
    const dates = 'startDate=2026-04-01&endDate=2026-05-01';
    for (const view of ['timeline', 'unbilled']) {
      const path = `/usages/${subscriptionId}/${view}`;
      for (const query of ['', '?startDate=2026-04-01', '?endDate=2026-04-01'])
        expect(await refused(`${path}${query}`)).to.equal('400 60003');
      expect(await refused(`${path}?startDate=2026-05-01&endDate=2026-04-01`)).to.equal('400 60002');
      expect(await refused(`/usages/${unknown}/${view}?${dates}`)).to.equal('404 1082');
    }
    expect(await refused(`/usages/${subscriptionId}/timeline?${dates}&granularity=WEEK`)).to.equal(
      '400 60002',
    );
    const centuries = 'startDate=0100-01-01&endDate=9999-01-01';
    expect(await refused(`/usages/${subscriptionId}/timeline?${centuries}`)).to.equal('400 60002');
    expect(await refused(`/usages/${unknown}/rated`)).to.equal('404 1082');
    expect(await refused(`/usages/${unknown}/rated?targetDate=2026-05-01`)).to.equal('404 1082');
  });

  it('return the first tracking ids with the invoice and all tracking ids in pages (usage §7.6)', async () => {
    const settings = { 'org.service.invoice.trackingIds.maxReturned': '2' };
    await post('/tenants/uploadPerTenantConfig', JSON.stringify(settings), plainType);
    for (const id of ['c', 'b', 'a']) await use('1 sms 2026-04-02', id);
    await runTo('2026-05-01T00:00:00Z');
    const [item] = await items();
    expect(await get(`/invoices/${item?.invoiceId}`)).to.deep.include({ trackingIds: ['c', 'b'] });
    const path = `/1.0/kb/invoices/${item?.invoiceId}/trackingIds`;
    const reply = await call('GET', `${path}?offset=1&limit=1`);
    expect(reply.json).to.eql(['b']);
    expect(reply.headers.get('x-service-pagination-totalnbrecords')).to.equal('3');
    expect(await get(`/invoices/${item?.invoiceId}/trackingIds`)).to.eql(['c', 'b', 'a']);
  });

  it('explain the quantity, the tiers and the amount billed earlier', async () => {
    await use('199 sms 2026-04-02', 'a');
    await runTo('2026-05-01T00:00:00Z');
    await use('101 sms 2026-04-03', 'late');
    await runTo('2026-06-01T00:00:00Z');
    const late = (await items()).find((_, index) => index === 1);
    const path = `/invoiceItems/${late?.invoiceItemId}/explanation`;
    const explained = await get(path);
    expect(explained).to.deep.include({
      itemType: 'USAGE',
      amount: 2.95,
      computedAmount: 2.95,
      periodStartDate: '2026-04-01',
      periodEndDate: '2026-05-01',
      billingPeriod: 'MONTHLY',
      usageName: 'sms-usage',
      usageType: 'CONSUMABLE',
      tierBlockPolicy: 'ALL_TIERS',
      usageStart: '2026-04-01T00:00:00.000Z',
      usageEnd: '2026-05-01T00:00:00.000Z',
      used: [{ unitType: 'sms', quantity: 300 }],
      usageLines: [{ tier: 1, unitType: 'sms', price: 2.95, quantity: 3, blockSize: 100, amount: 8.85 }],
      usageDue: 8.85,
      usageBilledBefore: 5.9,
      creditDue: null,
      creditLeft: null,
      accountCredit: null,
      amountInForce: null,
    });
    expect(await get(path, aliasHeaders)).to.eql(explained);
    await remove(`/usages/${subscriptionId}/records/a`);
    await runTo('2026-07-01T00:00:00Z');
    const credit = (await items()).find(({ itemType }) => itemType === 'REPAIR_ADJ');
    expect(await get(`/invoiceItems/${credit?.invoiceItemId}/explanation`)).to.deep.include({
      itemType: 'REPAIR_ADJ',
      amount: -2.95,
      used: [{ unitType: 'sms', quantity: 101 }],
      usageDue: 5.9,
      usageBilledBefore: 8.85,
      creditDue: 2.95,
      creditLeft: 2.95,
      accountCredit: null,
    });
  });
});
