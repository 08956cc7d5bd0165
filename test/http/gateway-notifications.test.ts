import { MAX_NOTIFICATION_BYTES } from '../../adapters/koa/routing/body.ts';
import { externalPaymentGateway } from '../../lib/payments/index.ts';
import { eachDatabaseByTurns, expect, populateOnce, textOf, type World } from '../support/http/index.ts';
import { eve, expectRefusal, type Reply } from '../support/http/serving.ts';
import { SIGNING_GATEWAY, signatureOf } from '../support/payments/scripted-gateway.ts';

const anonymous = {
  authorization: undefined,
  'x-service-apikey': undefined,
  'x-service-apisecret': undefined,
  'x-service-createdby': undefined,
};

/** Start of a card number. Fewer digits could occur in a request id by chance. */
const CARD_BEGINS = '41111111';

eachDatabaseByTurns.describe('gateway notification API (payments §11.2)', (open) => {
  let nowMs = 0;
  const world = populateOnce(open, { http: { systemClock: { nowMs: () => nowMs } } });
  let eveId: string;

  before(async () => {
    eveId = textOf((await world.serving.get('/tenants?apiKey=eve')).json, 'tenantId');
  });
  beforeEach(() => {
    nowMs += 60_000;
    const { signing } = world.serving;
    signing.received.length = 0;
    signing.verified.count = 0;
    signing.process = () => ({});
  });

  const core = (
    pluginName: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string | undefined>> = {},
  ) => world.serving.post(`/paymentGateways/notification/${pluginName}`, body, headers);
  /** Sends a notification like a processor: an address and a signature. */
  const signed = (
    body: string | Uint8Array,
    {
      apiKey = 'bob',
      plugin = SIGNING_GATEWAY,
      signature = signatureOf(body, world.tenantId),
      query = '',
      headers = {},
    } = {},
  ) =>
    world.serving.call('POST', `/gateways/${apiKey}/${plugin}${query}`, {
      body,
      headers: { ...anonymous, 'content-type': 'text/x-own', 'x-signature': signature, ...headers },
    });

  it('passes a body of any type unchanged to the gateway (rule 1)', async () => {
    const { signing } = world.serving;
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', 'a=1&b=%20'],
      ['application/json', '\ufeff{"a": 1.50 }'],
      ['no/type;;;', 'x'],
      ['nonsense', '\r\n é\r\n'],
      ['multipart/form-data; boundary=x', '--x--'],
      [undefined, '<a/>'],
    ] as const) {
      const reply = await core(SIGNING_GATEWAY, body, { 'content-type': type });
      expect([reply.status, reply.text], reply.text).to.eql([200, '']);
      expect(signing.received.pop()).to.eql({ body, tenantId: world.tenantId, userName: 'demo' });
    }
  });

  it('replaces an empty body with the query and records the gateway as the default author (rule 1)', async () => {
    const { signing } = world.serving;
    await core(`${SIGNING_GATEWAY}?order=7&state=paid%20up`, '', { 'x-service-createdby': undefined });
    expect(signing.received).to.eql([
      { body: 'order=7&state=paid%20up', tenantId: world.tenantId, userName: SIGNING_GATEWAY },
    ]);
  });

  it('returns the status, entity and headers of the gateway (rule 1)', async () => {
    const { signing } = world.serving;
    signing.process = () => ({
      status: 299,
      entity: '<Response/>',
      headers: { 'Content-Type': 'text/xml', 'X-Processor': 'one', 'Cache-Control': 'no-store' },
    });
    for (const reply of [await core(SIGNING_GATEWAY, 'x'), await signed('x')]) {
      expect([reply.status, reply.text]).to.eql([299, '<Response/>']);
      expect(reply.headers.get('content-type')).to.equal('text/xml');
      expect(reply.headers.get('x-processor')).to.equal('one');
      expect(reply.headers.get('cache-control')).to.equal('no-store');
    }
    signing.process = () => ({ status: 503, entity: 'later' });
    expect([(await core(SIGNING_GATEWAY, 'x')).status, (await signed('x')).text]).to.eql([503, 'later']);
    signing.process = () => ({ status: 204 });
    expect((await signed('x')).status).to.equal(204);
  });

  it('prevents a gateway from splitting the response, setting cookies or changing connection headers (rule 1)', async () => {
    const { signing } = world.serving;
    signing.process = () => ({
      entity: 'ok',
      headers: {
        'Set-Cookie': 'JSESSIONID=stolen',
        'Transfer-Encoding': 'chunked',
        'Content-Length': '1',
        Connection: 'upgrade',
        'Access-Control-Allow-Origin': '*',
        'X-Service-Pagination-TotalNbRecords': '7',
        'X-Split': 'a\r\nSet-Cookie: b=c',
        'X-Long': 'x'.repeat(5_000),
        'bad name': 'x',
        'X-Request-Id': 'mine',
        'X-Ok': 'yes',
      },
    });
    const reply = await signed('x', { headers: { 'x-request-id': 'theirs' } });
    expect([reply.status, reply.text, reply.headers.get('x-ok')]).to.eql([200, 'ok', 'yes']);
    for (const name of ['set-cookie', 'access-control-allow-origin', 'x-split', 'x-long', 'bad name'])
      expect(reply.headers.has(name), name).to.equal(false);
    expect(reply.headers.has('x-service-pagination-totalnbrecords')).to.equal(false);
    expect(reply.headers.get('content-length')).to.equal('2');
    expect(reply.headers.get('x-request-id')).to.equal('theirs');
    const warning = world.serving.log.lines.findLast(({ message }) => message.includes('headers'));
    expect(warning?.fields).to.deep.include({ pluginName: SIGNING_GATEWAY });
  });

  for (const [what, answer] of [
    ['a status below 200', { status: 101 }],
    ['a status above 599', { status: 600 }],
    ['a non-numeric status', { status: '200' }],
    ['an entity that is not text', { entity: { a: 1 } }],
    ['an entity of two megabytes', { entity: 'x'.repeat(2_097_152) }],
    ['nothing', null],
  ] as const)
    it(`makes the processor retry if the gateway returns ${what} (rule 1)`, async () => {
      world.serving.signing.process = () => answer as never;
      expectRefusal(await core(SIGNING_GATEWAY, 'x'), 500, 7019);
      expectRefusal(await signed('x'), 500, 7019);
    });

  it('returns 400 for an unknown plugin and for a plugin without notifications (rule 1)', async () => {
    expectRefusal(await core('stripe', 'x'), 400, 7028);
    expect((await core(externalPaymentGateway().name, 'x')).status).to.equal(200);
  });

  it('returns the status that matches the kind of gateway error, and hides the details (rule 1)', async () => {
    const { signing, log } = world.serving;
    signing.process = () => Promise.reject(new Error('secret detail'));
    const reply = await core(SIGNING_GATEWAY, 'x');
    expectRefusal(reply, 500, 7019);
    expect(reply.text).to.not.include('secret detail');
    expect(log.lines.some(({ fields }) => JSON.stringify(fields).includes('secret detail'))).to.equal(true);
  });

  it('needs no credentials for signed notifications, and records the gateway as author (rule 2)', async () => {
    const { signing, billing } = world.serving;
    signing.process = async (_, context) => {
      await billing.createAccount(
        await billing.context({ tenant: context.tenantId, user: context.userName }),
        { externalKey: 'by-notification' },
      );
      return {};
    };
    expect((await signed('paid', { headers: { 'x-service-createdby': 'mallory' } })).status).to.equal(200);
    expect(signing.received).to.eql([{ body: 'paid', tenantId: world.tenantId, userName: SIGNING_GATEWAY }]);
    const made = await world.serving.get('/accounts?externalKey=by-notification&audit=FULL');
    expect((made.json as { auditLogs: { changedBy: string }[] }).auditLogs[0]?.changedBy).to.equal(
      SIGNING_GATEWAY,
    );
  });

  it('verifies the signature over the exact bytes (rule 2)', async () => {
    expect((await signed(new Uint8Array([0xff, 0xfe, 0x00, 0x0d, 0x0a, 0x80]))).status).to.equal(200);
    expect((await signed('', { query: '?paid=1' })).status).to.equal(200);
    expect(world.serving.signing.received.at(-1)?.body).to.equal('paid=1');
  });

  it('rejects notifications with a wrong signature, and neither stores nor logs them (rule 2b)', async () => {
    const { signing, log } = world.serving;
    const before = log.lines.length;
    const shown = await shownOf(world);
    for (const refused of [
      await signed('card=4111111111111111', { signature: 'wrong' }),
      await signed('card=4111111111111111', { headers: { 'x-signature': undefined } }),
      await signed('{"card":"4111111111111111"', { signature: 'wrong' }),
      await signed('{"card" 4111111111111111}', { signature: 'wrong' }),
    ]) {
      expectRefusal(refused, 401, 60_004);
      expect(refused.text).to.not.include(CARD_BEGINS);
    }
    expect(signing.received).to.eql([]);
    expect(await shownOf(world)).to.equal(shown);
    expect(JSON.stringify(log.lines.slice(before))).to.not.include(CARD_BEGINS);
    expect(log.lines.slice(before).map(({ message }) => message)).to.include(
      'a notification of a payment gateway was rejected',
    );
  });

  it('rejects notifications that were signed for a different tenant (rule 2b)', async () => {
    const { signing } = world.serving;
    const forEve = signatureOf('paid', eveId);
    expectRefusal(await signed('paid', { signature: forEve }), 401, 60_004);
    expectRefusal(await signed('paid', { apiKey: 'eve' }), 401, 60_004);
    expect(signing.received).to.eql([]);
    expect((await signed('paid', { apiKey: 'eve', signature: forEve })).status).to.equal(200);
    expect(signing.received.map(({ tenantId }) => tenantId)).to.eql([eveId]);
  });

  it('passes a repeated notification to the gateway again (rule 2c)', async () => {
    for (const _ of [1, 2, 3])
      expect((await signed('paid', { headers: { 'idempotency-key': 'same' } })).status).to.equal(200);
    expect(world.serving.signing.received).to.have.length(3);
  });

  it('returns the same response for an unknown tenant, an unknown gateway and a gateway without verification (rule 2b)', async () => {
    const { signing } = world.serving;
    const answers: (readonly [number, string])[] = [];
    for (const place of [
      { apiKey: 'nobody' },
      { apiKey: 'BOB' },
      { apiKey: 'x'.repeat(500) },
      { plugin: 'stripe' },
      { plugin: 'killbill-payment-test' },
      { plugin: '__EXTERNAL_PAYMENT__' },
      { plugin: 'constructor' },
      { apiKey: 'nobody', plugin: 'stripe' },
    ]) {
      const { status, text } = await signed('paid', place);
      answers.push([status, text]);
    }
    for (const answer of answers) expect(answer).to.eql(answers[0]);
    expect(answers[0]?.[0]).to.equal(404);
    expect(answers[0]?.[1]).to.include('"code":60008');
    expect([signing.received.length, signing.verified.count]).to.eql([0, 0]);
  });

  it('rejects notifications of two megabytes and accepts notifications of one megabyte (rule 2a)', async () => {
    const { signing } = world.serving;
    const large = Buffer.alloc(2 * MAX_NOTIFICATION_BYTES, 'x');
    for (const place of [{}, { apiKey: 'nobody' }, { plugin: 'stripe' }])
      expectRefusal(await signed(large, place), 413, 60_012);
    expectRefusal(await core(SIGNING_GATEWAY, large), 413, 60_012);
    expect([signing.received.length, signing.verified.count]).to.eql([0, 0]);
    expect((await signed(Buffer.alloc(MAX_NOTIFICATION_BYTES, 'x'))).status).to.equal(200);
    expect(signing.received[0]?.body.length).to.equal(MAX_NOTIFICATION_BYTES);
  });

  it('accepts a burst of forty notifications, then twenty a second (rule 2d)', async () => {
    const replies: Reply[] = [];
    for (let count = 0; count < 100; count += 1) replies.push(await signed('paid'));
    expect(replies.filter(({ status }) => status === 200)).to.have.length(40);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).to.have.length(60);
    for (const each of refused) {
      expectRefusal(each, 429, 60_015);
      expect(each.headers.get('retry-after')).to.equal('1');
    }
    expect(world.serving.signing.received).to.have.length(40);
    // The limit applies neither to the other tenant nor to authenticated callers.
    const forEve = signatureOf('paid', eveId);
    expect((await signed('paid', { apiKey: 'eve', signature: forEve })).status).to.equal(200);
    expect((await core(SIGNING_GATEWAY, 'x')).status).to.equal(200);
    nowMs += 1_000;
    const later: number[] = [];
    for (let count = 0; count < 30; count += 1) later.push((await signed('paid')).status);
    expect(later.filter((status) => status === 200)).to.have.length(20);
  });

  it('allows the processor’s full rate while forged notifications arrive on four connections (rule 2d)', async () => {
    const forge = async (): Promise<number> => (await signed('paid', { signature: 'forged' })).status;
    let isOver = false;
    const forging = Array.from({ length: 4 }, async () => {
      const statuses: number[] = [];
      while (!isOver) statuses.push(await forge());
      return statuses;
    });
    const taken: number[] = [];
    for (let count = 0; count < 20; count += 1) taken.push((await signed('paid')).status);
    isOver = true;
    const refused = (await Promise.all(forging)).flat();
    expect(taken).to.eql(Array.from({ length: 20 }, () => 200));
    while (refused.length < 41) refused.push(await forge());
    expect(refused.filter((status) => status === 401)).to.have.length(40);
    expect(refused.filter((status) => status === 429)).to.have.length(refused.length - 40);
    expect(world.serving.signing.received).to.have.length(20);
  });

  it('rejects notifications beyond the limit of simultaneous verifications without calling the gateway (rule 2d)', async () => {
    const { signing } = world.serving;
    const decision = Promise.withResolvers<boolean>();
    const verify = signing.verifyNotification;
    const waitsForProcessor = (): Promise<boolean> => {
      signing.verified.count += 1;
      return decision.promise;
    };
    Object.assign(signing, { verifyNotification: waitsForProcessor });
    const waiting = Array.from({ length: 20 }, () => signed('paid'));
    while (signing.verified.count < 20) await new Promise((resolve) => setImmediate(resolve));
    expectRefusal(await signed('paid'), 429, 60_015);
    expect(signing.verified.count).to.equal(20);
    decision.resolve(true);
    for (const each of waiting) expect((await each).status).to.equal(200);
    Object.assign(signing, { verifyNotification: verify });
    expect((await signed('paid')).status).to.equal(200);
  });

  it('counts unknown tenants and gateways like known ones, so that the rate reveals nothing (rule 2d)', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 41; count += 1)
      statuses.push((await signed('x', { apiKey: 'nobody' })).status);
    expect([statuses[0], statuses.at(-1)]).to.eql([404, 429]);
  });

  it('neither exposes nor changes data of another tenant on the path with credentials', async () => {
    const { signing } = world.serving;
    await core(SIGNING_GATEWAY, 'x', eve);
    expect(signing.received.map(({ tenantId }) => tenantId)).to.eql([eveId]);
  });
});

/** Returns what the tenant's lists show. */
async function shownOf({ serving, accountId }: World): Promise<string> {
  const paths = [
    '/1.0/kb/accounts/pagination?audit=FULL',
    `/1.0/kb/accounts/${accountId}/payments?audit=FULL`,
  ];
  const texts: string[] = [];
  for (const path of paths) texts.push((await serving.call('GET', path)).text);
  return texts.join('\n');
}
