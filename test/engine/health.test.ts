import { type HealthReport, healthReport } from '../../lib/health/index.ts';
import type { NewNotification, QueueName } from '../../lib/index.ts';
import { connectedAs, eachDatabaseByTurns, engineBeforeEach, expect, openEngine } from '../support/index.ts';

const PASSED = { healthy: true, message: null };

eachDatabaseByTurns.describe('node health check (platform §13)', (open, kind) => {
  const engine = engineBeforeEach(open, { now: '2024-03-01T08:00:00Z', areCells: false });
  beforeEach(async () => {
    await engine.settle();
  });

  /** Schedules notifications that no node has a handler for, so they stay late. */
  async function unhandled(count: number): Promise<void> {
    const { acme, billing, storage, clock, tenant } = engine;
    const account = await acme.createAccount({});
    const context = await billing.context({ tenant, user: 'test' });
    const left = Array.from(
      { length: count },
      (): NewNotification => ({
        queueName: 'nobody-service:nothing' as QueueName,
        accountRecordId: account.recordId,
        effectiveDate: clock.now(),
        payload: {},
        uniqueKey: null,
      }),
    );
    const authorship = { ...context, userTokenOf: () => context.userToken };
    await storage.write(tenant, authorship, async (session) => session.schedule(left));
    await engine.billing.settle({ timeoutMs: 100 });
  }

  it('passes in every part, including the queue part on a node that does not process queues', async () => {
    expect(await engine.billing.health()).to.eql({
      database: PASSED,
      queues: { healthy: true, message: 'This node does not process the queues' },
      clock: PASSED,
      rotation: PASSED,
      serverKey: PASSED,
    });
    engine.billing.start();
    expect(await engine.billing.health()).to.eql({
      database: PASSED,
      queues: PASSED,
      clock: PASSED,
      rotation: PASSED,
      serverKey: PASSED,
    });
  });

  it('fails if entries stay unprocessed for more than 10 minutes', async () => {
    await unhandled(1);
    engine.billing.start();
    engine.clock.advance({ minutes: 10 });
    expect((await engine.billing.health()).queues).to.eql(PASSED);
    engine.clock.advance({ seconds: 1 });
    expect(await engine.billing.health()).to.eql({
      database: PASSED,
      queues: { healthy: false, message: 'The oldest queue entry is 601 s late' },
      clock: PASSED,
      rotation: PASSED,
      serverKey: PASSED,
    });
  });

  it('fails if more than 1000 entries are late', async () => {
    await unhandled(1_000);
    engine.billing.start();
    engine.clock.advance({ minutes: 1 });
    expect((await engine.billing.health()).queues).to.eql(PASSED);
    await unhandled(1);
    // An entry that has just become due is not late yet.
    expect((await engine.billing.health()).queues).to.eql(PASSED);
    engine.clock.advance({ minutes: 1 });
    expect((await engine.billing.health()).queues).to.eql({
      healthy: false,
      message: 'More than 1000 queue entries are late',
    });
  });

  it('includes metrics for the due entries of each topic and for the oldest due date (rule 3)', async () => {
    await unhandled(3);
    engine.clock.advance({ minutes: 2 });
    const topics = (await engine.billing.metrics()).filter(({ name }) => name.startsWith('queue_topic_'));
    const labels = { topic: 'nobody-service:nothing' };
    expect(topics.map(({ name, values }) => [name, values])).to.eql([
      ['queue_topic_due_entries', [{ labels, value: 3 }]],
      ['queue_topic_oldest_due_seconds', [{ labels, value: 120 }]],
    ]);
  });

  it('counts an entry that is created after its due date as late only from its creation', async () => {
    const account = await engine.payingAccount({ currency: 'USD' });
    const billingDate = { kind: 'INSTANT', at: engine.clock.now() } as const;
    engine.clock.advance({ days: 1 });
    await engine.settle();
    const request = { entitlementDate: billingDate, billingDate };
    await engine.acme.createSubscription({ accountId: account.id, planName: 'solo-now' }, request);
    const backlog = (limit: number) => engine.storage.queue.backlog({ since: engine.clock.now(), limit });
    const { late, oldest } = await backlog(1_001);
    expect(late).to.be.greaterThan(0);
    expect(oldest).to.equal(engine.clock.now());
    expect((await backlog(1)).late).to.equal(1);
  });

  it("reports, like a warning at startup, that row-level security does not bind the engine's role", async () => {
    const bypassing = await openEngine(async (template) => connectedAs('bypassing', await open(template)), {
      now: '2024-03-01T08:00:00Z',
      areCells: false,
    });
    try {
      const { database } = await bypassing.billing.health();
      const warnings = bypassing.logger.lines.filter(({ level }) => level === 'warn');
      if (kind === 'sqlite') {
        expect(database).to.eql(PASSED);
        expect(warnings).to.eql([]);
        return;
      }
      expect(database.healthy).to.equal(true);
      expect(database.message).to.match(
        /^Row-level security does not apply to the database role of the engine/,
      );
      expect(database.message, 'for everybody to read').to.not.contain('billwright_bypassing');
      expect(warnings.map(({ fields }) => fields)).to.eql([{ role: 'billwright_bypassing' }]);
    } finally {
      await bypassing.close();
    }
  });

  it('fails if the clocks of engine and database differ', async () => {
    const messages: unknown[] = [];
    for (const ms of [10_000, -20_000]) {
      engine.systemClock.push(ms);
      const { clock } = await engine.billing.health();
      expect(clock.healthy).to.equal(false);
      messages.push(clock.message);
    }
    expect(messages).to.eql(Array(2).fill("The clock of this process differs by 10 s from the database's"));
  });

  it('fails if the database does not respond in time, and writes the database error only to the log', async () => {
    const { storage, clock, logger } = engine;
    const reportOf = (answer: () => Promise<never>): Promise<HealthReport> => {
      const system = { ...storage.system, ping: answer, nowMs: answer };
      const queue = { ...storage.queue, backlog: answer };
      // Two seconds pass at once.
      const systemClock = { ...engine.systemClock, after: (_ms: number, act: () => void) => soon(act) };
      const ports = { storage: { system, queue }, clock, systemClock, logger };
      return healthReport(ports, {
        isInRotation: () => true,
        lostSecrets: answer,
        workedOn: () => ['BUS', 'NOTIFICATION'],
        lateThresholdMs: 60_000,
      });
    };
    const soon = (act: () => void): (() => void) => {
      const timer = setTimeout(act, 20);
      return () => clearTimeout(timer);
    };
    const all = (message: string) => {
      const check = { healthy: false, message };
      return { database: check, queues: check, clock: check, rotation: PASSED, serverKey: check };
    };
    const refused = await reportOf(() => Promise.reject(new Error('connection refused to 10.0.0.1')));
    expect(refused).to.eql(all('The database does not answer'));
    expect(logger.lines.filter(({ message }) => message === 'a health check failed')).to.have.length(4);
    const silent = await reportOf(() => new Promise(() => undefined));
    expect(silent).to.eql(all('The database does not answer within 2000 ms'));
  });
});
