import { type Instant, SystemTag } from '../../lib/index.ts';
import { NodeMeters } from '../../lib/monitoring/node-meters.ts';
import { SampleRecorder } from '../../lib/monitoring/sample-recorder.ts';
import { QueueKind, QueueName } from '../../lib/records/index.ts';
import { eachDatabase, engineBeforeEach, expect, type TestEngine } from '../support/index.ts';
import { claimedByDeadNode } from '../support/monitoring/stuck-entry.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

const failingSender = { resolve: async () => ['192.0.2.1'], send: async () => ({ status: 500 }) };

eachDatabase.describe('deployment metrics (platform §12)', (open, kind) => {
  let statements = 0;
  const trace = (): void => {
    statements += 1;
  };
  const engine = engineBeforeEach(open, { now: '2012-05-01T10:00:00Z', pushSender: failingSender, trace });
  const { acme } = engine;

  const recorderOf = (nodeName: string): SampleRecorder =>
    new SampleRecorder(engine, {
      nodeName,
      meters: meteredOnce(engine),
      process: { memoryBytes: () => 1_000, eventLoopLagMs: () => 3 },
      lateThresholdMs: minuteMs,
      accessRetentionMs: 2 * dayMs,
      failedPushes: () => 4,
    });
  const sampleLines = async (request: Parameters<TestEngine['acme']['monitoring']['samples']>[0] = {}) => {
    const to = (engine.systemClock.nowMs() + 2 * minuteMs) as Instant;
    const series = await acme.monitoring.samples({ to, ...request });
    return series.map(
      ({ nodeName, eventCategory, sampleKind, samples }) =>
        `${nodeName}:${eventCategory}.${sampleKind} ${samples.map(({ value }) => value).join()}`,
    );
  };

  it('are stored every minute, with one set for the deployment and one set per node', async () => {
    const [first, second] = [recorderOf('n1'), recorderOf('n2')];
    await Promise.all([first.record(), second.record()]);
    const gauges = ['late', 'processing'].flatMap((each) => [
      `:queue.bus.${each}.value 0`,
      `:queue.notifications.${each}.value 0`,
    ]);
    const ofNodes = ['n1', 'n2'].flatMap((node) => [
      `${node}:eventloop.lag.value 3`,
      `${node}:process.memory.value 1000`,
      ...(kind === 'postgresql' ? [`${node}:db.pool.active.value`] : []),
    ]);
    const found = (await sampleLines({ eventGroup: 'gauge' })).map((line) =>
      line.replace(/(db[.]pool[.]active[.]value) \d+$/, '$1'),
    );
    expect(found).to.have.members([':accounts.parked.value 0', ...gauges, ...ofNodes]);
    expect(await sampleLines({ eventGroup: 'meter', nodeNames: ['n2'] })).to.include(
      'n2:push.failed.count 4',
    );
    engine.systemClock.push(minuteMs);
    await first.record();
    expect(await sampleLines({ nodeNames: ['n1'], eventGroup: 'gauge' })).to.include(
      'n1:process.memory.value 1000,1000',
    );
    engine.systemClock.push(15 * dayMs);
    await first.purge();
    expect(await sampleLines()).to.eql([]);
  });

  it('need the same number of SQL statements for a large deployment as for a small one', async () => {
    const count = async (): Promise<number> => {
      statements = 0;
      await acme.monitoring.data();
      return statements;
    };
    await acme.createAccount({ currency: 'USD' });
    const few = await count();
    for (let each = 0; each < 12; each += 1) await acme.createAccount({ currency: 'USD' });
    await engine.settle();
    expect(await count()).to.equal(few);
  });

  it('count an account as parked if it could not be invoiced, and list it', async () => {
    await acme.keyValues.add('PER_TENANT_CONFIG', '{"org.service.invoice.enabled":"false"}');
    const { id: accountId } = await acme.createAccount({ currency: 'USD', externalKey: 'ada' });
    await acme.createSubscription({ accountId, planName: 'solo-monthly' });
    await engine.runTo('2012-07-01');
    const { parkedAccounts } = await acme.monitoring.data();
    expect(parkedAccounts.map(({ externalKey }) => externalKey)).to.eql(['ada']);
    expect(
      (await acme.tags.ofAccount(accountId, {})).map(({ tagDefinitionId }) => tagDefinitionId),
    ).to.include(SystemTag.PARK);
    await recorderOf('n1').record();
    expect(await sampleLines()).to.include(':accounts.parked.value 1');
  });

  it('show push entries as late, released, failed and requeued', async () => {
    const { acme, clock } = engine;
    await engine.settle(acme.keyValues.add('PUSH_NOTIFICATION_CB', 'https://example.com/events'));
    clock.advance({ minutes: 10 });
    expect((await acme.monitoring.data()).lateNotifications).to.eql([]);
    clock.advance({ days: 1 });
    const [entry] = (await acme.monitoring.data()).lateNotifications;
    expect(entry).to.include({
      topic: QueueName.PUSH_NOTIFICATIONS,
      tenantId: engine.tenant.id,
      errorCount: 1,
    });
    expect(entry?.event).to.include({ eventType: 'TENANT_CONFIG_CHANGE' });
    const of = { kind: QueueKind.NOTIFICATION, recordIds: [entry?.recordId ?? 0] };
    expect(await acme.queues.free(of)).to.equal(1);
    expect((await acme.monitoring.data()).lateNotifications[0]?.errorCount).to.equal(0);
    for (let retry = 0; retry < 6; retry += 1) {
      await engine.settle();
      clock.advance({ days: 2 });
    }
    const [failed] = await acme.queues.failed({ kind: QueueKind.NOTIFICATION });
    expect(failed).to.include({ recordId: entry?.recordId, state: 'FAILED' });
    expect(await acme.queues.putBack(of)).to.equal(1);
    expect(await acme.queues.putBack(of)).to.equal(0);
    expect((await acme.deliveries.list({ offset: 0, limit: 1 })).rows[0]?.status).to.equal('AVAILABLE');
  });

  it('count a failed entry once, even if an operator requeues the entry', async () => {
    const { acme, clock, storage, billing } = engine;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    await engine.settle(acme.createSubscription({ accountId, planName: 'solo-monthly' }));
    clock.advance({ months: 2 });
    const entry = await claimedByDeadNode(storage, {
      topics: [QueueName.NEXT_BILLING_DATE],
      kind: QueueKind.NOTIFICATION,
      businessNow: clock.now(),
      failures: 0,
      claimId: () => crypto.randomUUID() as never,
      leaseEndsAtMs: Date.now() + minuteMs,
    });
    await engine.settle(storage.queue.fail([{ entry, reason: 'a catalog was missing' }]));
    const before = (await acme.invoices.ofAccount({ accountId })).length;
    const of = { kind: QueueKind.NOTIFICATION, recordIds: [entry.recordId] };
    expect((await acme.queues.failed({ kind: of.kind })).map(({ reason }) => reason)).to.eql([
      'a catalog was missing',
    ]);
    expect(await acme.queues.putBack(of)).to.equal(1);
    expect(await acme.queues.putBack(of)).to.equal(0);
    await engine.settle();
    expect(await billing.settle()).to.equal(true);
    const again = (await acme.monitoring.data()).recentNotifications.find(
      ({ recordId, topic }) => recordId > entry.recordId && topic === QueueName.NEXT_BILLING_DATE,
    );
    expect(again).to.include({ state: 'PROCESSED', errorCount: 0 });
    expect((await acme.invoices.ofAccount({ accountId })).length, 'each day is billed once').to.equal(before);
    expect(await acme.queues.failed({ kind: of.kind })).to.eql([]);
  });
});

function meteredOnce({ systemClock }: TestEngine): NodeMeters {
  const meters = new NodeMeters(systemClock);
  meters.time('http.requests', 12);
  return meters;
}
