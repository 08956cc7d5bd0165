import { inChild } from './child.ts';
import { withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal } from './goal.ts';
import { PRICE } from './past.ts';
import type { TestClockInput, TestClockOutput } from './test-clock-process.ts';

const years = { SMOKE: 1, QUICK: 2, NORMAL: 10, FULL: 10 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 5, FULL: 5 };
const ways = {
  SMOKE: ['ONE_JUMP'],
  QUICK: ['ONE_JUMP', 'MONTH_BY_MONTH'],
  NORMAL: ['ONE_JUMP', 'MONTH_BY_MONTH'],
  FULL: ['ONE_JUMP', 'MONTH_BY_MONTH'],
} as const;
const named = { ONE_JUMP: 'in one jump', MONTH_BY_MONTH: 'month by month' };

export const testClock: Goal = {
  name: 'test-clock',
  title: 'Test clock: one account with a monthly plan through years, settled',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds) {
      for (const way of bench.choose<readonly TestClockInput['way'][]>(ways)) {
        const outputs: number[] = [];
        for (let left = bench.choose(runs); left > 0; left -= 1) outputs.push(await once(bench, kind, way));
        figures.push({
          name: `${bench.choose(years)} years ${named[way]}, ${kind}`,
          unit: 's',
          runs: outputs,
          goal: { atMost: 1 },
        });
      }
    }
    return figures;
  },
};

async function once(bench: Bench, kind: (typeof bench.kinds)[number], way: TestClockInput['way']) {
  const database = await bench.databases.fresh(kind);
  const months = bench.choose(years) * 12;
  const { ms } = await inChild<TestClockInput, TestClockOutput>({
    script: new URL('./test-clock-process.ts', import.meta.url),
    input: { database, months, way },
  });
  const [found] = await withRows(database, (rows) =>
    rows.query(`select count(*) as invoices, count(distinct target_date) as dates,
      sum(cast(amount as numeric)) as amount, sum(cast(raw_balance as numeric)) as owed from bw_invoices`),
  );
  const wanted = [months + 1, months + 1, (months + 1) * PRICE, 0];
  expectSame('Invoices, dates, amount and debt of all years', Object.values(found ?? {}).map(Number), wanted);
  await bench.databases.remove(database);
  return ms / 1_000;
}
