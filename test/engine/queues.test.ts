import { text } from 'node:stream/consumers';
import type { QueueName, TenantBilling } from '../../lib/index.ts';
import { addMilliseconds } from '../../lib/values/time/index.ts';
import { eachDatabase, engineBeforeEach, expect, expectCode } from '../support/index.ts';
import type { Account, LateEntryView } from '../support/plain-views.ts';
import { newId } from '../support/storage/stored-records.ts';

const MINUTE_MS = 60_000;
const BILLING = 'invoice-service:next-billing-date-queue';

interface Listed {
  readonly busEvents?: readonly Readonly<Record<string, unknown>>[];
  readonly notifications?: readonly Readonly<Record<string, unknown>>[];
}

eachDatabase.describe('queue view for operators (platform §9.4, §9.5)', (open) => {
  let account: Account;
  const engine = engineBeforeEach(open, {
    now: '2024-03-01T08:00:00Z',
    pushSender: { resolve: async () => ['192.0.2.1'], send: async () => ({ status: 200 }) },
  });
  const { acme } = engine;
  beforeEach(async () => {
    account = await engine.settle(acme.createAccount({ currency: 'USD' }));
  });

  /** Schedules runs of accounts this many minutes ago, which find nothing to invoice. */
  const plan = async (
    planned: readonly { readonly minutesAgo: number; readonly of?: Account; readonly queueName?: string }[],
  ): Promise<void> => {
    const { billing, storage, tenant, clock } = engine;
    const context = await billing.context({ tenant, user: 'test' });
    const authorship = { ...context, userTokenOf: () => context.userToken };
    await storage.write(tenant, authorship, async (session) =>
      session.schedule(
        planned.map(({ minutesAgo, of = account, queueName = BILLING }) => ({
          queueName: queueName as QueueName,
          accountRecordId: of.recordId,
          effectiveDate: addMilliseconds(clock.now(), -minutesAgo * MINUTE_MS),
          payload: { accountId: of.id },
          uniqueKey: null,
        })),
      ),
    );
  };
  const claim = () =>
    engine.storage.queue.claim({
      node: 'n1',
      claimId: newId(),
      limit: 10,
      topics: [BILLING],
      businessNow: engine.clock.now(),
      systemNowMs: engine.systemClock.nowMs(),
      leaseEndsAtMs: engine.systemClock.nowMs() + 30_000,
    });
  const causes = (late: readonly LateEntryView[]) =>
    late.map(({ recordId, cause }) => [recordId, cause] as const);
  const list = async (
    request: Parameters<TenantBilling['queues']['export']>[0] = {},
    { queues }: TenantBilling = engine.acme,
  ): Promise<Listed> => JSON.parse(await text(await queues.export(request))) as Listed;

  it('shows whether entries are late (with reasons), busy, failed, queued again or done', async () => {
    const { acme, billing, storage } = engine;
    await plan([{ minutesAgo: 9 }, { minutesAgo: 10 }, { minutesAgo: 0 }]);
    const [first, second, ...others] = await acme.queues.late({ accountId: account.id });
    expect(others).to.eql([]);
    expect([first?.cause, second?.cause]).to.eql(['NO_NODE', 'BEHIND']);
    expect(second?.why).to.equal(`entry ${first?.recordId} of its account comes first`);
    expect(first).to.deep.include({
      kind: 'NOTIFICATION',
      topic: BILLING,
      tenantId: engine.tenant.id,
      accountId: account.id,
      event: { accountId: account.id },
      dueDate: new Date(engine.clock.now() - 10 * MINUTE_MS),
      state: 'AVAILABLE',
      errorCount: 0,
    });
    expect(JSON.stringify(first)).to.contain('"dueDate":"2024-03-01T07:50:00.000Z"');

    const claimed = await claim();
    expect(claimed.map(({ recordId }) => recordId)).to.eql([first?.recordId]);
    const [underWay, behind] = await acme.queues.late();
    expect([underWay?.cause, behind?.why]).to.eql([
      'IN_PROCESSING',
      `entry ${first?.recordId} of its account is being processed by n1`,
    ]);
    expect((await acme.queues.busy()).map(({ processingOwner }) => processingOwner)).to.eql(['n1']);

    await storage.queue.fail(claimed.map((entry) => ({ entry, reason: 'Error: no' })));
    expect(await acme.queues.busy()).to.eql([]);
    const [failed, ...more] = await acme.queues.failed({ accountId: account.id });
    expect(more).to.eql([]);
    expect(failed).to.deep.include({ recordId: first?.recordId, state: 'FAILED', reason: 'Error: no' });
    const request = { kind: 'NOTIFICATION', recordIds: [failed?.recordId ?? 0, 999_999] } as const;
    expect(await acme.queues.putBack({ ...request, kind: 'BUS' })).to.equal(0);
    expect(await acme.queues.putBack(request)).to.equal(1);
    expect(await acme.queues.putBack(request), 'once').to.equal(0);
    expect(await acme.queues.failed()).to.eql([]);
    const [again, waiting] = await acme.queues.late();
    expect(causes([again, waiting].flatMap((each) => each ?? []))).to.eql([
      [again?.recordId, 'NO_NODE'],
      [second?.recordId, 'BEHIND'],
    ]);
    expect(again).to.deep.include({ errorCount: 0, dueDate: first?.dueDate });
    await engine.settle();
    expect(await billing.backlog.late()).to.eql([]);
    expect(await billing.backlog.failed()).to.eql([]);
  });

  it('separates tenants, includes all tenants on request, and rejects invalid requests', async () => {
    const { acme, billing, tenant } = engine;
    const other = await billing.tenants.create({ userName: 'test' }, { apiKey: 'other', apiSecret: 'x' });
    const others = billing.as({ tenant: other.id, user: 'test' });
    await plan([{ minutesAgo: 10 }, { minutesAgo: 10, queueName: 'nobody-service:nothing' }]);
    expect((await acme.queues.late()).map(({ cause }) => cause)).to.eql(['NO_NODE', 'UNKNOWN_TOPIC']);
    expect(await others.queues.late()).to.eql([]);
    const failed = await claim();
    await engine.storage.queue.fail(failed.map((entry) => ({ entry, reason: 'no' })));
    const putBack = { kind: 'NOTIFICATION', recordIds: failed.map(({ recordId }) => recordId) } as const;
    expect(await others.queues.putBack(putBack)).to.equal(0);
    expect(await billing.backlog.failed({ tenantId: other.id })).to.eql([]);
    expect(await billing.backlog.failed()).to.have.length(1);
    expect(await billing.backlog.putBack({ ...putBack, tenantId: tenant.id })).to.equal(1);
    const [late] = await billing.backlog.late({ accountId: account.id, limit: 1 });
    const free = { kind: 'NOTIFICATION', recordIds: [late?.recordId ?? 0] } as const;
    expect(await billing.backlog.free({ ...free, tenantId: other.id })).to.equal(0);
    expect(await billing.backlog.free(free)).to.equal(1);
    expect(await billing.backlog.late({ kind: 'BUS' })).to.eql([]);
    await expectCode(others.queues.late({ accountId: account.id }), 3002);
    await expectCode(others.queues.export({ accountId: account.id }), 3002);
    for (const limit of [0, 1_001, 1.5]) await expectCode(acme.queues.busy({ limit }), 60002, String(limit));
    for (const recordIds of [[], [0], [1.5], Array.from({ length: 1_001 }, () => 1)])
      for (const change of [
        acme.queues.putBack,
        acme.queues.free,
        billing.backlog.putBack,
        billing.backlog.free,
      ])
        await expectCode(change({ kind: 'BUS', recordIds }), 60003, String(recordIds.length));
    await expectCode(acme.queues.failed({ from: '2023-01-01T00:00:00Z' }), 60002);
  });

  it('lists past entries before live entries page by page, filtered by date or account', async () => {
    await engine.settle(acme.keyValues.add('PUSH_NOTIFICATION_CB', 'https://example.com/'));
    const stranger = await acme.createAccount({ currency: 'USD' });
    const planned = Array.from({ length: 502 }, (_, index) => ({ minutesAgo: -index, of: stranger }));
    await plan([...planned, { minutesAgo: -3 * 24 * 60, of: stranger }, { minutesAgo: 5 }]);
    expect((await claim()).map(({ accountRecordId }) => accountRecordId)).to.include(account.recordId);

    const all = await list();
    const types = all.busEvents?.map(({ className }) => className);
    expect(types).to.include.members(['ACCOUNT_CREATION', 'TENANT_CONFIG_CHANGE']);
    const created = all.busEvents?.find(
      ({ className, searchKey1 }) => className === 'ACCOUNT_CREATION' && searchKey1 === account.recordId,
    );
    expect(created).to.eql({
      recordId: created?.recordId,
      userToken: created?.userToken,
      createdDate: '2024-03-01T08:00:00.000Z',
      searchKey1: account.recordId,
      searchKey2: engine.tenant.recordId,
      event: created?.event,
      className: 'ACCOUNT_CREATION',
      processingState: 'PROCESSED',
      errorCount: 0,
      processingOwner: created?.processingOwner,
    });
    expect(created?.event).to.include({ accountId: account.id });
    const byQueue = (listed: Listed, name: string) =>
      (listed.notifications ?? []).filter(({ queueName }) => queueName === name);
    expect(byQueue(all, BILLING), 'not the one in three days').to.have.length(503);
    expect(byQueue(all, BILLING).at(-1)).to.include({
      processingState: 'IN_PROCESSING',
      processingOwner: 'n1',
    });
    const pushes = byQueue(all, 'server-service:push-notification-queue');
    expect(pushes.map(({ processingState }) => processingState)).to.include('PROCESSED');
    expect(pushes[0]?.event).to.include({ eventType: 'TENANT_CONFIG_CHANGE' });
    expect(pushes[0]?.userToken).to.be.a('string').and.to.equal(pushes[0]?.futureUserToken);

    const own = await list({ accountId: stranger.id, withBusEvents: false });
    expect(own).to.have.all.keys('notifications');
    expect(byQueue(own, BILLING)).to.have.length(503);
    expect(byQueue(own, BILLING)[0]).to.have.all.keys(
      ...['recordId', 'userToken', 'createdDate', 'searchKey1', 'searchKey2', 'event', 'futureUserToken'],
      ...['effectiveDate', 'queueName', 'processingState', 'errorCount', 'processingOwner'],
    );
    expect(await list({ withNotifications: false, withHistory: false })).to.eql({ busEvents: [] });
    const idle = await list({ withInProcessing: false, withBusEvents: false, queueName: 'retry' });
    expect(idle).to.eql({ notifications: [] });
    const late = await list({ maxDate: '2024-03-01T07:59:00Z', serviceName: 'invoice-service' });
    expect(byQueue(late, BILLING).map(({ searchKey1 }) => searchKey1)).to.eql([account.recordId]);
  });
});
