import sinon from 'sinon';
import { isStorable, runOnce } from '../../adapters/koa/dispatch/keyed-request.ts';
import { BillingError, ErrorCode } from '../../lib/index.ts';
import { IdempotencyService } from '../../lib/runtime/index.ts';
import { addUser, basic, createdId, expectRefusal, expectStatus } from '../support/http/index.ts';
import { type Reply, type Request, type Serving, serve, serveOnce } from '../support/http/serving.ts';
import { eachDatabase, expect, migrated, recordingLogger, type TestDatabase } from '../support/index.ts';

const accounts = '/1.0/kb/accounts';

eachDatabase.describe('requests with an Idempotency-Key', (open) => {
  const serving = serveOnce(open);

  const create = (key: string, name: string, headers: Request['headers'] = {}) =>
    serving.call('POST', accounts, { body: { name }, headers: { 'idempotency-key': key, ...headers } });

  it('run once, and return the same status, Location and body when repeated, with a header that marks the replay', async () => {
    const [first, again] = [await create('a-1', 'Ada'), await create('a-1', 'Ada')];
    expect([first.status, again.status]).to.eql([201, 201]);
    expect(first.headers.get('idempotency-replayed')).to.equal(null);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.headers.get('location')).to.equal(first.headers.get('location'));
    expect(again.headers.get('content-type')).to.equal('application/json');
    expect(again.headers.get('content-length')).to.equal('0');
    expect(await countNamed(serving, 'Ada')).to.equal(1);
  });

  it('return the stored body again, even if a new call would not cause the same error', async () => {
    const body = { externalKey: 'taken' };
    const headers = { 'idempotency-key': 'e-1' };
    const holder = await serving.call('POST', accounts, { body });
    const refused = expectStatus(await serving.call('POST', accounts, { body, headers }), 409);
    await serving.call('PUT', `${accounts}/${createdId(holder)}`, { body: { name: 'changed' } });
    const again = await serving.call('POST', accounts, { body, headers });
    expect([again.status, again.text]).to.eql([409, refused.text]);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
  });

  it('are rejected if the key was used with another body, path or query', async () => {
    await create('o-1', 'Olga');
    const others = [
      await create('o-1', 'Oleg'),
      await serving.call('POST', `${accounts}?x=1`, {
        body: { name: 'Olga' },
        headers: { 'idempotency-key': 'o-1' },
      }),
      await serving.post(
        '/tagDefinitions',
        { name: 'red', description: 'd', applicableObjectTypes: ['ACCOUNT'] },
        { 'idempotency-key': 'o-1' },
      ),
    ];
    for (const { status, json } of others) {
      expect(status).to.equal(422);
      expect(json).to.include({ code: 60014 });
    }
    expect(await countNamed(serving, 'Oleg')).to.equal(0);
  });

  it('run separately for each tenant, even with the same key', async () => {
    const bob = await create('t-1', 'Tom');
    const eve = await create('t-1', 'Tim', { 'x-service-apikey': 'eve', 'x-service-apisecret': 'other' });
    expect([bob.status, eve.status]).to.eql([201, 201]);
    expect(eve.headers.get('idempotency-replayed')).to.equal(null);
  });

  it('get 409 while the first call runs, and take effect only once', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => create('c-1', 'Cleo')));
    for (const { status, json } of replies.filter((reply) => reply.status !== 201)) {
      expect(status).to.equal(409);
      expect(json).to.include({ code: 60013 });
    }
    expect(replies.filter(({ status }) => status === 201)).to.not.be.empty;
    expect(await countNamed(serving, 'Cleo')).to.equal(1);
  });

  it('require the credentials and the permission on every repeat', async () => {
    await create('p-1', 'Pia');
    expect((await create('p-1', 'Pia', { authorization: basic('admin', 'wrong') })).status).to.equal(401);
    await addUser(serving, 'reader');
    expect((await create('p-1', 'Pia', { authorization: basic('reader', 'password') })).status).to.equal(403);
  });

  it('may have a key of up to 255 characters, and are not recorded if the key is empty', async () => {
    expect((await create('k'.repeat(255), 'Kim')).status).to.equal(201);
    expectRefusal(await create('k'.repeat(256), 'Long'), 400, 60002);
    await create('', 'Nobody');
    expect((await create('', 'Nobody')).headers.get('idempotency-replayed')).to.equal(null);
    expect([await countNamed(serving, 'Long'), await countNamed(serving, 'Nobody')]).to.eql([0, 2]);
  });

  it('are recorded even without a tenant, except for token requests', async () => {
    const tenant = (apiKey: string) =>
      serving.post('/tenants', { apiKey, apiSecret: 's' }, { 'idempotency-key': 'n-1' });
    const [made, again] = [await tenant('new'), await tenant('new')];
    expect([made.status, again.status]).to.eql([201, 201]);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    const token = () =>
      serving.call('POST', '/plugins/catalog-plugin/v1/auth', { headers: { 'idempotency-key': 'n-2' } });
    const [one, other] = [await token(), await token()];
    expect([one.status, other.headers.get('idempotency-replayed')]).to.eql([200, null]);
  });

  it('are not recorded if they use GET', async () => {
    const headers = { 'idempotency-key': 'g-1' };
    await serving.call('GET', `${accounts}/pagination`, { headers });
    const again = await serving.call('GET', `${accounts}/pagination`, { headers });
    expect(again.headers.get('idempotency-replayed')).to.equal(null);
  });
});

describe('requests with an Idempotency-Key on two servers', () => {
  eachDatabase((kind, open) => {
    if (kind === 'sqlite') return;
    let database: TestDatabase;
    let nodes: readonly Serving[];
    before(async () => {
      database = await open(migrated);
      nodes = [await serve(database), await serve(database)];
    });
    after(() => Promise.all(nodes.map((node) => node.close())));

    it('run only once, regardless of which server receives them', async () => {
      const call = (node: Serving | undefined): Promise<Reply> => {
        if (node === undefined) throw new Error('there are two');
        const headers = { 'idempotency-key': 'both' };
        return node.call('POST', accounts, { body: { name: 'Both' }, headers });
      };
      const [one, other] = nodes;
      const replies = await Promise.all([call(one), call(other), call(one), call(other)]);
      for (const { status } of replies) expect(status).to.be.oneOf([201, 409]);
      const [first, second] = [await call(one), await call(other)];
      expect(second.headers.get('location')?.split('/').at(-1)).to.equal(createdId(first));
      expect(await countNamed(nodes[0] as Serving, 'Both')).to.equal(1);
    });
  });
});

describe('recorded requests with an Idempotency-Key', () => {
  const errorOf = (code: ErrorCode, facts = {}) => new BillingError({ code, message: 'm', facts });

  it('keep their key claimed, without a response, if the database was lost during the commit', async () => {
    const idempotency = sinon.createStubInstance(IdempotencyService);
    idempotency.begin.resolves({ claim: { tenantRecordId: 0, key: 'k', claimId: 'c' as never } });
    const failing = (facts: object) => async () => ({
      rendered: { status: 503, headers: {}, body: '' },
      error: errorOf(ErrorCode.BUSY, facts),
    });
    const request = { tenant: null, key: 'k', hash: 'h' };
    const services = { billing: { idempotency }, logger: recordingLogger() };
    await runOnce(request, services, failing({ isOutcomeUnknown: true }));
    expect([idempotency.keep.callCount, idempotency.release.callCount]).to.eql([0, 0]);
    await runOnce(request, services, failing({}));
    expect([idempotency.keep.callCount, idempotency.release.callCount]).to.eql([0, 1]);
  });

  for (const [what, status, error, kept] of [
    ['a success', 201, null, true],
    ['a rejection', 400, errorOf(ErrorCode.MALFORMED_BODY), true],
    ['a declined payment', 402, errorOf(ErrorCode.PAYMENT_CREATE_PAYMENT, { transactionId: 't' }), true],
    ['a wait that timed out', 408, errorOf(ErrorCode.COMPLETION_TIMEOUT), true],
    ['a busy payment', 409, errorOf(ErrorCode.PAYMENT_INTERNAL_ERROR), false],
    ['a busy account', 503, errorOf(ErrorCode.BUSY), false],
    ['a lasting conflict', 409, errorOf(ErrorCode.VERSION_CONFLICT), false],
    ['an unexpected failure', 500, errorOf(ErrorCode.UNEXPECTED), false],
    ['an unknown outcome', 503, errorOf(ErrorCode.PAYMENT_INTERNAL_ERROR, { transactionId: 't' }), true],
    ['a gateway that took too long', 504, errorOf(ErrorCode.PAYMENT_PLUGIN_TIMEOUT), false],
  ] as const)
    it(`are ${kept ? 'kept' : 'forgotten'} for ${what} (${status})`, () =>
      expect(isStorable(status, error)).to.equal(kept));
});

async function countNamed(serving: Serving, name: string): Promise<number> {
  const { json } = await serving.call('GET', `${accounts}/pagination?limit=1000`);
  return (json as readonly { readonly name: string }[]).filter((account) => account.name === name).length;
}
