import type { BenchDatabase } from './bench-database.ts';
import { inChild } from './child.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase } from './goal.ts';
import type { RunInput, RunOutput } from './run-process.ts';
import { median } from './statistics.ts';
import { seedMetered, seedUsage, USAGE_DUE, USED_DAYS } from './usage-past.ts';

const accounts = { SMOKE: 10, QUICK: 10, NORMAL: 1_000, FULL: 1_000 };
/** Number of points of a subscription in the month, ten times more each time. */
const points = {
  SMOKE: [25, 250, 2_500],
  QUICK: [25, 2_500],
  NORMAL: [100, 1_000, 10_000],
  FULL: [100, 1_000, 10_000],
};
const pointsOfOne = { SMOKE: 100_000, QUICK: 20_000, NORMAL: 10_000_000, FULL: 10_000_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const mostGrowth = 1.15;
/** usage §11 */
const goalOfOne = 1;

const script = new URL('./run-process.ts', import.meta.url);

/** A run reads daily sums, so the number of points must not matter. */
export const usageRating: Goal = {
  name: 'usage-rating',
  title: 'Usage: runs that bill a month of subscriptions with very many points, with payment',
  measure: onEachDatabase(measureOn),
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const total = bench.choose(accounts);
  const sizes = bench.choose(points);
  const times: { readonly each: number; readonly seconds: readonly number[] }[] = [];
  for (const each of sizes) times.push({ each, seconds: await timesOf(bench, kind, { total, each }) });
  const ofOne = bench.choose(pointsOfOne);
  const one = await timesOf(bench, kind, { total: 1, each: ofOne });
  const base = median(times[0]?.seconds ?? []);
  return [
    ...times.map(({ each, seconds }, index) => ({
      name: `run of ${total} subscriptions with ${each} points each, ${kind}`,
      unit: 's',
      runs: seconds,
      goal: index === 0 ? null : { atMost: mostGrowth * base },
    })),
    {
      name: `run of one account with ${ofOne} points in the month, ${kind}`,
      unit: 's',
      runs: one,
      goal: { atMost: goalOfOne },
    },
  ];
}

async function timesOf(
  bench: Bench,
  kind: DatabaseKind,
  { total, each }: { readonly total: number; readonly each: number },
): Promise<readonly number[]> {
  const { databases } = bench;
  const template = await databases.fresh(kind);
  await seedMetered(template, total);
  await seedUsage(template, each / USED_DAYS);
  bench.print(`seeded ${total} subscriptions with ${each} points each on ${kind}`);
  const seconds: number[] = [];
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await databases.copyOf(template);
    const input: RunInput = { database, now: USAGE_DUE, by: 'SETTLE' };
    const { ms, charges } = await inChild<RunInput, RunOutput>({ script, input });
    expectSame('Charges', charges, total);
    await check(database, total, each);
    seconds.push(ms / 1_000);
    await databases.remove(database);
  }
  await databases.remove(template);
  return seconds;
}

async function check(database: BenchDatabase, total: number, each: number): Promise<void> {
  await withRows(database, async (rows) => {
    const [found] = await rows.query(`
      select count(*) as items, sum(cast(amount as numeric)) as amount from bw_invoice_items where item_type = 'USAGE'`);
    expectSame('Items of usage and their amount', Object.values(found ?? {}).map(Number), [
      total,
      total * each,
    ]);
  });
}
