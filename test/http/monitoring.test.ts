import { PLUGIN } from '../../adapters/koa/routing/path.ts';
import { BusEventType, QueueKind, QueueName } from '../../lib/records/index.ts';
import { formatInstant } from '../../lib/values/time/index.ts';
import { anyDatabase, areCells, bearer, expect } from '../support/http/index.ts';
import { createdId, createRunningSubscription, eve, serveOnce } from '../support/http/serving.ts';
import { claimedByDeadNode } from '../support/monitoring/stuck-entry.ts';

const health = `${PLUGIN}/health`;

interface Entry {
  readonly recordId: number;
  readonly [member: string]: unknown;
}
type Report = Readonly<Record<string, readonly Entry[]>>;

anyDatabase.describe('health plugin API over HTTP (platform §12)', (open, kind) => {
  const serving = serveOnce(open);
  let authorization: string;
  before(async () => {
    authorization = await bearer(serving, 'admin');
  });

  const as = (headers: Record<string, string>) => (method: string, path: string, body?: unknown) =>
    serving.call(method, `${health}${path}`, { body, headers: { authorization, ...headers } });
  const call: ReturnType<typeof as> = (...given) => as({})(...given);
  const report = async (): Promise<Report> => (await call('GET', '/data')).json as Report;
  const stuckNotification = async (failures: number, leaseEndsAtMs = Date.now() - 1) => {
    const { clock, storage, nextId, billing } = serving;
    await createRunningSubscription(serving);
    await billing.settle();
    clock.advance({ months: 2 });
    return claimedByDeadNode(storage, {
      topics: [QueueName.NEXT_BILLING_DATE],
      kind: QueueKind.NOTIFICATION,
      businessNow: clock.now(),
      failures,
      claimId: nextId,
      leaseEndsAtMs,
    });
  };

  it('shows a dead node’s notification as late, then releases, clears and completes it (platform P13)', async () => {
    const { recordId } = await stuckNotification(2);
    const late = (await report()).lateNotifications?.find((entry) => entry.recordId === recordId);
    expect(late).to.include({
      queueName: QueueName.NEXT_BILLING_DATE,
      processingState: 'IN_PROCESSING',
      processingOwner: 'dead',
      errorCount: 2,
    });
    const { status, text } = await call('PUT', '/notifications/fixup', [recordId, 4_000_000_999]);
    expect([status, text]).to.eql([200, '']);
    const cleared = (await report()).lateNotifications?.find((entry) => entry.recordId === recordId);
    expect(cleared).to.include({
      processingState: '',
      effectiveDate: '',
      errorCount: 0,
      processingOwner: '',
      processingAvailableDate: '',
    });
    await serving.billing.settle();
    const after = await report();
    expect(after.lateNotifications?.map((entry) => entry.recordId)).not.to.include(recordId);
    expect(after.recentNotifications?.find((entry) => entry.recordId === recordId)).to.include({
      processingState: 'PROCESSED',
    });
  });

  it('does not release an entry of another type or of a live node', async () => {
    const { storage } = serving;
    const { recordId } = await stuckNotification(1, Date.now() + 60_000);
    const owner = async () =>
      (await report()).lateNotifications?.find((entry) => entry.recordId === recordId)?.processingOwner;
    await call('PUT', '/notifications/fixup', [recordId]);
    expect(await owner(), 'under a lease').to.equal('dead');
    await storage.queue.takeBackFrom(['dead']);
    await call('PUT', '/bus/fixup', [recordId]);
    expect(await owner(), 'no bus entry').to.equal('');
    const stateOf = async () =>
      (await report()).lateNotifications?.find((entry) => entry.recordId === recordId)?.processingState;
    expect(await stateOf()).to.equal('AVAILABLE');
    await serving.billing.settle();
  });

  it('lists an abandoned entry and requeues it once', async () => {
    const { storage, clock } = serving;
    const entry = await stuckNotification(0);
    const { recordId } = entry;
    await storage.queue.fail([{ entry, reason: 'the catalog was missing' }]);
    const failed = async () => (await call('GET', '/notifications/failed')).json as readonly Entry[];
    expect((await failed()).map((each) => each.recordId)).to.eql([recordId]);
    expect((await call('GET', '/bus/failed')).json).to.eql([]);
    for (const round of [1, 2]) {
      const { status } = await call('PUT', '/notifications/failed', [recordId]);
      expect(status, `round ${round}`).to.equal(200);
    }
    expect(await failed()).to.eql([]);
    const { lateNotifications, recentNotifications } = await report();
    expect(recentNotifications?.find((each) => each.recordId === recordId)?.processingState).to.equal(
      'REAPED',
    );
    const copies =
      lateNotifications?.filter(({ createdDate }) => createdDate === formatInstant(clock.now())) ?? [];
    expect(copies.map(({ errorCount, processingState }) => [errorCount, processingState])).to.eql([
      [0, 'AVAILABLE'],
    ]);
    await serving.billing.settle();
    expect((await report()).lateNotifications).to.eql([]);
  });

  it('rejects invalid bodies and ranges', async () => {
    const statuses = [
      await call('PUT', '/bus/fixup', []),
      await call('PUT', '/bus/fixup', { id: 1 }),
      await call('PUT', '/notifications/fixup', ['x']),
      await call('PUT', '/bus/failed', [1.5]),
      await call('GET', '/bus/failed?from=2024-01-01&to=2024-06-01'),
      await call('GET', '/bus/failed?maxNumberOfRows=0'),
      await call('GET', '/host_samples?granularity=WEEK'),
      await call('GET', '/host_samples?category_and_sample_kind=queue.bus.late'),
      await call('GET', '/host_samples?from=2024-01-01&startTimeParameter=2024-01-01'),
    ].map(({ status }) => status);
    expect(statuses).to.eql(statuses.map(() => 400));
  });

  it('shows a tenant only its own entries and system entries, with masked secrets', async () => {
    const { call: core, billing } = serving;
    const accountId = createdId(await core('POST', '/1.0/kb/accounts', { body: { currency: 'USD' } }));
    await core('GET', `/1.0/kb/accounts/${accountId}?myToken=abc&audit=NONE`);
    await core('GET', '/1.0/kb/tenants?apiKey=eve', { headers: { 'x-service-apikey': undefined } });
    await billing.settle();
    const lines = (await report()).recentAccessLogs ?? [];
    const ofAccount = lines.find(({ uri }) => String(uri).startsWith(`/1.0/kb/accounts/${accountId}`));
    expect(ofAccount).to.include({
      method: 'GET',
      uri: `/1.0/kb/accounts/${accountId}?myToken=*****&audit=NONE`,
      statusCode: '200',
    });
    expect(ofAccount?.timestamp).to.match(/^\d\d\/[A-Z][a-z][a-z]\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
    expect(ofAccount?.timeStamp).to.equal(ofAccount?.timestamp);
    expect(Number(ofAccount?.bytesSent)).to.be.greaterThan(100);
    const ofSystem = lines.map(({ uri }) => uri).filter((uri) => String(uri).startsWith('/1.0/kb/tenants'));
    // The first cell has the log of requests without a tenant (cells §2 rule 11).
    expect(ofSystem).to.eql(areCells && kind === 'postgresql' ? [] : ['/1.0/kb/tenants']);
    const other = (await as(eve)('GET', '/data')).json as Report;
    expect(other.recentAccessLogs?.map(({ uri }) => String(uri)).join()).not.to.include(accountId);
    expect(other.recentBusEvents?.map(({ eventJson }) => String(eventJson)).join()).not.to.include(accountId);
    const created = (await report()).recentBusEvents?.find(({ eventJson }) =>
      String(eventJson).includes(accountId),
    );
    expect(created).to.include({ className: BusEventType.ACCOUNT_CREATION, processingState: 'PROCESSED' });
  });

  it('reports this node and its plugins with the time of the response', async () => {
    const [node] = (await report()).nodeInfos ?? [];
    expect(node).to.include.keys(
      'killbillVersion',
      'apiVersion',
      'platformVersion',
      'commonVersion',
      'pluginApiVersion',
    );
    expect(node?.kbClock).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}$/);
    expect(Math.abs(Number(node?.time) - Date.now())).to.be.lessThan(3_600_000);
    const plugins = node?.pluginInfos as readonly { pluginName: string; pluginState: string }[];
    expect(plugins.map(({ pluginState }) => pluginState)).to.include('RUNNING');
  });

  it('returns the stored samples of an hour, or one sample if the granularity is HOUR (platform P16)', async () => {
    const at = (time: string) => Date.parse(`2025-03-10T${time}Z`);
    const values = { '10:00:00': 0, '10:01:00': 3, '10:59:00': 1, '11:00:00': 0 };
    await serving.storage.monitoring.addSamples(
      Object.entries(values).map(([time, value]) => ({
        atMs: at(time),
        nodeName: '',
        eventGroup: 'gauge',
        eventCategory: 'queue.bus.late',
        kinds: { value },
      })),
    );
    const samplesPath =
      '/host_samples?from=2025-03-10T10:00:00&to=2025-03-10T11:00:00&category_and_sample_kind=queue.bus.late,value';
    const series = {
      nodeName: '',
      eventGroup: 'gauge',
      eventCategory: 'queue.bus.late',
      sampleKind: 'value',
      sampleSerializationFormat: 'csv',
    };
    expect((await call('GET', `${samplesPath}&granularity=HOUR`)).json).to.eql([
      { ...series, samples: '1741600800,1' },
    ]);
    expect((await call('GET', samplesPath)).json).to.eql([
      { ...series, samples: '1741600800,0,1741600860,3,1741604340,1' },
    ]);
    expect((await call('GET', `${samplesPath}&group=timer`)).json).to.eql([]);
    expect((await call('GET', `${samplesPath}&hostNames=elsewhere`)).json).to.have.length(1);
  });

  it('preserves fractions in the stored samples and in the single sample for an hour', async () => {
    const at = (time: string) => Date.parse(`2025-03-11T${time}Z`);
    const rates = { '10:00:00': 0.25, '10:01:00': 1.5, '10:02:00': 0.5 };
    await serving.storage.monitoring.addSamples(
      Object.entries(rates).map(([time, rate]) => ({
        atMs: at(time),
        nodeName: '',
        eventGroup: 'meter',
        eventCategory: 'logs.rates.warn',
        kinds: { mean_rate: rate },
      })),
    );
    const samplesPath =
      '/host_samples?from=2025-03-11T10:00:00&to=2025-03-11T11:00:00&category_and_sample_kind=logs.rates.warn,mean_rate';
    const valuesBy = async (granularity: string) => {
      const { json } = await call('GET', `${samplesPath}&granularity=${granularity}`);
      return (json as readonly { readonly samples: string }[]).map(({ samples }) => samples);
    };
    expect(await valuesBy('SECOND')).to.eql(['1741687200,0.25,1741687260,1.5,1741687320,0.5']);
    expect(await valuesBy('HOUR')).to.eql(['1741687200,0.75']);
  });

  it('requires admin:health for reads and admin:update for changes', async () => {
    await serving.post('/security/roles', { role: 'looker', permissions: ['admin:health'] });
    await serving.post('/security/users', { username: 'lia', password: 'password', roles: ['looker'] });
    const lia = as({ authorization: await bearer(serving, 'lia') });
    expect((await lia('GET', '/data')).status).to.equal(200);
    expect((await lia('GET', '/bus/failed')).status).to.equal(200);
    expect((await lia('PUT', '/bus/fixup', [1])).status).to.equal(403);
    expect((await lia('PUT', '/bus/failed', [1])).status).to.equal(403);
  });
});
