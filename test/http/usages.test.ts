import { ErrorCode } from '../../lib/index.ts';
import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { aliasHeaders, anyDatabase, createdId, expect, expectRefusal } from '../support/http/index.ts';
import { expectStatus, jsonType, outcomeOf, plainType, serveOnce, xmlType } from '../support/http/serving.ts';

const catalog = catalogXml({
  effectiveDate: '2024-01-01T00:00:00Z',
  catalogName: 'Metered',
  units: ['sms'],
  products: product('P'),
  plans: plan('p-monthly', 'P'),
  priceLists: lists({ DEFAULT: ['p-monthly'] }),
});
const unknown = '11111111-1111-4111-8111-111111111111';

anyDatabase.describe('usage over HTTP', (open) => {
  const serving = serveOnce(open, { configuration: {} });
  let subscriptionId: string;

  before(async () => {
    expectStatus(await serving.post('/catalog/xml', catalog, xmlType), 201);
  });
  beforeEach(async () => {
    subscriptionId = await subscribed();
  });

  async function subscribed(timeZone = 'UTC'): Promise<string> {
    const account = await serving.post('/accounts', { currency: 'USD', timeZone });
    const body = { accountId: createdId(account), planName: 'p-monthly' };
    return createdId(expectStatus(await serving.post('/subscriptions', body), 201));
  }

  async function configure(settings: Readonly<Record<string, string>>): Promise<void> {
    const body = JSON.stringify(settings);
    await serving.post('/tenants/uploadPerTenantConfig', body, plainType);
  }

  const usageOf = (usageRecords: unknown, own: object = {}) => ({
    subscriptionId,
    unitUsageRecords: [{ unitType: 'sms', usageRecords }],
    ...own,
  });

  interface Recording {
    readonly query?: string;
    readonly headers?: Readonly<Record<string, string | undefined>>;
  }

  async function record(body: unknown, { query = '', headers = {} }: Recording = {}): Promise<string> {
    const { status, json, text } = await serving.post(`/usages${query}`, body, headers);
    if (status < 300) expect(text).to.equal('');
    const code = (json as { readonly code?: number } | undefined)?.code;
    return code === undefined ? String(status) : `${status} ${code}`;
  }

  async function rollUp(from: string, to: string, unit = '') {
    const path = `/1.0/kb/usages/${subscriptionId}${unit === '' ? '' : `/${unit}`}`;
    return serving.call('GET', `${path}?startDate=${from}&endDate=${to}`);
  }

  /** Returns the response text, because some amounts are not exact as doubles. */
  async function summed(from: string, to: string, unit = ''): Promise<string> {
    const { status, text } = await rollUp(from, to, unit);
    expect(status, text).to.equal(200);
    return text.replace(/^.*"rolledUpUnits":/, '').replace(/}$/, '');
  }

  it('is rejected in dialect D and accepted in dialect K if it has an unknown member (usage §2.1 check 1)', async () => {
    const point = { recordDate: '2024-03-01', amount: 1 };
    const wrong: readonly (readonly [body: object, member: string])[] = [
      [usageOf([point], { quantity: 5 }), 'quantity'],
      [usageOf([point], { subscriptionExternalKey: 'key' }), 'subscriptionExternalKey'],
      [
        { subscriptionId, unitUsageRecords: [{ unitType: 'sms', unit: 'x', usageRecords: [point] }] },
        'unitUsageRecords[0].unit',
      ],
      [usageOf([point, { ...point, quantity: 7 }]), 'unitUsageRecords[0].usageRecords[1].quantity'],
    ];
    for (const [body, member] of wrong) {
      const { status, json, text } = await serving.post('/usages', body);
      expectRefusal({ status, json }, 400, 60_003);
      expect(text).to.include(`SubscriptionUsageRecord ${member} is not a field`);
    }
    expect(await summed('2024-01-01', '2025-01-01')).to.not.include('amount');
    for (const [body] of wrong) expect(await record(body, { headers: aliasHeaders })).to.equal('201');
  });

  it('is recorded with a 201 response that has no body or Location, and is included in the sum (usage §2.1)', async () => {
    const body = usageOf([{ recordDate: '2024-8-1', amount: '5' }]);
    const made = await serving.post('/usages', body);
    expect([made.status, made.text, made.headers.get('location')]).to.eql([201, '', null]);
    expect((await rollUp('2024-08-01', '2024-09-01')).json).to.eql({
      subscriptionId,
      startDate: '2024-08-01T00:00:00.000Z',
      endDate: '2024-09-01T00:00:00.000Z',
      rolledUpUnits: [{ unitType: 'sms', amount: 5 }],
    });
    expect(await summed('2024-08-01', '2024-09-01', 'sms')).to.equal('[{"unitType":"sms","amount":5}]');
    expect(await summed('2024-08-01', '2024-09-01', 'calls')).to.equal('[]');
    expect(await summed('2024-08-02', '2024-09-01')).to.equal('[]');
    expect(await summed('2024-08-01', '2024-08-01')).to.equal('[]');
  });

  it('keeps amounts of 20 integer and 9 decimal digits exact (usage §2.4)', async () => {
    const amounts = ['111111111.111111111', '99999999999999999999.999999999', '"0.000000001"', '0', '1e3'];
    const each = amounts.map((amount) => `{"recordDate":"2024-03-01","amount":${amount}}`);
    const body = `{"subscriptionId":"${subscriptionId}","unitUsageRecords":[{"unitType":"sms","usageRecords":[${each}]}]}`;
    expect(await record(body, { headers: jsonType })).to.equal('201');
    expect(await summed('2024-03-01', '2024-03-02')).to.equal(
      '[{"unitType":"sms","amount":100000000000111112111.111111111}]',
    );
  });

  it('is rejected with 400 if it is incomplete or invalid (usage §2.1 checks 1 to 3)', async () => {
    const good = { recordDate: '2024-03-01', amount: 1 };
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      {},
      usageOf([good], { subscriptionId: null }),
      usageOf([good], { subscriptionId: 'x' }),
      usageOf([]),
      usageOf(null),
      usageOf([good], { unitUsageRecords: [] }),
      usageOf([good], { unitUsageRecords: [{ usageRecords: [good] }] }),
      usageOf([good], { unitUsageRecords: [{ unitType: '', usageRecords: [good] }] }),
      usageOf([good], { unitUsageRecords: [{ unitType: 'x'.repeat(256), usageRecords: [good] }] }),
      usageOf([good], { trackingId: 'x'.repeat(129) }),
      usageOf([good, { amount: 1 }]),
      usageOf([good, { recordDate: '2024-03-01' }]),
      usageOf([good, { recordDate: '2024-02-30', amount: 1 }]),
      usageOf([good, { recordDate: [2024, 3, 1], amount: 1 }]),
      usageOf([good, { recordDate: { date: 1 }, amount: 1 }]),
      usageOf([good, { recordDate: '2024-03-01', amount: 'x' }]),
      usageOf([good, { recordDate: '2024-03-01', amount: -1 }]),
      usageOf([good, { recordDate: '2024-03-01', amount: '1e400' }]),
      usageOf([good, { recordDate: '2024-03-01', amount: 'NaN' }]),
      usageOf([good, { recordDate: '2024-03-01', amount: '0.0000000001' }]),
      usageOf([good, { recordDate: '2024-03-01', amount: '100000000000000000000' }]),
    ]) {
      expect(await record(body, { headers: jsonType })).to.match(/^400 6000[13]$/);
    }
    expect(await summed('2024-01-01', '2025-01-01')).to.equal('[]');
  });

  it('can be dated by instants, by epoch milliseconds, and by numeric dates in dialect K (usage §2.3)', async () => {
    const at = Date.parse('2024-03-01T10:00:00Z');
    const records = ['2024-03-01T10:00:00.000Z', '2024-03-01T12:00:00+02:00', '2024-03-01T10', at].map(
      (recordDate) => ({ recordDate, amount: 1 }),
    );
    expect(await record(usageOf(records))).to.equal('201');
    expect(await summed('2024-03-01T10:00:00Z', '2024-03-01T10:00:00.001Z')).to.contain('"amount":4');
    const numbers = [
      { recordDate: [2024, 3, 5], amount: 1 },
      { recordDate: [2024, 3, 5, 10, 30, 0, 0], amount: 2 },
    ];
    expect(await record(usageOf(numbers), { headers: aliasHeaders })).to.equal('201');
    expect(await summed('2024-03-05T00:00:00Z', '2024-03-05T10:30:00Z')).to.contain('"amount":1');
    expect(await summed('2024-03-05', '2024-03-06')).to.contain('"amount":3');
  });

  it('is assigned to days in the account’s time zone (usage §2.3, §3.1)', async () => {
    subscriptionId = await subscribed('America/New_York');
    const days = ['2024-04-01', '2024-04-02T03:59:59.999Z', '2024-04-02T04:00:00Z'];
    expect(await record(usageOf(days.map((recordDate) => ({ recordDate, amount: 1 }))))).to.equal('201');
    const { json } = await rollUp('2024-04-01', '2024-04-02');
    expect(json).to.deep.include({
      startDate: '2024-04-01T04:00:00.000Z',
      endDate: '2024-04-02T04:00:00.000Z',
      rolledUpUnits: [{ unitType: 'sms', amount: 2 }],
    });
  });

  it('is rejected with 404 for an unknown subscription and 400 after the service end (usage §2.1 checks 4 and 5)', async () => {
    const records = [{ recordDate: '2024-03-01', amount: 1 }];
    const ended = ErrorCode.USAGE_RECORD_AFTER_SUBSCRIPTION_END;
    expect(await record(usageOf(records, { subscriptionId: unknown }))).to.equal('404 1082');
    expectStatus(await serving.remove(`/subscriptions/${subscriptionId}`), 204);
    expect(await record(usageOf(records))).to.equal(`400 ${ended}`);
    expect(await record(usageOf([{ recordDate: '2024-02-10', amount: 1 }]))).to.equal('201');
  });

  it('is rejected for unknown units by default in dialect D, or if the tenant requires known units (usage §2.1 check 6)', async () => {
    const records = (unitType: string) =>
      usageOf([], {
        unitUsageRecords: [{ unitType, usageRecords: [{ recordDate: '2024-03-01', amount: 1 }] }],
      });
    expect(await record(records('calls'))).to.equal('400 50002');
    const inK = { headers: aliasHeaders };
    expect(await record(records('calls'), inK)).to.equal('201');
    await configure({ 'org.killbill.usage.unknownUnitPolicy': 'ACCEPT' });
    expect(await record(records('calls'))).to.equal('201');
    await configure({ 'org.killbill.usage.unknownUnitPolicy': 'REJECT' });
    expect(await record(records('calls'), inK)).to.equal('400 50002');
    expect(await record(records('calls'))).to.equal('400 50002');
    expect(await record(records('sms'))).to.equal('201');
    await configure({});
  });

  it('is recorded once per tracking id and subscription (usage §2.1 check 7 and rule 6)', async () => {
    const records = [{ recordDate: '2024-03-01', amount: 1 }];
    const body = usageOf(records, { trackingId: 't1' });
    const other = usageOf([{ recordDate: '2024-03-01', amount: 2 }], { trackingId: 't1' });
    const ignoring = { query: '?onDuplicate=ignore' };
    expect(await record(body)).to.equal('201');
    expect(await record(body)).to.equal('400 50000');
    expect(await record(other)).to.equal('400 50000');
    expect(await record(body, ignoring)).to.equal('200');
    expect(await record(other, ignoring)).to.equal('409 50000');
    await configure({ 'org.killbill.usage.duplicatePolicy': 'IGNORE' });
    expect(await record(body)).to.equal('200');
    expect(await record(body, { query: '?onDuplicate=FAIL' })).to.equal('400 50000');
    await configure({});
    expect(await record(usageOf(records, { trackingId: 't1', subscriptionId: await subscribed() }))).to.equal(
      '201',
    );
    expect(await summed('2024-03-01', '2024-03-02')).to.contain('"amount":1}');
    const { text } = await serving.post('/usages', body);
    expect(text).to.contain(`Tracking id t1 was already used on subscription ${subscriptionId}`);
  });

  it('can be deleted repeatedly, and its tracking id stays in use (usage §2.2)', async () => {
    const trackingId = 'a b/ü';
    const body = usageOf([{ recordDate: '2024-03-01', amount: 7 }], { trackingId });
    expect(await record(body)).to.equal('201');
    expect(await record(usageOf([{ recordDate: '2024-03-01', amount: 2 }]))).to.equal('201');
    const path = `/1.0/kb/usages/${subscriptionId}/records/`;
    for (const _time of [1, 2]) {
      const voided = await serving.call('DELETE', path + encodeURIComponent(trackingId));
      expect([voided.status, voided.text]).to.eql([204, '']);
      expect(await summed('2024-03-01', '2024-03-02')).to.contain('"amount":2}');
    }
    expect(await record(body)).to.equal('400 50000');
    expectStatus(await serving.call('DELETE', `${path}other`), 404);
    expect((await serving.remove(`/usages/${unknown}/records/x`)).status).to.equal(404);
  });

  it('cannot be read with invalid bounds (400) or for an unknown subscription (404) (usage §3.1)', async () => {
    const path = `/1.0/kb/usages/${subscriptionId}`;
    for (const [query, code] of [
      ['', 60_003],
      ['?startDate=2024-03-01', 60_003],
      ['?endDate=2024-03-01', 60_003],
      ['?startDate=2024-03-01&endDate=x', 60_002],
      ['?startDate=2024-03-02&endDate=2024-03-01', 60_002],
      ['?startDate=2024-03-01T00:00:00.001Z&endDate=2024-03-01', 60_002],
    ] as const) {
      const { status, json } = await serving.call('GET', path + query);
      expect(outcomeOf({ status, json }), query).to.eql([400, code]);
    }
    const of = `/1.0/kb/usages/${unknown}?startDate=2024-03-01&endDate=2024-04-01`;
    expect((await serving.call('GET', of)).status).to.equal(404);
  });

  it('creates no audit row and no event (usage §1.2)', async () => {
    const before = await serving.get(`/subscriptions/${subscriptionId}?audit=FULL`);
    expect(await record(usageOf([{ recordDate: '2024-03-01', amount: 1 }]))).to.equal('201');
    const after = await serving.get(`/subscriptions/${subscriptionId}?audit=FULL`);
    expect(after.json).to.eql(before.json);
  });
});
