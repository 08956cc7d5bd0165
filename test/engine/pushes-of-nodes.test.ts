import sinon from 'sinon';
import { Billing } from '../../adapters/node/billwright.ts';
import { httpPushSender } from '../../adapters/node/index.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { BillingError, ErrorCode, type TenantBilling } from '../../lib/index.ts';
import type { PushSender } from '../../lib/ports/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { onPostgresql, type TestDatabase } from '../support/databases.ts';
import {
  expect,
  migrated,
  plainHasher,
  pushableSystemClock,
  recordingLogger,
  storageOf,
} from '../support/index.ts';
import { openReceiver, type Receiver } from '../support/push/receiver.ts';

const NOW = '2025-03-10T10:00:00Z';
const LEASE_MS = 30_000;

onPostgresql.describe('pushes of several nodes (platform §10.2)', (open) => {
  let receiver: Receiver;
  let nodes: readonly Node[];
  const real = httpPushSender();

  interface Node {
    readonly billing: Billing<never>;
    readonly systemClock: ReturnType<typeof pushableSystemClock>;
    readonly logger: ReturnType<typeof recordingLogger>;
    readonly acme: TenantBilling;
  }

  beforeEach(async () => {
    receiver = await openReceiver();
    nodes = [];
  });
  afterEach(async () => {
    for (const { billing } of nodes) await billing.close();
    await receiver.close();
  });
  after(() => real.close?.());

  const openNode = async (
    database: TestDatabase | Storage<never>,
    sender: Partial<PushSender> = {},
  ): Promise<Node> => {
    const [systemClock, logger] = [pushableSystemClock(), recordingLogger()];
    const billing = await Billing.open<never>({
      storage: 'kind' in database ? storageOf(database) : database,
      clock: fakeClock(NOW),
      systemClock,
      logger,
      hasher: plainHasher(),
      testMode: true,
      pushSender: { ...real, close: async () => undefined, ...sender },
    });
    const { tenants } = billing;
    const tenant =
      nodes.length === 0
        ? await tenants.create({ userName: 'test' }, { apiKey: 'acme', apiSecret: 'secret' })
        : await tenants.getByApiKey('acme');
    const node = { billing, systemClock, logger, acme: billing.as({ tenant, user: 'test' }) };
    nodes = [...nodes, node];
    return node;
  };

  it('are sent once, in account order and at most ten at a time across all nodes', async () => {
    const database = await open(migrated);
    const [one, two] = [await openNode(database), await openNode(database)];
    await one.acme.keyValues.add('PUSH_NOTIFICATION_CB', receiver.url);
    for (const { billing } of nodes) billing.start();
    const accounts = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const [first, second] = index % 2 === 0 ? [one, two] : [two, one];
        const { id } = await first.acme.createAccount({ currency: 'USD' });
        await second.acme.accounts.update(id, { changes: { name: 'Ada' } });
        await first.acme.accounts.update(id, { changes: { name: 'Bea' } });
        return id;
      }),
    );
    expect(await one.billing.settle()).to.equal(true);
    expect(receiver.arrived).to.have.length(1 + 3 * accounts.length);
    expect(new Set(receiver.arrived.map(({ id }) => id)).size).to.equal(receiver.arrived.length);
    const { rows } = await one.acme.deliveries.list({ offset: 0, limit: 1_000 });
    for (const accountId of accounts) {
      const inOrder = rows.filter((row) => row.accountId === accountId).map(({ id }) => id);
      const pushed = receiver.arrived.filter(({ event }) => event.accountId === accountId);
      expect(pushed.map(({ id }) => id)).to.eql(inOrder);
    }
    expect(receiver.mostAtATime).to.be.at.most(10);
  });

  it('are sent again before the lease of their node ends if the node could neither record nor release them', async () => {
    const storage = storageOf(await open(migrated));
    const one = await openNode(storage);
    await one.acme.keyValues.add('PUSH_NOTIFICATION_CB', receiver.url);
    const away = new BillingError({ code: ErrorCode.BUSY, message: 'away' });
    const lost = [sinon.stub(storage.push, 'record'), sinon.stub(storage.push, 'release')];
    for (const each of lost) each.callThrough().onFirstCall().rejects(away);
    expect(await one.billing.settle({ timeoutMs: LEASE_MS / 2 })).to.equal(true);
    for (const each of lost) each.restore();
    // The first attempt was not recorded, so the push is sent again.
    expect(receiver.arrived).to.have.length(2);
    expect(new Set(receiver.arrived.map(({ id }) => id))).to.have.property('size', 1);
  });

  it('are sent by another node if a node sleeps past its lease, regardless of the late result of the sleeping node', async () => {
    const database = await open(migrated);
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    const { promise: asleep, resolve: fallAsleep } = Promise.withResolvers<void>();
    const one = await openNode(database, {
      send: async () => {
        fallAsleep();
        await woken;
        return { status: 500 };
      },
    });
    const two = await openNode(database);
    await one.acme.keyValues.add('PUSH_NOTIFICATION_CB', receiver.url);
    one.billing.start();
    await asleep;
    expect(await two.billing.settle({ timeoutMs: 200 })).to.equal(false);
    expect(receiver.arrived).to.have.length(0);
    two.systemClock.push(LEASE_MS + 1_000);
    expect(await two.billing.settle()).to.equal(true);
    expect(receiver.arrived).to.have.length(1);
    wake();
    await one.billing.stop();
    const { rows } = await two.acme.deliveries.list({ offset: 0, limit: 10 });
    expect(rows.map(({ status, attempts, lastStatus }) => [status, attempts, lastStatus])).to.eql([
      ['PROCESSED', 1, 200],
    ]);
    expect(one.logger.lines.map(({ message }) => message)).to.include(
      'another node sends the pushes of this tenant now',
    );
  });
});
