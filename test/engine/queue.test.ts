import sinon from 'sinon';
import { scryptHasher, uuidGenerator } from '../../adapters/node/index.ts';
import { type FakeClock, fakeClock } from '../../adapters/testing/index.ts';
import { AccountService } from '../../lib/accounts/index.ts';
import type { NewBusEvent, NewNotification, TenantRef } from '../../lib/index.ts';
import { addMilliseconds, BillingError, BusEventType, ErrorCode, QueueName } from '../../lib/index.ts';
import { billAfterMovedDay, loadBalances } from '../../lib/invoicing/index.ts';
import { LeaseLostError, type Storage } from '../../lib/ports/storage/index.ts';
import type { HandlerBatch, KindSettings, QueueHandler, QueueSettings } from '../../lib/runtime/index.ts';
import { DEFAULT_QUEUE_SETTINGS, Dispatcher } from '../../lib/runtime/index.ts';
import { QUEUE_HELP_AFTER_MS } from '../../lib/runtime/queue/dispatcher.ts';
import { DEFAULT_TENANT_SETTINGS, tenantService } from '../../lib/tenants/index.ts';
import { QUEUE_LEASE_MS, QUEUE_POLL_MS } from '../../lib/values/limits.ts';
import { type DatabaseKind, eachDatabase, type OpenDatabase } from '../support/databases.ts';
import {
  codeOf,
  expect,
  migrated,
  pushableSystemClock,
  recordingLogger,
  storageOf,
} from '../support/index.ts';

const MINUTE_MS = 60_000;
const SETTLE_MS = 60_000;

eachDatabase.describe('queue', define);

function define(open: OpenDatabase, kind: DatabaseKind): void {
  let storage: Storage<never>;
  let clock: FakeClock;
  let tenant: TenantRef;
  let accountRecordIds: number[];
  const systemClock = pushableSystemClock();
  const logger = recordingLogger();
  const ids = uuidGenerator();
  const opened: { stop(): Promise<void> }[] = [];

  beforeEach(async () => {
    storage = storageOf(await open(migrated));
    // Until a storage knows which events have consumers, it keeps all of them.
    await storage.prepare({ isConsumed: ({ type }) => type === BusEventType.INVOICE_CREATION });
    clock = fakeClock('2025-03-10T10:00:00Z');
    tenant = await newTenant();
    accountRecordIds = await newAccounts(3);
  });

  afterEach(async () => {
    for (const each of opened.splice(0)) await each.stop();
    await storage.close();
  });

  const authorship = () => ({
    userName: 'test',
    reasonCode: null,
    comments: null,
    createdDate: clock.now(),
    userTokenOf: () => ids.next(),
  });

  async function newTenant(): Promise<TenantRef> {
    const tenants = tenantService({ storage, ids, hasher: scryptHasher(), clock });
    return tenants.create(authorship(), { apiKey: `key-${kind}`, apiSecret: 'secret' });
  }

  async function newAccounts(count: number): Promise<number[]> {
    const accounts = new AccountService({ storage, ids, systemClock }, async () => DEFAULT_TENANT_SETTINGS, {
      billAfterMovedDay,
      loadBalances,
    });
    const context = {
      ...authorship(),
      tenant,
      principal: null,
      userToken: ids.next(),
      callOrigin: 'TEST' as const,
    };
    const recordIds: number[] = [];
    for (let index = 0; index < count; index += 1)
      recordIds.push((await accounts.create(context, {})).recordId);
    return recordIds;
  }

  type DispatcherOptions = Partial<ConstructorParameters<typeof Dispatcher>[1]>;

  function dispatcher(
    handlers: readonly QueueHandler[],
    options: DispatcherOptions = {},
    after = systemClock.after,
  ) {
    const ports = { storage, clock, systemClock: { ...systemClock, after }, ids, logger };
    const made = new Dispatcher(ports, { handlers, tenantOf: async () => tenant, node: 'n1', ...options });
    opened.push(made);
    return made;
  }

  async function put(events: readonly NewBusEvent[], notifications: readonly NewNotification[] = []) {
    await storage.write(tenant, authorship(), async (session) => {
      session.publish(events);
      session.schedule(notifications);
    });
  }

  const event = (account: number, n: unknown): NewBusEvent => ({
    type: BusEventType.INVOICE_CREATION,
    accountRecordId: accountRecordIds[account] ?? 0,
    payload: { n },
  });

  const notification = (account: number, days: number, n?: unknown): NewNotification => {
    const at = fakeClock(clock.now());
    at.advance({ days });
    return {
      queueName: QueueName.NEXT_BILLING_DATE,
      accountRecordId: accountRecordIds[account] ?? 0,
      effectiveDate: at.now(),
      payload: { n },
      uniqueKey: null,
    };
  };

  const handling = (handle: QueueHandler['handle']): QueueHandler => ({
    name: 'handling',
    topics: [BusEventType.INVOICE_CREATION],
    handle,
  });

  /** Returns a handler that records its payloads and throws until `failures` are used up. */
  function recorder(name: string, failures = 0) {
    const seen: unknown[] = [];
    let left = failures;
    const handler: QueueHandler = {
      name,
      topics: [BusEventType.INVOICE_CREATION, QueueName.NEXT_BILLING_DATE],
      async handle(batch: HandlerBatch) {
        if (left > 0) {
          left -= 1;
          throw new Error(`${name} is out of order`);
        }
        seen.push(...batch.entries.map((entry) => entry.payload.n));
      },
    };
    return { handler, seen };
  }

  const failuresLogged = (from = 0): readonly Readonly<Record<string, unknown>>[] =>
    logger.lines
      .slice(from)
      .filter(({ message }) => message === 'handler of a queue entry failed')
      .map(({ fields }) => ({ ...fields }));

  async function settleThroughPauses(node: Dispatcher, pauses: number): Promise<void> {
    for (let pause = 0; pause <= pauses; pause += 1) {
      await node.settle(null, 0);
      systemClock.push(MINUTE_MS);
    }
  }

  it('passes each due entry to its handler once, and leaves future entries unchanged', async () => {
    const { handler, seen } = recorder('only');
    const node = dispatcher([handler]);
    await put([event(0, 1), event(1, 2)], [notification(0, 0, 3), notification(0, 1, 4)]);
    expect(await node.settle(null, SETTLE_MS)).to.equal(true);
    expect(seen.toSorted()).to.eql([1, 2, 3]);
    clock.advance({ days: 1 });
    expect(await node.settle(null, SETTLE_MS)).to.equal(true);
    expect(seen.toSorted()).to.eql([1, 2, 3, 4]);
  });

  it('processes the bus entries of an account first, and then its notifications, sorted by date', async () => {
    const { handler, seen } = recorder('only');
    const node = dispatcher([handler]);
    await put([], [notification(0, 3, 'third day'), notification(0, 1, 'first day')]);
    await put([event(0, 'bus 1'), event(0, 'bus 2')]);
    clock.advance({ days: 5 });
    await node.settle(null, SETTLE_MS);
    expect(seen).to.eql(['bus 1', 'bus 2', 'first day', 'third day']);
  });

  it('retries a failing handler three times, and then sets its entry to FAILED (platform P11 "Handler failure")', async () => {
    const { handler, seen } = recorder('only', Number.POSITIVE_INFINITY);
    const node = dispatcher([handler]);
    await put([event(0, 1)]);
    await settleThroughPauses(node, 4);
    expect(seen).to.eql([]);
    expect(await storage.queue.countPending(null, clock.now())).to.equal(0);
    const outcomes = failuresLogged().slice(-4);
    expect(outcomes.map(({ kind }) => kind)).to.eql(['retry', 'retry', 'retry', 'fail']);
    expect(outcomes.map(({ errorCount }) => errorCount)).to.eql([0, 1, 2, 3]);
  });

  it('retries only the handlers that have not finished (platform P11 "Handler failure")', async () => {
    const first = recorder('first');
    const second = recorder('second', 2);
    const node = dispatcher([first.handler, second.handler]);
    await put([event(0, 1)]);
    await settleThroughPauses(node, 3);
    expect(first.seen).to.eql([1]);
    expect(second.seen).to.eql([1]);
  });

  it('processes the other entries of a batch that contains a bad entry', async () => {
    const seen: unknown[] = [];
    const handler = handling(async (batch) => {
      if (batch.entries.some((entry) => entry.payload.n === 'bad')) throw new Error('bad entry');
      seen.push(...batch.entries.map((entry) => entry.payload.n));
    });
    const node = dispatcher([handler]);
    await put([event(0, 'good'), event(1, 'bad'), event(2, 'fine')]);
    await node.settle(null, 0);
    expect(seen).to.have.members(['good', 'fine']);
  });

  it('commits the writes of a handler together with the completion of its entry', async () => {
    let failing = true;
    const handler = handling(async (batch) => {
      await storage.write(tenant, authorship(), async (session) => {
        session.schedule([notification(1, 0, 'written')]);
        await batch.finish(session, batch.entries);
        if (failing) throw new Error('after finish');
      });
    });
    const { handler: reader, seen } = recorder('reader');
    const node = dispatcher([handler, { ...reader, topics: [QueueName.NEXT_BILLING_DATE] }]);
    await put([event(0, 1)]);
    await node.settle(null, 0);
    failing = false;
    await settleThroughPauses(node, 2);
    expect(seen).to.eql(['written']);
    expect(await storage.queue.countPending(null, clock.now())).to.equal(0);
  });

  it('lets another node take an entry only after the claim has expired (platform P12 "Node crash")', async () => {
    const { handler, seen } = recorder('only');
    const node = dispatcher([handler], { node: 'n2' });
    await put([event(0, 'claimed')]);
    const claimed = await claimAs('n1');
    expect(claimed).to.have.length(1);
    await put([event(1, 'free')]);
    await node.settle(null, 0);
    expect(seen).to.eql(['free']);
    systemClock.push(QUEUE_LEASE_MS - 5_000);
    await node.settle(null, 0);
    expect(seen).to.eql(['free']);
    systemClock.push(5_000);
    await node.settle(null, SETTLE_MS);
    expect(seen).to.eql(['free', 'claimed']);
  });

  it('releases all claims of a dead node in one step, even in the background', async () => {
    const { handler, seen } = recorder('only');
    await put([0, 1, 2].map((account) => event(account, account)));
    expect(await claimAs('n1')).to.have.length(3);
    const node = dispatcher([handler], { node: 'n2' });
    const takeBack = sinon.spy(storage.queue, 'takeBackLapsed');
    node.start();
    await eventually(() => expect(takeBack.callCount).to.equal(1));
    systemClock.push(QUEUE_LEASE_MS);
    clock.advance({ seconds: 1 });
    await eventually(() => expect(seen).to.have.members([0, 1, 2]));
    expect((await Promise.all(takeBack.returnValues)).filter((count) => count > 0)).to.eql([3]);
    takeBack.restore();
  });

  it('keeps entries that the node still processes, even if the lease is renewed late', async () => {
    const gateway = Promise.withResolvers<void>();
    let handled = 0;
    const handler = handling(async () => {
      handled += 1;
      await gateway.promise;
    });
    const node = dispatcher([handler]);
    await put([event(0, 1)]);
    node.start();
    await eventually(() => expect(handled).to.equal(1));
    systemClock.push(2 * QUEUE_LEASE_MS);
    await node.settle(null, 0);
    expect(handled).to.equal(1);
    gateway.resolve();
    expect(await node.settle(null, SETTLE_MS)).to.equal(true);
    expect(handled).to.equal(1);
  });

  describe('of a node that loses the database', () => {
    const away = new BillingError({ code: ErrorCode.BUSY, message: 'away' });
    const { BUS, NOTIFICATION } = DEFAULT_QUEUE_SETTINGS;
    const inTwoClaims = { BUS, NOTIFICATION: { ...NOTIFICATION, claimed: 1 } };

    async function settledAgain(settings: QueueSettings, losing: () => sinon.SinonStub): Promise<void> {
      const { handler, seen } = recorder('only');
      const node = dispatcher([handler], { settings });
      await put([event(0, 1)], [notification(1, 0, 2)]);
      const stub = losing();
      expect(await codeOf(node.settle(null, SETTLE_MS))).to.equal(ErrorCode.BUSY);
      expect(await node.settle(null, QUEUE_LEASE_MS / 2)).to.equal(true);
      stub.restore();
      expect(new Set(seen)).to.eql(new Set([1, 2]));
    }

    it('releases entries before their leases expire if their completion was not stored', () =>
      settledAgain(DEFAULT_QUEUE_SETTINGS, () =>
        sinon.stub(storage.queue, 'finish').callThrough().onFirstCall().rejects(away),
      ));

    it('releases the entries of a claim whose response was lost', () => {
      const { claim } = storage.queue;
      return settledAgain(DEFAULT_QUEUE_SETTINGS, () =>
        sinon
          .stub(storage.queue, 'claim')
          .callThrough()
          .onFirstCall()
          .callsFake(async (request) => {
            await claim(request);
            throw away;
          }),
      );
    });

    it('releases the entries of its earlier claim if the next claim fails', () =>
      settledAgain(inTwoClaims, () =>
        sinon.stub(storage.queue, 'claim').callThrough().onSecondCall().rejects(away),
      ));
  });

  it('resumes only the entries of a node’s own former processes when the node starts', async () => {
    const { handler, seen } = recorder('only');
    await put([0, 1, 2].map((account) => event(account, account)));
    for (const name of ['n2 before', 'n2', 'n3']) await claimAs(name, 1);
    const node = dispatcher([handler], { node: 'n2', isFormerNode: (name) => name.startsWith('n2 ') });
    await node.recover();
    await node.settle(null, 0);
    expect(seen.toSorted()).to.eql(storage.singleNode ? [0, 1, 2] : [0, 1]);
  });

  it('prevents a node that has lost its claim from completing the entry', async () => {
    await put([event(0, 1)]);
    const claimed = await claimAs('n1');
    systemClock.push(QUEUE_LEASE_MS);
    await storage.queue.takeBackLapsed({ systemNowMs: systemClock.nowMs(), held: [] });
    const late = storage.write(tenant, authorship(), (session) => session.finish(claimed));
    expect(await codeOf(late)).to.be.instanceOf(LeaseLostError);
  });

  it('ignores event types that have no handler', async () => {
    const { handler, seen } = recorder('only');
    const node = dispatcher([handler]);
    await put([
      { type: BusEventType.ACCOUNT_CHANGE, accountRecordId: accountRecordIds[0] ?? 0, payload: {} },
    ]);
    expect(await storage.queue.countPending(null, clock.now())).to.equal(0);
    await node.settle(null, SETTLE_MS);
    expect(seen).to.eql([]);
  });

  it('works in the background, and wakes on commits and clock changes', async () => {
    const { handler, seen } = recorder('only');
    dispatcher([handler]).start();
    await put([event(0, 'now')], [notification(0, 1, 'later')]);
    await eventually(() => expect(seen).to.eql(['now']));
    clock.advance({ days: 1 });
    await eventually(() => expect(seen).to.eql(['now', 'later']));
  });

  it('batches entries that fall due while it is busy, until another worker helps', async () => {
    const helps: (() => void)[] = [];
    const after: typeof systemClock.after = (delayMs, action, options) => {
      if (delayMs !== QUEUE_HELP_AFTER_MS) return systemClock.after(delayMs, action, options);
      helps.push(action);
      return () => undefined;
    };
    const gateway = Promise.withResolvers<void>();
    const batches: unknown[][] = [];
    const handler = handling(async ({ entries }) => {
      batches.push(entries.map(({ payload }) => payload.n));
      if (batches.length === 1) await gateway.promise;
    });
    dispatcher([handler], {}, after).start();
    await put([event(0, 'first')]);
    await eventually(() => expect(batches).to.eql([['first']]));
    await put([event(1, 'second')]);
    await put([event(2, 'third')]);
    expect(batches).to.eql([['first']]);
    for (const help of helps) help();
    await eventually(() => expect(batches).to.eql([['first'], ['second', 'third']]));
    gateway.resolve();
  });

  it('notifies its dispatcher only of entries that fall due before the next poll', async () => {
    await expectWokenOnly(QUEUE_POLL_MS);
  });

  async function expectWokenOnly(withinMs: number): Promise<void> {
    const listener = sinon.spy();
    const stopListening = storage.onCommit(listener);
    const dueIn = (ms: number) => ({
      ...notification(0, 0),
      effectiveDate: addMilliseconds(clock.now(), ms),
    });
    await put([], [dueIn(withinMs + 1)]);
    expect(listener.callCount).to.equal(0);
    await put([], [dueIn(withinMs)]);
    expect(listener.callCount).to.equal(1);
    stopListening();
  }

  it('renews the lease of a claim while its handler runs', async () => {
    const leaseMs = 900;
    const renew = sinon.spy(storage.queue, 'renew');
    const handler = handling(() => eventually(() => expect(renew.callCount).to.be.greaterThan(2)));
    const node = dispatcher([handler], { settings: withLease(leaseMs) });
    await put([event(0, 1)]);
    await node.settle(null, SETTLE_MS);
    // The last renewal may coincide with the end of the work.
    for (const { args, returnValue } of renew.getCalls().slice(0, 2)) {
      expect(args[1]).to.be.greaterThan(leaseMs);
      expect(await returnValue).to.eql(args[0].map((entry) => entry.recordId));
    }
    expect(await storage.queue.countPending(null, clock.now())).to.equal(0);
  });

  describe('with settings', () => {
    function nodeWith(
      handlers: readonly QueueHandler[],
      bus: Partial<KindSettings>,
      notification: Partial<KindSettings> = {},
    ): Dispatcher {
      const { BUS, NOTIFICATION } = DEFAULT_QUEUE_SETTINGS;
      const settings = { BUS: { ...BUS, ...bus }, NOTIFICATION: { ...NOTIFICATION, ...notification } };
      return dispatcher(handlers, { settings });
    }

    /** Returns a handler that records the batch sizes and how many entries it handles at once. */
    function crowd() {
      const batches: number[] = [];
      let inside = 0;
      const counts = { batches, most: 0 };
      const handler: QueueHandler = {
        name: 'crowd',
        topics: [BusEventType.INVOICE_CREATION, QueueName.NEXT_BILLING_DATE],
        async handle({ entries }) {
          batches.push(entries.length);
          inside += entries.length;
          counts.most = Math.max(counts.most, inside);
          await new Promise((resolve) => setTimeout(resolve, 5));
          inside -= entries.length;
        },
      };
      return { handler, counts };
    }

    const everything = async () => {
      await put([event(0, 1), event(1, 2), event(2, 3)]);
      await put([], [notification(0, 0, 4), notification(1, 0, 5), notification(2, 0, 6)]);
    };

    it('limits how many entries of a type are claimed', async () => {
      const { handler, counts } = crowd();
      await everything();
      await nodeWith([handler], { claimed: 2 }, { claimed: 1 }).settle(null, SETTLE_MS);
      expect(counts.batches.toSorted()).to.eql([1, 1, 1, 1, 2]);
    });

    it('limits how many entries of a type are processed at a time', async () => {
      const { handler, counts } = crowd();
      await everything();
      nodeWith([handler], { handledAtATime: 1 }, { handledAtATime: 1 }).start();
      await eventually(() => expect(counts.batches).to.have.length(6));
      expect(counts.most).to.be.within(1, 2);
    });

    it('leaves entries of a disabled type to other nodes', async () => {
      const { handler, seen } = recorder('only');
      await put([event(0, 'bus')], [notification(1, 0, 'notification')]);
      const off = nodeWith([handler], { isOff: true }, { isOff: true });
      off.start();
      expect(off.workedOn).to.eql([]);
      expect(await off.settle(null, 20)).to.equal(false);
      expect(seen).to.eql([]);
      expect(await nodeWith([handler], { isOff: true }).settle(null, 20)).to.equal(false);
      expect(seen).to.eql(['notification']);
      expect(await nodeWith([handler], {}, { isOff: true }).settle(null, SETTLE_MS)).to.equal(true);
      expect(seen).to.eql(['notification', 'bus']);
    });

    it('marks an entry as failed after the configured number of failures', async () => {
      const { handler } = recorder('only', Number.POSITIVE_INFINITY);
      const node = nodeWith([handler], { maxFailures: 1 }, { maxFailures: 0 });
      await put([event(0, 1)], [notification(1, 0, 2)]);
      const before = logger.lines.length;
      await settleThroughPauses(node, 2);
      expect(
        failuresLogged(before)
          .map(({ kind }) => kind)
          .toSorted(),
      ).to.eql(['fail', 'fail', 'retry']);
    });

    it('notifies the dispatcher of entries that fall due before the configured next poll', async () => {
      await storage.prepare({ pollMs: MINUTE_MS });
      await expectWokenOnly(MINUTE_MS);
    });
  });

  it('yields to timers, requests and heartbeats while it processes a backlog', async () => {
    const { handler, seen } = recorder('only');
    const node = dispatcher([handler]);
    const backlog = 40;
    await put(
      [],
      Array.from({ length: backlog }, (_, n) => notification(0, 0, n)),
    );
    let handledAtFirstTurn = backlog;
    setTimeout(() => {
      handledAtFirstTurn = seen.length;
    }, 1);
    await node.settle(null, SETTLE_MS);
    expect(seen).to.have.length(backlog);
    expect(handledAtFirstTurn).to.be.lessThan(backlog);
  });

  async function claimAs(node: string, limit = 10) {
    return storage.queue.claim({
      node,
      claimId: ids.next(),
      limit,
      topics: [BusEventType.INVOICE_CREATION],
      businessNow: clock.now(),
      systemNowMs: systemClock.nowMs(),
      leaseEndsAtMs: systemClock.nowMs() + QUEUE_LEASE_MS,
    });
  }
}

function withLease(leaseMs: number): QueueSettings {
  const { BUS, NOTIFICATION } = DEFAULT_QUEUE_SETTINGS;
  return { BUS: { ...BUS, leaseMs }, NOTIFICATION: { ...NOTIFICATION, leaseMs } };
}

const EVENTUALLY_MS = 30_000;
const EVENTUALLY_POLL_MS = 10;

async function eventually(check: () => void): Promise<void> {
  const deadline = Date.now() + EVENTUALLY_MS;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, EVENTUALLY_POLL_MS));
    }
  }
}
