import type { NewUsageLine, Uuid } from '../../lib/index.ts';
import { anyDatabase, eachDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

/** Returns whether the statement is the count of remaining work by `settle`, which depends on timing. */
const isLookForWork = (statement: string) => statement.includes('select count(*) from bw_queue_entries');
const beginningOf = (statement: string): string => statement.trim().replaceAll(/\s+/g, ' ').slice(0, 80);

eachDatabase.describe('SQL statements of runs that bill usage (usage §11)', (open) => {
  let statements: string[] = [];
  let engine: TestEngine;
  const begin = async (): Promise<void> => {
    engine = await openEngine(open, {
      now: '2026-04-01T06:00:00Z',
      catalog: usageCatalog,
      trace: (statement) => statements.push(statement),
    });
  };
  beforeEach(begin);

  /** Creates accounts without a payment method, each with this many subscriptions. */
  async function subscribe(accounts: number, subscriptions: number): Promise<readonly Uuid[][]> {
    const all: Uuid[][] = [];
    for (let left = accounts; left > 0; left -= 1) {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
      const bundle = [{ accountId, planName: 'api-std' }];
      const made = await engine.acme.subscriptions.createBundles(
        Array.from({ length: subscriptions }, () => bundle),
      );
      all.push(made.flatMap(({ subscriptionIds }) => subscriptionIds));
    }
    await engine.settle();
    return all;
  }

  /** Records points on this many days of the month, two for each: one at noon and one for the day. */
  async function use(subscriptionIds: readonly Uuid[], days: number, { name = '', month = '2026-04' } = {}) {
    const usages = subscriptionIds.map((subscriptionId): NewUsageLine => {
      const usageRecords = Array.from({ length: days }, (_, index) => {
        const day = `${month}-${String(index + 1).padStart(2, '0')}`;
        return [day, `${day}T12:00:00Z`].map((recordDate) => ({ recordDate, amount: '1' }));
      }).flat();
      return {
        subscriptionId,
        trackingId: `${name}${days}`,
        unitUsageRecords: [{ unitType: 'calls', usageRecords }],
      };
    });
    expect(await engine.acme.usage.recordAll(usages)).to.include({ accepted: subscriptionIds.length });
  }

  async function sentBy(work: () => Promise<unknown>, about = /./): Promise<readonly string[]> {
    statements = [];
    await work();
    return statements
      .filter((text) => !isLookForWork(text) && about.test(text))
      .map(beginningOf)
      .sort();
  }

  it('do not increase in number with points and subscriptions, even with late usage', async () => {
    const first: (readonly string[])[] = [];
    const late: (readonly string[])[] = [];
    for (const [subscriptions, days] of [
      [1, 1],
      [20, 30],
    ] as const) {
      const [ids = []] = await subscribe(1, subscriptions);
      const [{ accountId } = { accountId: '' as Uuid }] = await Promise.all(
        ids.slice(0, 1).map((id) => engine.acme.getSubscription(id)),
      );
      const run = () => engine.acme.invoices.generate({ accountId, targetDate: '2026-05-01' });
      await use(ids, days);
      first.push(await sentBy(run));
      await use(ids, days, { name: 'late' });
      late.push(await sentBy(run));
    }
    expect(first[1]).to.eql(first[0]);
    expect(late[1]).to.eql(late[0]);
    const reads = first[0]?.filter((text) => text.startsWith('select')) ?? [];
    expect(reads).not.to.have.length(0);
  }).timeout(60_000);

  it('do not increase in number with the number of accounts that fall due at the same time', async () => {
    const sent: (readonly string[])[] = [];
    for (const accounts of [2, 8]) {
      if (sent.length > 0) {
        await engine.close();
        await begin();
      }
      await use((await subscribe(accounts, 2)).flat(), 3);
      // Statements that finish queue entries depend on the size of the batches.
      const about = /bw_usage|bw_invoice|bw_coverage|bw_subscription/;
      sent.push(await sentBy(() => engine.runTo('2026-05-01T06:00:00Z'), about));
      expect(statements.filter((text) => text.includes('bw_usage'))).not.to.have.length(0);
    }
    expect(sent[1]).to.eql(sent[0]);
  }).timeout(60_000);
});

anyDatabase.describe('SQL statements of usage reads (usage §11)', (open) => {
  it('do not increase in number if the current cost covers two period lengths instead of one (usage §3.3)', async () => {
    const counts: number[] = [];
    for (const planName of ['api-std', 'two-lengths']) {
      const statements: string[] = [];
      const start = { planName, from: '2026-01-01' };
      const stage = await UsageStage.begin(open, start, { trace: (text) => statements.push(text) });
      try {
        await stage.use('3 calls 2026-01-10');
        await stage.runTo('2026-01-15');
        statements.length = 0;
        expect(await stage.engine.acme.usage.rated(stage.subscriptionId)).to.have.lengthOf(counts.length + 1);
        counts.push(statements.length);
      } finally {
        await stage.close();
      }
    }
    expect(counts[1]).to.equal(counts[0]);
  });

  it('do not increase in number with points, days and billed periods', async () => {
    const statements: string[] = [];
    const stage = await UsageStage.begin(
      open,
      { planName: 'api-std', from: '2026-01-01' },
      { trace: (statement) => statements.push(statement) },
    );
    try {
      const { usage, invoices } = stage.engine.acme;
      const countOf = async (read: () => Promise<unknown>): Promise<number> => {
        statements.length = 0;
        await read();
        return statements.length;
      };
      const counts = async () => {
        const year = { startDate: '2026-01-01', endDate: '2027-01-01' };
        const { id } = await stage.last();
        return [
          await countOf(() => usage.timeline(stage.subscriptionId, year)),
          await countOf(() => usage.timeline(stage.subscriptionId, { ...year, granularity: 'HOUR' })),
          await countOf(() => usage.rated(stage.subscriptionId)),
          await countOf(() => usage.unbilled(stage.subscriptionId, year)),
          await countOf(() => invoices.trackingIds(id, { offset: 0, limit: 100 })),
        ];
      };
      await stage.use('1 calls 2026-01-05T10:00:00Z');
      await stage.runTo('2026-02-01', '2026-02-02');
      await stage.use('1 calls 2026-01-05T11:00:00Z');
      const few = await counts();
      for (let day = 6; day < 26; day += 1) {
        for (const hour of [11, 12])
          await stage.use(`1 calls 2026-01-${String(day).padStart(2, '0')}T${hour}:00:00Z`);
      }
      await stage.runTo('2026-03-01', '2026-04-01', '2026-05-01', '2026-05-02');
      await stage.use('1 calls 2026-04-05T11:00:00Z');
      expect((await counts()).filter((count, index) => count > (few[index] ?? 0))).to.eql([]);
    } finally {
      await stage.close();
    }
  });
});
