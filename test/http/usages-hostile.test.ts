import { ErrorCode } from '../../lib/index.ts';
import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { basic, createdId, eachDatabaseByTurns, expect, migrated } from '../support/http/index.ts';
import { eve, expectStatus, jsonType, type Serving, serve, xmlType } from '../support/http/serving.ts';

const CALLERS = 50;
const ndjson = { 'content-type': 'application/x-ndjson' };
const catalog = catalogXml({
  effectiveDate: '2024-01-01T00:00:00Z',
  catalogName: 'Metered',
  units: ['sms'],
  products: product('P'),
  plans: plan('p-monthly', 'P'),
  priceLists: lists({ DEFAULT: ['p-monthly'] }),
});
/** The other tenant that `serve` creates. */
const nobody = '11111111-1111-4111-8111-111111111111';

eachDatabaseByTurns.describe('hostile usage callers over HTTP', (open) => {
  let serving: Serving;
  let subscriptionId: string;
  let bundleId: string;
  afterEach(() => serving.close());

  async function begin(): Promise<void> {
    serving = await serve(await open(migrated));
    const { post, get } = serving;
    for (const headers of [xmlType, { ...xmlType, ...eve }]) await post('/catalog/xml', catalog, headers);
    const account = await post('/accounts', { currency: 'USD' });
    const body = { accountId: createdId(account), planName: 'p-monthly' };
    subscriptionId = createdId(await post('/subscriptions', body));
    const made = await get(`/subscriptions/${subscriptionId}`);
    ({ bundleId } = made.json as { readonly bundleId: string });
  }

  /** Returns a submission as text, because some amounts have no JSON number. */
  function text(amounts: readonly string[], { trackingId = 't', of = subscriptionId } = {}): string {
    const records = amounts.map((amount) => `{"recordDate":"2024-02-01","amount":${amount}}`);
    const ids = `"subscriptionId":"${of}","trackingId":"${trackingId}"`;
    return `{${ids},"unitUsageRecords":[{"unitType":"sms","usageRecords":[${records}]}]}`;
  }

  const record = (body: string, headers: object = {}) =>
    serving.post('/usages', body, { ...jsonType, ...headers });

  async function outcomeOf(body: string, headers: object = {}): Promise<string> {
    const reply = await record(body, headers);
    const { code } = (reply.json ?? {}) as { readonly code?: number };
    return code === undefined ? String(reply.status) : `${reply.status} ${code}`;
  }

  async function lineOf(body: string, headers: object = {}): Promise<string> {
    const path = '/1.0/kb/usages/bulk?report=FULL';
    const reply = await serving.call('POST', path, { body, headers: { ...ndjson, ...headers } });
    const { failures } = reply.json as {
      readonly failures: readonly { readonly status: string; readonly code: string | null }[];
    };
    return failures.map(({ status, code }) => [status, code ?? ''].join(' ').trim()).join();
  }

  async function summed(): Promise<string> {
    const path = `/1.0/kb/usages/${subscriptionId}?startDate=2023-01-01&endDate=2025-01-01`;
    const { text: reply } = await serving.call('GET', path);
    return reply.replace(/^.*"rolledUpUnits":/, '').replace(/}$/, '');
  }

  it(`record a tracking id once on ${CALLERS} simultaneous connections (usage §2.1 rule 7)`, async () => {
    await begin();
    const singles = Array.from({ length: CALLERS }, () => outcomeOf(text(['5'])));
    const outcomes = (await Promise.all(singles)).toSorted();
    const taken = `400 ${ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS}`;
    expect(outcomes).to.eql(['201', ...Array.from({ length: CALLERS - 1 }, () => taken)]);
    const lines = Array.from({ length: 12 }, () => lineOf(text(['7'], { trackingId: 'u' })));
    expect((await Promise.all(lines)).toSorted()).to.eql([
      'ACCEPTED',
      ...Array.from({ length: 11 }, () => 'DUPLICATE'),
    ]);
    expect(await summed()).to.equal('[{"unitType":"sms","amount":12}]');
  });

  it('cannot send an invalid, too large, too precise or negative number in any format (usage §2.4)', async () => {
    await begin();
    for (const [amount, answer, line] of [
      ['1e400', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['-1e400', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['1e999999999', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['1e-999999999', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['"1e400"', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['NaN', '400 60001', 'REJECTED MALFORMED'],
      ['"NaN"', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['Infinity', '400 60001', 'REJECTED MALFORMED'],
      ['"Infinity"', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['0x10', '400 60001', 'REJECTED MALFORMED'],
      ['-1', '400 60003', 'REJECTED INVALID_AMOUNT'],
      ['-0.000000001', '400 60003', 'REJECTED INVALID_AMOUNT'],
      ['100000000000000000000', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['99999999999999999999.9999999991', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['0.0000000001', '400 60001', 'REJECTED INVALID_AMOUNT'],
      [`1${'0'.repeat(5_000)}`, '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['[1]', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['true', '400 60001', 'REJECTED INVALID_AMOUNT'],
      ['null', '400 60003', 'REJECTED MISSING_FIELD'],
    ] as const) {
      expect(await outcomeOf(text(['1', amount])), amount.slice(0, 40)).to.equal(answer);
      expect(await lineOf(text(['1', amount])), amount.slice(0, 40)).to.equal(line);
    }
    expect(await summed()).to.equal('[]');
    expect(await outcomeOf(text(['99999999999999999999.999999999', '0.000000001']))).to.equal('201');
    expect(await summed()).to.equal('[{"unitType":"sms","amount":100000000000000000000}]');
  });

  it('store nothing if one row of a submission is invalid, and get the number of that row (usage §2.1 rule 5)', async () => {
    await begin();
    const amounts = Array.from({ length: 500 }, (_, index) => (index === 317 ? '-1' : '1'));
    const reply = expectStatus(await record(text(amounts)), 400);
    const named = 'unitUsageRecords[0].usageRecords[317].amount';
    expect(reply.text).to.contain(named);
    const missing = expectStatus(await record(text(amounts).replace('"amount":-1', '"amount":null')), 400);
    expect(missing.text).to.contain(
      'UsageRecordJson amount needs to be set (unitUsageRecords[0].usageRecords[317])',
    );
    const lines = [
      text(['2'], { trackingId: 'a' }),
      text(amounts, { trackingId: 'b' }),
      text(['3'], { trackingId: 'c' }),
    ];
    const path = '/1.0/kb/usages/bulk';
    const bulk = await serving.call('POST', path, { body: lines.join('\n'), headers: ndjson });
    expect(bulk.json).to.deep.include({ received: 3, accepted: 2, rejected: 1 });
    const [failure] = (bulk.json as { readonly failures: readonly Record<string, unknown>[] }).failures;
    expect(failure).to.deep.include({ index: 1, trackingId: 'b', code: 'INVALID_AMOUNT' });
    expect(failure?.message).to.contain(named);
    expect(await summed()).to.equal('[{"unitType":"sms","amount":5}]');
    expect(await outcomeOf(text(['4'], { trackingId: 'b' })), 'its tracking id is free').to.equal('201');
  });

  it('can record usage for subscriptions that are blocked or end later, but not for foreign or unknown subscriptions (usage §2.1)', async () => {
    await begin();
    expectStatus(await serving.put(`/bundles/${bundleId}/pause`), 204);
    expect(await outcomeOf(text(['1'], { trackingId: 'blocked' }))).to.equal('201');
    expect(await lineOf(text(['2'], { trackingId: 'blocked, a line' }))).to.equal('ACCEPTED');
    await serving.put(`/bundles/${bundleId}/resume`);
    expectStatus(await serving.remove(`/subscriptions/${subscriptionId}`), 204);
    expect(await outcomeOf(text(['4'], { trackingId: 'before the end' }))).to.equal('201');
    const late = text(['8'], { trackingId: 'after the end' }).replace('2024-02-01', '2024-03-01');
    const ended = ErrorCode.USAGE_RECORD_AFTER_SUBSCRIPTION_END;
    expect(await outcomeOf(late)).to.equal(`400 ${ended}`);
    expect(await lineOf(late)).to.equal('REJECTED SUBSCRIPTION_ENDED');
    const unknown = text(['16'], { trackingId: 'nobody', of: nobody });
    const foreign = text(['32'], { trackingId: 'foreign' });
    for (const [body, headers] of [
      [unknown, {}],
      [foreign, { ...eve, authorization: basic('admin', 'password') }],
    ] as const) {
      expect(await outcomeOf(body, headers)).to.equal('404 1082');
      expect(await lineOf(body, headers)).to.equal('REJECTED UNKNOWN_SUBSCRIPTION');
    }
    expect(await summed()).to.equal('[{"unitType":"sms","amount":7}]');
  });
});
