import { ErrorCode } from '../../lib/values/errors/index.ts';
import { aliasHeaders, createdId, exampleCatalog, expectRefusal } from '../support/http/index.ts';
import { expectStatus, jsonType, type Serving, serve, serveOnce, xmlType } from '../support/http/serving.ts';
import { anyDatabase, expect, migrated } from '../support/index.ts';
import { ACCEPTS_UNKNOWN_UNITS } from '../support/usage/unknown-units.ts';

const path = '/1.0/kb/usages/bulk';
const ndjson = { 'content-type': 'application/x-ndjson' };

anyDatabase.describe('bulk usage API', (open) => {
  const serving = serveOnce(open);
  let subscriptionId: string;

  before(async () => {
    const { post } = serving;
    await post('/catalog/xml', await exampleCatalog(), xmlType);
  });
  beforeEach(async () => {
    const account = await serving.post('/accounts', { currency: 'USD' });
    const body = { accountId: createdId(account), planName: 'canopy-monthly' };
    subscriptionId = createdId(await serving.post('/subscriptions', body));
  });

  const lineOf = (trackingId: string, recordDate: unknown = '2024-03-01', own: object = {}) => ({
    subscriptionId,
    trackingId,
    unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate, amount: 1 }] }],
    ...own,
  });

  async function summed(): Promise<unknown> {
    const query = 'startDate=2024-01-01&endDate=2025-01-01';
    const { json } = await serving.get(`/usages/${subscriptionId}?${query}`);
    return (json as { rolledUpUnits: readonly { amount: number }[] }).rolledUpUnits[0]?.amount;
  }

  const counts = { accepted: 0, duplicates: 0, conflicts: 0, rejected: 0 };
  const noneOf = { ...counts, failures: [], failuresTruncated: false };

  it('accepts a list and newline-delimited records (usage §2.5)', async () => {
    const list = await serving.call('POST', path, { body: [lineOf('1'), lineOf('2')] });
    expect([list.status, list.json]).to.eql([200, { ...noneOf, received: 2, accepted: 2 }]);
    const lines = [lineOf('2'), lineOf('3')].map((line) => JSON.stringify(line));
    const body = `${lines.join('\r\n')}\n\n \n${JSON.stringify(lineOf('4', 'ü'))}`;
    const { status, json } = await serving.call('POST', `${path}?report=full`, { body, headers: ndjson });
    expect(status).to.equal(200);
    expect(json).to.deep.include({ received: 3, accepted: 1, duplicates: 1, conflicts: 0, rejected: 1 });
    const { failures } = json as { failures: readonly { status: string; code: string | null }[] };
    expect(failures.map((each) => `${each.status} ${each.code}`)).to.eql([
      'DUPLICATE null',
      'ACCEPTED null',
      'REJECTED INVALID_DATE',
    ]);
    expect(await summed()).to.equal(3);
  });

  it('rejects a line with an unknown member in dialect D and accepts the line in dialect K (usage §2.1 check 1)', async () => {
    const lines = (run: string) => [
      lineOf(`${run} 1`, '2024-03-01', { tags: ['x'] }),
      lineOf(`${run} 2`, '2024-03-01', {
        unitUsageRecords: [
          { unitType: 'sms', usageRecords: [{ recordDate: '2024-03-01', amount: 1, amuont: 2 }] },
        ],
      }),
      lineOf(`${run} 3`, '2024-03-01', { subscriptionId: undefined, subscriptionExternalKey: 'none' }),
      lineOf(`${run} 4`),
    ];
    const forms = [
      (run: string) => ({ body: lines(run), headers: {} }),
      (run: string) => ({
        body: lines(run)
          .map((line) => JSON.stringify(line))
          .join('\n'),
        headers: ndjson,
      }),
    ];
    for (const [index, form] of forms.entries()) {
      const { json } = await serving.call('POST', path, form(`D${index}`));
      expect(json).to.deep.include({ received: 4, accepted: 1, rejected: 3 });
      const { failures } = json as { failures: readonly { code: string; message: string }[] };
      const failureLines = failures.map(({ code, message }) => `${code}: ${message}`);
      expect(failureLines.slice(0, 2)).to.eql([
        'MALFORMED: SubscriptionUsageRecord tags is not a field of a usage record; its fields are subscriptionId, trackingId, unitUsageRecords, subscriptionExternalKey',
        'MALFORMED: SubscriptionUsageRecord unitUsageRecords[0].usageRecords[0].amuont is not a field of a usage record; did you mean amount?',
      ]);
      expect(failureLines[2]).to.match(/^UNKNOWN_SUBSCRIPTION/);
      const { body, headers } = form(`K${index}`);
      const inK = await serving.call('POST', path, { body, headers: { ...aliasHeaders, ...headers } });
      expect(inK.json).to.deep.include({ received: 4, accepted: 3, rejected: 1 });
    }
    expect(await summed()).to.equal(8);
  });

  it('accepts the other lines if one line is not valid JSON (usage §2.5)', async () => {
    const body = ['{', JSON.stringify(lineOf('1')), '7', '[]', 'null', '['.repeat(1_000)].join('\n');
    const { json } = await serving.call('POST', path, { body, headers: ndjson });
    expect(json).to.deep.include({ received: 6, accepted: 1, rejected: 5 });
    const { failures } = json as { failures: readonly { index: number; code: string }[] };
    expect(failures.map(({ index, code }) => `${index} ${code}`)).to.eql(
      [0, 2, 3, 4, 5].map((index) => `${index} MALFORMED`),
    );
  });

  it('accepts numeric dates only in dialect K (usage §2.3)', async () => {
    const body = [lineOf('1', [2024, 3, 1]), lineOf('2', [2024, 3, 1, 10, 0, 0, 0])];
    expect((await serving.call('POST', path, { body })).json).to.deep.include({ rejected: 2 });
    const inK = await serving.call('POST', path, { body, headers: aliasHeaders });
    expect(inK.json).to.deep.include({ accepted: 2 });
    const forged = [lineOf('3', { date: 1 }), lineOf('4', { at: 1 })];
    expect((await serving.call('POST', path, { body: forged })).json).to.deep.include({ rejected: 2 });
  });

  it('returns 400 for a body that is empty or not a list, and 413 with the report for more than 50,000 lines (usage §2.5)', async () => {
    for (const [body, headers] of [
      ['', ndjson],
      ['', jsonType],
      ['{}', jsonType],
      ['[', jsonType],
      ['null', jsonType],
    ] as const) {
      const refused = await serving.call('POST', path, { body, headers });
      expect(refused.status, `${headers['content-type']} ${body}`).to.equal(400);
    }
    expect((await serving.call('POST', path, { body: [] })).json).to.eql({ ...noneOf, received: 0 });
    const body = `${JSON.stringify(lineOf('1'))}\n${'7\n'.repeat(50_000)}`;
    const cut = expectStatus(await serving.call('POST', path, { body, headers: ndjson }), 413);
    expect(cut.json).to.deep.include({ received: 50_000, accepted: 1, rejected: 49_999 });
    expect(cut.json).to.deep.include({ failuresTruncated: true });
  });
});

anyDatabase.describe('bulk usage API with deployment limits', (open) => {
  let serving: Serving;

  async function answerTo(configuration: Readonly<Record<string, string>>, body: string) {
    serving = await serve(await open(migrated), {
      configuration: { ...ACCEPTS_UNKNOWN_UNITS, ...configuration },
    });
    return serving.call('POST', path, { body, headers: ndjson });
  }
  afterEach(() => serving.close());

  it('returns 413 with a report on the processed lines if the request exceeds usage.bulk.maxRecords', async () => {
    const { status, json } = await answerTo({ 'org.service.usage.bulk.maxRecords': '2' }, '1\n2\n3\n4\n');
    expect(status).to.equal(413);
    expect(json).to.include({ received: 2, rejected: 2 });
  });

  it('returns 413 before reading a body whose declared size exceeds usage.bulk.maxBytes', async () => {
    const refused = await answerTo({ 'org.service.usage.bulk.maxBytes': '7' }, '1\n2\n3\n4\n');
    expectRefusal(refused, 413, ErrorCode.TOO_LARGE);
    expect((await serving.call('POST', path, { body: '1\n2\n3\n', headers: ndjson })).status).to.equal(200);
  });
});
