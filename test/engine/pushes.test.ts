import { httpPushSender, secretCipher } from '../../adapters/node/index.ts';
import { formatInstant } from '../../lib/index.ts';
import type { PushSender } from '../../lib/ports/index.ts';
import type { PushDelivery } from '../../lib/records/index.ts';
import { signingSecretService } from '../../lib/tenants/index.ts';
import type { TestEngine } from '../support/index.ts';
import { anyDatabase, eachDatabase, expect, isLongRun, openEngine } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';
import { isSignedWith, openReceiver, type Receiver } from '../support/push/receiver.ts';

const NOW = '2025-03-10T10:00:00Z';
const CALLBACK = 'PUSH_NOTIFICATION_CB';
/** Number of events while a receiver is unavailable. */
const EVENTS = isLongRun ? 1_000 : 40;

/** Returns all deliveries of the tenant, sent or not, in order. */
async function deliveriesOf({ storage, tenant }: TestEngine): Promise<readonly PushDelivery[]> {
  const { rows } = await storage.read(tenant, (session) =>
    session.deliveries.list({}, { offset: 0, limit: 10_000 }),
  );
  return rows;
}

function dueOf({ dueOrder }: PushDelivery): string {
  return dueOrder === 0 ? 'at once' : formatInstant(dueOrder as never);
}

eachDatabase.describe('pushes (platform §10)', (open) => {
  let engine: TestEngine;
  let receiver: Receiver;
  /** An account whose pushes time out early, so that the test need not wait for the real time limit. */
  let hanging: Account | undefined;

  beforeEach(async () => {
    hanging = undefined;
    receiver = await openReceiver();
    const real = httpPushSender();
    const pushSender: PushSender = {
      ...real,
      send: (push) => {
        const isImpatient = hanging !== undefined && push.body.includes(hanging.id);
        return real.send(isImpatient ? { ...push, timeoutMs: 300 } : push);
      },
    };
    engine = await openEngine(open, { now: NOW, testMode: true, pushSender });
  });
  afterEach(() => receiver.close());
  const register = (url = receiver.url) => engine.acme.keyValues.add(CALLBACK, url);
  const createAccount = () => engine.acme.createAccount({ currency: 'USD' });
  const retryAfter = (schedule: string) =>
    engine.acme.keyValues.add(
      'PER_TENANT_CONFIG',
      JSON.stringify({ 'org.service.billing.server.notifications.retries': schedule }),
    );

  it('report the registration of a callback to that callback (platform §18 P6)', async () => {
    await engine.settle(register());
    const [first] = receiver.arrived;
    if (first === undefined) throw new Error('nothing has arrived');
    const { text, headers, path } = first;
    expect(JSON.parse(text)).to.deep.include({
      eventType: 'TENANT_CONFIG_CHANGE',
      accountId: null,
      objectType: 'TENANT_KVS',
      metaData: '{"key":"PUSH_NOTIFICATION_CB"}',
    });
    expect(Object.keys(JSON.parse(text) as object)).to.eql([
      'eventType',
      'accountId',
      'objectType',
      'objectId',
      'metaData',
    ]);
    expect(headers).to.include({ 'content-type': 'application/json; charset=UTF-8' });
    expect(headers['user-agent']).to.match(/^Billwright\/\d/);
    expect(path).to.equal('/cb');
    await engine.acme.keyValues.add('color', 'red');
    await engine.acme.keyValues.delete(CALLBACK);
    await engine.settle(createAccount());
    expect(receiver.arrived).to.have.length(1);
    expect(await deliveriesOf(engine)).to.have.length(1);
  });

  it('report the subscription, invoice and payment events of each account in the order of the event bus', async () => {
    await register();
    const accounts: Account[] = [];
    for (let index = 0; index < 3; index += 1) accounts.push(await engine.payingAccount({ currency: 'USD' }));
    for (const { id } of accounts) await engine.subscribe({ accountId: id, planName: 'pro-monthly' });
    const written = await deliveriesOf(engine);
    for (const { id, recordId } of accounts) {
      const published = written.filter(({ accountRecordId }) => accountRecordId === recordId);
      expect(receiver.typesOf(id)).to.eql(published.map(({ eventType }) => eventType));
      expect(receiver.typesOf(id).slice(0, 2)).to.eql(['ACCOUNT_CREATION', 'ACCOUNT_CHANGE']);
      expect(receiver.typesOf(id)).to.include.members([
        'SUBSCRIPTION_CREATION',
        'ENTITLEMENT_CREATION',
        'INVOICE_CREATION',
      ]);
    }
    expect(new Set(receiver.arrived.map(({ id }) => id)).size).to.equal(receiver.arrived.length);
    expect(new Set(written.map(({ state }) => state))).to.eql(new Set(['PROCESSED']));
  });

  it('are retried five times on the default schedule and then fail (platform §18 P4)', async () => {
    await engine.settle(register());
    receiver.answer(500);
    await engine.settle(createAccount());
    const dates = [
      '2025-03-10T10:15:00.000Z',
      '2025-03-10T10:45:00.000Z',
      '2025-03-10T12:45:00.000Z',
      '2025-03-11T00:45:00.000Z',
      '2025-03-12T00:45:00.000Z',
    ];
    for (const date of dates) {
      const [, delivery] = await deliveriesOf(engine);
      expect(delivery && dueOf(delivery)).to.equal(date);
      expect(delivery).to.deep.include({ lastStatus: 500, lastError: 'The receiver answered 500' });
      await engine.runTo(date);
    }
    const [, delivery] = await deliveriesOf(engine);
    expect(delivery).to.deep.include({ state: 'FAILED', attempts: 6, failures: 6 });
    const sent = receiver.arrived.slice(1);
    expect(sent).to.have.length(6);
    expect(new Set(sent.map(({ id }) => id))).to.eql(new Set([delivery?.id]));
    await engine.runTo('2025-04-12');
    expect(receiver.arrived).to.have.length(7);
    expect(
      engine.logger.lines.some(
        ({ message }) => message === 'a push failed for the last time and was given up',
      ),
    ).to.equal(true);
  });

  it("are retried on the tenant's schedule until they succeed", async () => {
    await register();
    await engine.settle(retryAfter('15m,1h'));
    receiver.answer(302);
    await engine.settle(createAccount());
    await engine.runTo('2025-03-10T10:15:00Z');
    receiver.answer(204);
    await engine.runTo('2025-03-10T11:15:00Z');
    const last = (await deliveriesOf(engine)).at(-1);
    expect(last).to.deep.include({
      state: 'PROCESSED',
      attempts: 3,
      failures: 2,
      lastStatus: 204,
      lastError: null,
    });
    await engine.settle(retryAfter(''));
    receiver.answer(500);
    await engine.settle(createAccount());
    expect((await deliveriesOf(engine)).at(-1)).to.deep.include({ state: 'FAILED', attempts: 1 });
  });

  it('arrive exactly once, even if the receiver was down for an hour', async () => {
    await register();
    await engine.settle(retryAfter('15m,15m,15m,30m'));
    const there = receiver.arrived.length;
    receiver.answer(503);
    for (let index = 0; index < EVENTS; index += 1) {
      await createAccount();
      if (index % (EVENTS / 4) === 0) await engine.settle();
    }
    await engine.settle();
    await engine.runTo('2025-03-10T10:45:00Z');
    receiver.answer(200);
    const failed = receiver.arrived.length;
    await engine.runTo('2025-03-10T11:15:00Z');
    const late = receiver.arrived.slice(failed);
    expect(late).to.have.length(EVENTS);
    const ids = (await deliveriesOf(engine)).map(({ id }) => id).slice(there);
    expect(late.map(({ id }) => id).sort()).to.eql([...ids].sort());
    expect((await deliveriesOf(engine)).every(({ state }) => state === 'PROCESSED')).to.equal(true);
  });

  it('are signed with each active secret in the Standard Webhooks format', async () => {
    await engine.settle(register());
    expect(receiver.arrived.at(-1)?.headers).not.to.have.property('webhook-signature');
    const first = await engine.acme.signingSecrets.create();
    const send = async () => {
      await engine.settle(createAccount());
      const push = receiver.arrived.at(-1);
      if (push === undefined) throw new Error('nothing has arrived');
      return push;
    };
    expect(isSignedWith(first, await send())).to.equal(true);
    const second = await engine.acme.signingSecrets.create();
    const rotated = await send();
    expect([first, second].map((secret) => isSignedWith(secret, rotated))).to.eql([true, true]);
    expect(isSignedWith(second, { ...rotated, text: `${rotated.text} ` })).to.equal(false);
    engine.systemClock.push(24 * 3_600_000);
    // The verifier would compare with real time, which did not advance.
    expect(String((await send()).headers['webhook-signature']).split(' ')).to.have.length(1);
    await engine.acme.signingSecrets.delete();
    expect((await send()).headers).not.to.have.property('webhook-signature');
  });

  it('wait with an error visible to the tenant if the server cannot decrypt the signing secret', async () => {
    await engine.settle(register());
    const { storage, systemClock, billing, tenant } = engine;
    const ids = { next: () => crypto.randomUUID() as never };
    const cipher = secretCipher('the key of another server, of 32 characters');
    const elsewhere = signingSecretService({ storage, systemClock, ids, cipher });
    await elsewhere.create(await billing.context({ tenant, user: 'test' }));
    await engine.settle(createAccount());
    expect(receiver.arrived).to.have.length(1);
    expect((await deliveriesOf(engine)).at(-1)).to.deep.include({
      state: 'AVAILABLE',
      attempts: 1,
      lastError: 'This server cannot read the signing secret; create a new one',
    });
    await engine.acme.signingSecrets.delete();
    await engine.runTo('2025-03-10T10:15:00Z');
    expect(receiver.arrived).to.have.length(2);
  });

  it('are sent to the current callback, and are withdrawn if the callback is replaced before they arrive', async () => {
    await engine.settle(register());
    receiver.answer(500);
    await engine.settle(createAccount());
    const other = await openReceiver();
    try {
      await engine.settle(register(other.url));
      await engine.runTo('2025-03-10T10:15:00Z');
      expect(other.arrived.map(({ event }) => event.eventType)).to.eql(['TENANT_CONFIG_CHANGE']);
      const states = (await deliveriesOf(engine)).map(({ state, eventType }) => [eventType, state]);
      expect(states).to.eql([
        ['TENANT_CONFIG_CHANGE', 'PROCESSED'],
        ['ACCOUNT_CREATION', 'REMOVED'],
        ['TENANT_CONFIG_CHANGE', 'PROCESSED'],
      ]);
      expect(receiver.arrived).to.have.length(2);
    } finally {
      await other.close();
    }
  });

  it('start in account order, at most ten at a time, even if a receiver hangs', async () => {
    await engine.settle(register());
    hanging = await createAccount();
    const { id: hangingId } = hanging;
    for (let index = 0; index < 3; index += 1)
      await engine.acme.accounts.update(hangingId, { changes: { name: `name ${index}` } });
    const others: Account[] = [];
    for (let index = 0; index < 25; index += 1) others.push(await createAccount());
    receiver.answer((response, { event }) => {
      if (event.accountId !== hangingId) response.end();
    });
    await engine.settle();
    expect(receiver.typesOf(hangingId)).to.eql([
      'ACCOUNT_CREATION',
      'ACCOUNT_CHANGE',
      'ACCOUNT_CHANGE',
      'ACCOUNT_CHANGE',
    ]);
    for (const { id } of others) expect(receiver.typesOf(id)).to.eql(['ACCOUNT_CREATION']);
    expect(receiver.mostAtATime).to.be.at.most(10);
    const failed = (await deliveriesOf(engine)).filter(({ state }) => state === 'AVAILABLE');
    expect(failed.map(({ lastError, lastStatus }) => [lastError, lastStatus])).to.eql(
      new Array(4).fill(['No response within 0.3 s', null]),
    );
  });

  it('use at most ten connections, even if a receiver answers and then stalls the body (platform §10.2 rule 7)', async () => {
    await engine.settle(register());
    for (let index = 0; index < 24; index += 1) await createAccount();
    receiver.answer((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(drip));
    });
    await engine.settle();
    expect(receiver.typesOf()).to.have.length(24);
    // A slow machine may not use all ten.
    expect(receiver.mostAtATime).to.be.within(2, 10);
  });

  it('exclude internal events and event types that the tenant skips', async () => {
    await register();
    await engine.acme.keyValues.add(
      'PER_TENANT_CONFIG',
      '{"org.service.billing.server.event.post.type.skip":"ACCOUNT_CREATION"}',
    );
    await engine.settle(createAccount());
    expect(receiver.typesOf()).to.eql([]);
    expect(receiver.arrived).to.have.length(2);
  });

  it('are sent only to their own tenant', async () => {
    await register();
    const { tenants } = engine.billing;
    const other = await tenants.create({ userName: 'test' }, { apiKey: 'other', apiSecret: 'other' });
    await engine.billing.as({ tenant: other, user: 'test' }).createAccount({ currency: 'USD' });
    await engine.settle();
    expect(receiver.typesOf()).to.eql([]);
  });
});

anyDatabase.describe('pushes without a sender (platform §10)', (open) => {
  it('are not stored', async () => {
    const engine = await openEngine(open, { now: NOW, testMode: true });
    await engine.acme.keyValues.add(CALLBACK, 'http://127.0.0.1:1/');
    await engine.settle(engine.acme.createAccount({ currency: 'USD' }));
    expect(await deliveriesOf(engine)).to.eql([]);
    await engine.close();
  });
});
