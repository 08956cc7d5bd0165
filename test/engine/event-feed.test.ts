import { setTimeout } from 'node:timers/promises';
import { ErrorCode, type EventFeed } from '../../lib/index.ts';
import type { PushSender } from '../../lib/ports/index.ts';
import { stringifyExactJson } from '../../lib/values/money/index.ts';
import { eachDatabase, expect, hostOf, openEngine, type TestEngine } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { author } from '../support/storage/stored-records.ts';

const NOW = '2025-03-10T10:00:00Z';

eachDatabase.describe('event feed (platform §10.6)', (open) => {
  let engine: TestEngine;
  let pushed: { readonly id: string; readonly body: string }[];
  let statements: string[] | undefined;
  let start: string;

  beforeEach(async () => {
    [pushed, statements] = [[], undefined];
    const pushSender: PushSender = {
      resolve: async () => ['192.0.2.1'],
      send: async ({ id, body }) => {
        pushed.push({ id, body });
        return { status: 200 };
      },
    };
    const trace = (statement: string) => statements?.push(statement);
    engine = await openEngine(open, { now: NOW, pushSender, trace });
    // Starts after the events of creating the shop.
    start = (await engine.acme.events.list({ after: 'latest' })).next;
  });
  const list = (request: Parameters<TestEngine['acme']['events']['list']>[0] = {}) =>
    engine.acme.events.list({ after: start, ...request });
  const types = ({ events }: EventFeed) => events.map(({ eventType }) => eventType);
  const createAccount = (name?: string) => engine.acme.createAccount({ currency: 'USD', name: name ?? null });

  it('returns the same events as pushes, with the same ids and in the same order', async () => {
    await engine.acme.keyValues.add('PUSH_NOTIFICATION_CB', 'https://example.com/cb');
    const { next } = await list({ after: 'latest' });
    const account = await engine.payingAccount({ currency: 'USD' });
    await engine.acme.createSubscription({ accountId: account.id, planName: 'pro-monthly' });
    await engine.runTo('2025-05-10T10:00:00Z');
    const { events } = await list({ after: next });
    expect(types({ events, next })).to.include.members(['INVOICE_CREATION', 'PAYMENT_SUCCESS']);
    const expected = events.map(({ id, eventType, accountId, objectType, objectId, metaData }) => ({
      id: String(id),
      body: JSON.stringify({
        eventType,
        accountId,
        objectType,
        objectId,
        metaData: metaData === null ? null : stringifyExactJson(metaData),
      }),
    }));
    // The account's events in order. Events of the tenant are pushed as well.
    expect(pushed.filter(({ body }) => body.includes(account.id))).to.eql(expected);
    expect(new Set(events.map(({ tenantId }) => tenantId))).to.eql(new Set([engine.tenant.id]));
    const [paid] = events.flatMap((event) => (event.eventType === 'PAYMENT_SUCCESS' ? [event] : []));
    // Amounts are typed: a Decimal with all digits.
    expect(paid?.metaData.amount?.toString()).to.match(/^\d+(\.\d+)?$/);
    expect(JSON.parse(JSON.stringify(paid)).createdDate).to.match(/^2025-\d\d-\d\dT/);
  });

  it('returns the events before a cursor, newest first and page by page', async () => {
    const [oldest, ...later] = [await createAccount('a'), await createAccount('b'), await createAccount('c')];
    const before = (cursor: string, limit = 2) =>
      engine.acme.events.list({ before: cursor, limit, types: ['ACCOUNT_CREATION'] });
    const newest = await before('latest');
    expect(newest.events.map(({ objectId }) => objectId)).to.eql(later.toReversed().map(({ id }) => id));
    const [next] = (await before(newest.next)).events;
    expect(next?.objectId).to.equal(oldest?.id);
    expect(
      (await before(next?.cursor ?? '')).events.map(({ cursor }) => Number(cursor) < Number(start)),
    ).to.not.include(false);
    expect(await before('0')).to.eql({ events: [], next: '0' });
    expect((await engine.acme.events.list({ after: newest.next, before: 'latest' })).events).to.have.length(
      1,
    );
  });

  it('leaves an event of an unknown type, and all later events, to nodes that know the type (platform §15 rule 5)', async () => {
    await createAccount();
    const { storage, tenant, acme, billing } = engine;
    const given: string[] = [];
    const subscription = await billing.events.subscribe({
      tenant,
      after: start,
      onEvent: ({ eventType }) => void given.push(eventType),
    });
    await storage.write(tenant, author(), async (session) =>
      session.publish([{ type: 'OF_LATER' as 'ACCOUNT_CHANGE', accountRecordId: null, payload: {} }]),
    );
    const { id: objectId } = await createAccount();
    const first = await list();
    expect(types(first)).to.eql(['ACCOUNT_CREATION']);
    expect(first.events[0]?.objectId).to.not.equal(objectId);
    expect(first.next).to.equal(first.events[0]?.cursor);
    expect(await acme.events.list({ after: first.next })).to.eql({ events: [], next: first.next });
    while (given.length === 0) await setTimeout(5);
    await list();
    await subscription.close();
    expect(given).to.eql(['ACCOUNT_CREATION']);
    expect(subscription.cursor).to.equal(first.next);
    expect(engine.logger.lines.filter(({ message }) => /subscriber/.test(message))).to.eql([]);
  });

  it('continues from any position, page by page, without gaps or repetitions', async () => {
    const accounts: string[] = [];
    for (let index = 0; index < 7; index += 1) accounts.push((await createAccount()).id);
    const whole = await list();
    expect(whole.events.map(({ objectId }) => objectId)).to.eql(accounts);
    for (const [index, { cursor }] of whole.events.entries()) {
      const rest = await list({ after: cursor });
      expect(rest.events).to.eql(whole.events.slice(index + 1));
      expect(rest.next).to.equal(whole.next);
    }
    const paged: unknown[] = [];
    let after = start;
    for (let page = 0; page < 4; page += 1) {
      const { events, next } = await list({ after, limit: 2 });
      paged.push(...events);
      after = next;
    }
    expect(paged).to.eql(whole.events);
    await engine.settle();
    expect((await list()).events).to.eql(whole.events);
  });

  it('returns events by type, without events that the tenant skips or events of other tenants', async () => {
    const { tenants } = engine.billing;
    const other = await tenants.create({ userName: 'test' }, { apiKey: 'other', apiSecret: 'secret' });
    const theirs = engine.billing.as({ tenant: other, user: 'test' });
    const { id } = await createAccount();
    await theirs.createAccount({ currency: 'USD' });
    await engine.acme.accounts.update(id, { changes: { name: 'Ada' } });
    expect(types(await list({ types: ['ACCOUNT_CHANGE'] }))).to.eql(['ACCOUNT_CHANGE']);
    expect(types(await list())).to.eql(['ACCOUNT_CREATION', 'ACCOUNT_CHANGE']);
    expect(types(await theirs.events.list({}))).to.eql(['ACCOUNT_CREATION']);
    for (const property of ['post', 'dispatch']) {
      const name = `org.service.billing.server.event.${property}.type.skip`;
      await engine.acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [name]: 'ACCOUNT_CHANGE' }));
      await engine.acme.accounts.update(id, { changes: { name: property } });
    }
    expect(types(await list())).to.eql([
      'ACCOUNT_CREATION',
      'ACCOUNT_CHANGE',
      'TENANT_CONFIG_CHANGE',
      'TENANT_CONFIG_CHANGE',
    ]);
  });

  it('returns an awaited event as soon as the event is committed, and an empty page when the wait times out', async () => {
    const { next } = await list({ after: 'latest' });
    expect(await list({ after: next, waitMs: 1 })).to.eql({ events: [], next });
    const waiting = list({ after: next, waitMs: 30_000 });
    const { id } = await createAccount();
    expect((await waiting).events.map(({ objectId }) => objectId)).to.eql([id]);
    const last = list({ after: (await waiting).next, waitMs: 30_000 });
    await engine.billing.close();
    expect((await last).events).to.eql([]);
  });

  it('rejects invalid cursors and limits, and positions not yet committed', async () => {
    for (const request of [
      { after: 'x' },
      { after: '-1' },
      { limit: 0 },
      { limit: 1_001 },
      { waitMs: 30_001 },
    ]) {
      const refused = await rejection(list(request));
      expect(refused.code, JSON.stringify(request)).to.equal(ErrorCode.INVALID_PARAMETER);
    }
    const { message } = await hostOf(engine.database).transaction((em) =>
      rejection(engine.billing.as({ tenant: engine.tenant, user: 'test' }).within(em).events.list({})),
    );
    expect(message).to.match(/cannot be read inside a host transaction/);
  });

  it('sends the same number of SQL statements for any number of events', async () => {
    const counted = async (request: Parameters<typeof list>[0]): Promise<number> => {
      statements = [];
      await list(request);
      return statements.splice(0).length;
    };
    await createAccount();
    const one = await counted({ limit: 1 });
    for (let index = 0; index < 20; index += 1) await createAccount();
    expect(await counted({})).to.equal(one);
    expect((await list()).events).to.have.length(21);
    expect(one).to.be.lessThan(7);
  });
});
