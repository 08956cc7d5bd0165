import type { BenchDatabase } from './bench-database.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import type { Bench, Figure, Goal } from './goal.ts';
import { onEachDatabase } from './goal.ts';
import { plainInsertRate, runOnce } from './invoice-run.ts';
import { BEGINS, dueAfter, PLAN, play, type Seeded, settle, withEngine } from './past.ts';
import { markNow, multiply } from './seed.ts';

const subscriptions = { SMOKE: 30, QUICK: 1_000, NORMAL: 30_000, FULL: 30_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const mostTimesTheCeiling = 2.5;
const goalPeakMib = 400;

export const manySubscriptions: Goal = {
  name: 'many-subscriptions',
  title: 'One account with very many subscriptions: one run, with payment',
  measure: onEachDatabase(measureOn),
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const { databases } = bench;
  const template = await databases.fresh(kind);
  const seeded = await seedOneAccount(template, bench.choose(subscriptions));
  const [times, peaks]: [number[], number[]] = [[], []];
  let ceiling = 0;
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await databases.copyOf(template);
    const { ms, peakMib } = await runOnce(database, seeded, { by: 'SETTLE' });
    times.push(ms / 1_000);
    peaks.push(peakMib);
    if (left === 1) ceiling = 1 / (await plainInsertRate({ databases, template, database }));
    await databases.remove(database);
  }
  await databases.remove(template);
  const on = `${seeded.subscriptions} subscriptions, ${kind}`;
  return [
    {
      name: `run of one account, ${on}`,
      unit: 's',
      runs: times,
      goal: { atMost: mostTimesTheCeiling * ceiling },
      ceiling: { what: 'the new rows among them by plain inserts', value: ceiling },
    },
    { name: `highest resident memory, ${on}`, unit: 'MiB', runs: peaks, goal: { atMost: goalPeakMib } },
  ];
}

/**
 * Lets the engine bill two subscriptions of the account, one after the other, and copies the second to get the rest.
 */
export async function seedOneAccount(database: BenchDatabase, count: number): Promise<Seeded> {
  const past = { accounts: 1, invoices: 1, subscriptions: count };
  const { tenantId, accountId } = await play(database, { ...past, subscriptions: 1 });
  const mark = await withRows(database, markNow);
  await withEngine(database, BEGINS, async ({ billing }) => {
    const acme = billing.as({ tenant: tenantId, user: 'bench' });
    await acme.createSubscription({ accountId, planName: PLAN });
    await settle(billing);
  });
  const rows = await withRows(database, (access) => multiply(access, mark, count - 2));
  return { ...past, tenantId, accountId, due: dueAfter(past), rows };
}
