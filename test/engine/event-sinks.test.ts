import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { type EventSink, type PublishedEvent, RetryLater } from '../../lib/index.ts';
import { sinkService } from '../../lib/push/index.ts';
import { SYSTEM_TENANT } from '../../lib/records/index.ts';
import { anyDatabase, eachDatabase } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, openEngine, plainHasher, recordingLogger, storageOf } from '../support/index.ts';
import { openShop } from '../support/shop.ts';
import { author } from '../support/storage/stored-records.ts';

const NOW = '2025-03-10T10:00:00Z';

function recording(name: string, refuse: (event: PublishedEvent) => unknown = () => undefined) {
  const taken: PublishedEvent[] = [];
  const sink: EventSink = {
    name,
    onEvent: async (event) => {
      await refuse(event);
      taken.push(event);
    },
  };
  return { sink, taken };
}

eachDatabase.describe('event sinks', (open) => {
  let engine: TestEngine;
  const opened = async (sinks: readonly EventSink[], longestTimerMs?: number): Promise<void> => {
    const timers = longestTimerMs === undefined ? {} : { longestTimerMs };
    engine = await openEngine(open, { now: NOW, eventSinks: sinks, ...timers });
  };

  it('receive every event of all tenants once, in order per account, as in the feed (platform §10.6)', async () => {
    const [one, two] = [recording('one'), recording('two')];
    await opened([one.sink, two.sink]);
    const { acme } = engine;
    const { next } = await acme.events.list({ after: 'latest' });
    const { acme: theirs, tenant } = await openShop(engine.billing, null);
    const accounts = await Promise.all([1, 2, 3].map(() => engine.payingAccount({ currency: 'USD' })));
    for (const { id } of accounts) await acme.createSubscription({ accountId: id, planName: 'pro-monthly' });
    await engine.settle(theirs.createAccount({ currency: 'EUR' }));
    await engine.runTo('2025-05-10T10:00:00Z');
    const { events } = await acme.events.list({ after: next, limit: 1_000 });
    const shown = events.map(({ cursor: _, ...event }) => event);
    for (const { taken } of [one, two]) {
      for (const { id } of accounts) {
        const ofAccount = ({ accountId }: PublishedEvent) => accountId === id;
        expect(taken.filter(ofAccount)).to.eql(shown.filter(ofAccount));
      }
      expect(taken.filter(({ tenantId }) => tenantId === tenant.id)).to.have.length(1);
      expect(taken).to.have.length(shown.length + 1);
      expect(new Set(taken.map(({ id }) => id)).size).to.equal(taken.length);
    }
    expect(shown.map(({ eventType }) => eventType)).to.include('PAYMENT_SUCCESS');
  });

  it("receive a failed event again on the server's schedule, before later events of its account (platform §10.6)", async () => {
    let isDown = true;
    let tries = 0;
    const good = recording('good');
    const bad = recording('bad', ({ eventType }) => {
      if (eventType !== 'ACCOUNT_CREATION') return;
      tries += 1;
      if (isDown) throw new Error('the mailer is down');
    });
    await opened([bad.sink, good.sink]);
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.accounts.update(id, { changes: { name: 'Ada' } });
    await engine.settle(engine.acme.accounts.update(id, { changes: { name: 'Bea' } }));
    expect(good.taken).to.have.length(3);
    expect(bad.taken).to.have.length(0);
    for (const when of ['10:14:59', '10:15:00', '10:44:59', '10:45:00']) {
      if (when === '10:45:00') isDown = false;
      await engine.runTo(`2025-03-10T${when}Z`);
    }
    expect(tries).to.equal(3);
    expect(bad.taken).to.eql(good.taken);
  });

  it('receive an event again at the specified time whenever they throw RetryLater', async () => {
    let tries = 0;
    const { sink, taken } = recording('busy', () => {
      tries += 1;
      if (tries <= 8) throw new RetryLater(60_000, 'come again in a minute');
    });
    await opened([sink]);
    await engine.settle(engine.acme.createAccount({ currency: 'USD' }));
    for (let minute = 1; minute <= 8; minute += 1) {
      expect(taken).to.have.length(0);
      await engine.runTo(`2025-03-10T10:0${minute}:00Z`);
    }
    expect([tries, taken.length]).to.eql([9, 1]);
  });
});

anyDatabase.describe('event sinks in special cases', (open) => {
  let engine: TestEngine;

  it('receive an event again if they hang, without delaying other accounts, other sinks or billing (platform §10.6)', async () => {
    let hangs = true;
    const slow = recording('slow', async ({ accountId }) => {
      if (accountId === first && hangs) await new Promise(() => undefined);
    });
    const quick = recording('quick');
    let first = '';
    // The test does not wait for the time limit of the call.
    engine = await openEngine(open, { now: NOW, eventSinks: [slow.sink, quick.sink], longestTimerMs: 200 });
    first = (await engine.payingAccount({ currency: 'USD' })).id;
    const others: string[] = [];
    for (let index = 0; index < 12; index += 1)
      others.push((await engine.acme.createAccount({ currency: 'USD' })).id);
    await engine.subscribe({ accountId: first, planName: 'pro-monthly' });
    expect(slow.taken.map(({ accountId }) => accountId)).to.have.members(others);
    const { rows } = await engine.acme.invoices.page({ offset: 0, limit: 1 });
    expect(rows).to.have.length(1);
    expect(quick.taken.filter(({ accountId }) => accountId === first).length).to.be.greaterThan(3);
    hangs = false;
    await engine.runTo('2025-03-10T10:15:00Z');
    const ofFirst = ({ accountId }: PublishedEvent) => accountId === first;
    expect(slow.taken.filter(ofFirst)).to.eql(quick.taken.filter(ofFirst));
  });

  it('lose only events that they still reject after the last delay, with a log line for each (platform §10.6)', async () => {
    const bad = recording('bad', ({ eventType }) => {
      if (eventType === 'ACCOUNT_CREATION') throw new Error('no such template');
    });
    engine = await openEngine(open, { now: NOW, eventSinks: [bad.sink] });
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.settle(engine.acme.accounts.update(id, { changes: { name: 'Ada' } }));
    for (const when of ['10T10:15', '10T10:45', '10T12:45', '11T00:45', '12T00:45'])
      await engine.runTo(`2025-03-${when}:00Z`);
    expect(bad.taken.map(({ eventType }) => eventType)).to.eql(['ACCOUNT_CHANGE']);
    const [line] = engine.logger.lines.filter(
      ({ message }) => message === 'a push failed for the last time and was given up',
    );
    expect(line?.fields).to.deep.include({ sink: 'bad', attempts: 6, reason: 'no such template' });
  });

  it('receive system events without a tenant (platform §10.4 rule 4)', async () => {
    const { sink, taken } = recording('all');
    engine = await openEngine(open, { now: NOW, eventSinks: [sink] });
    const metaData = { service: 'nodes', commandType: 'RELOAD', eventJson: '{}' };
    await engine.storage.write(SYSTEM_TENANT, author(), async (session) =>
      session.publish([
        {
          type: 'BROADCAST_SERVICE',
          accountRecordId: null,
          payload: { accountId: null, objectId: null, metaData },
        },
      ]),
    );
    await engine.settle();
    expect(taken).to.have.length(1);
    expect(taken[0]).to.deep.include({ tenantId: null, eventType: 'BROADCAST_SERVICE', metaData });
  });

  it('are rejected if two sinks share a name or one sink has no name', async () => {
    engine = await openEngine(open, { now: NOW });
    for (const names of [['a', 'a'], [''], ['x'.repeat(101)]]) {
      const sinks = names.map((name) => recording(name).sink);
      const failure = await openEngine(open, { now: NOW, eventSinks: sinks }).catch(
        (error: unknown) => error,
      );
      expect(String(failure)).to.match(/event sink/i);
    }
  });

  it('receive events even from engines without these sinks, but only events created after an engine first opened with these sinks (platform §10.6)', async () => {
    engine = await openEngine(open, { now: NOW });
    const { database, acme, tenant } = engine;
    await acme.createAccount({ currency: 'USD' });
    const { sink, taken } = recording('late');
    const openWith = async (sinks: readonly EventSink[]): Promise<Billing<never>> =>
      Billing.open<never>({
        storage: storageOf(database),
        clock: fakeClock(NOW),
        hasher: plainHasher(),
        logger: recordingLogger(),
        pushSender: null,
        eventSinks: sinks,
      });
    await engine.close();
    const first = await openWith([sink]);
    await first.settle();
    await first.close();
    expect(taken).to.eql([]);
    const without = await openWith([]);
    const { id } = await without.as({ tenant, user: 'test' }).createAccount({ currency: 'EUR' });
    await without.settle();
    await without.close();
    const second = await openWith([sink]);
    await second.settle();
    await second.close();
    expect(taken.map(({ objectId }) => objectId)).to.eql([id]);
  });

  it('add no statements to the transaction of a change, regardless of the number of sinks (platform §10.6)', async () => {
    const sinks = ['one', 'two', 'three'].map((name) => recording(name).sink);
    engine = await openEngine(open, { now: NOW, eventSinks: sinks });
    const ofChange = await engine.statementsOf(() => engine.acme.createAccount({ currency: 'USD' }));
    expect(ofChange.length).to.be.greaterThan(2);
    expect(ofChange.filter((statement) => /bw_sink/.test(statement))).to.eql([]);
    const later = await engine.statementsOf(() => engine.settle());
    expect(later.filter((statement) => /insert into bw_sink_deliveries/.test(statement))).to.have.length(3);
  });

  it('appear in the metrics with their waiting events and the outcome of delivered events (platform §13)', async () => {
    let tries = 0;
    const busy = recording('busy', () => {
      tries += 1;
      if (tries === 1) throw new RetryLater(60_000, 'come again in a minute');
      if (tries === 2) throw new Error('down');
    });
    engine = await openEngine(open, {
      now: NOW,
      eventSinks: [busy.sink, recording('quick').sink],
      areCells: false,
    });
    await engine.acme.createAccount({ currency: 'USD' });
    const gauges = async () =>
      (await engine.billing.metrics())
        .filter(({ name }) => name.startsWith('event_sink'))
        .flatMap(({ name, values }) =>
          values
            .filter(({ value }) => value > 0)
            .map(({ labels, value }) => [name, ...Object.values(labels), value].join(' ')),
        );
    expect(await gauges()).to.eql(['event_sink_due busy 1', 'event_sink_due quick 1']);
    await engine.settle();
    await engine.runTo('2025-03-10T10:01:00Z');
    await engine.runTo('2025-03-10T10:16:00Z');
    expect(await gauges()).to.eql([
      'event_sink_attempts_total busy delivered 1',
      'event_sink_attempts_total busy failed 1',
      'event_sink_attempts_total busy put_off 1',
      'event_sink_attempts_total quick delivered 1',
    ]);
  });

  it('are remembered for at least a day after their last use, even if the queue history is shorter (platform §10.6)', async () => {
    const forgotten: number[] = [];
    engine = await openEngine(open, { now: NOW });
    const { storage, clock, systemClock, logger } = engine;
    const forget = async (unusedForMs: number) => void forgotten.push(unusedForMs);
    const own = { sinks: { ...storage.sinks, forget }, sink: (name: string) => storage.sink(name) };
    const watched = new Proxy(storage, { get: (_, name) => Reflect.get(own, name) });
    const ids = { next: () => crypto.randomUUID() as never };
    const ports = { storage: watched, clock, systemClock, logger, ids };
    const service = sinkService(ports, [recording('books').sink], []);
    await service.purge(0);
    await service.purge(90 * 24 * 3_600_000);
    expect(forgotten).to.eql([24 * 3_600_000, 90 * 24 * 3_600_000]);
  });

  it('require no stored data if no sink is configured', async () => {
    const statements: string[] = [];
    engine = await openEngine(open, { now: NOW, trace: (statement) => statements.push(statement) });
    await engine.settle(engine.acme.createAccount({ currency: 'USD' }));
    expect(statements.filter((statement) => /bw_sink/.test(statement))).to.eql([]);
  });
});
