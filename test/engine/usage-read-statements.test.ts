import { anyDatabase, expect } from '../support/index.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

anyDatabase('statements of reads of usage', (open) => {
  it('usage §3.3: are no more for periods of two lengths than of one, to rate what is running', async () => {
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

  it('usage §11: are no more for many points, days and billed periods than for few', async () => {
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
