import type { BenchDatabase } from './bench-database.ts';
import { inChild } from './child.ts';
import { databaseKinds } from './databases.ts';
import type { DryRunInput, DryRunOutput } from './dry-run-process.ts';
import { type Bench, expectSame, type Figure, type Goal } from './goal.ts';
import { PRICE, type Seeded, seed } from './past.ts';
import { median, percentile } from './statistics.ts';

const accounts = { SMOKE: 3, QUICK: 20, NORMAL: 1_000, FULL: 1_000 };
const calls = { SMOKE: 20, QUICK: 100, NORMAL: 1_000, FULL: 1_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 5, FULL: 5 };

export const dryRun: Goal = {
  name: 'dry-run',
  title: 'Dry run: one account with 2 subscriptions and 12 past invoices',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of databaseKinds) {
      const database = await bench.databases.fresh(kind);
      const seeded = await seed(database, {
        accounts: bench.choose(accounts),
        invoices: 12,
        subscriptions: 2,
      });
      const times: (readonly number[])[] = [];
      for (let left = bench.choose(runs); left > 0; left -= 1) {
        times.push((await dryRunsOf(bench, database, seeded)).timesMs);
      }
      await bench.databases.remove(database);
      figures.push(
        {
          name: `dry run p50, ${kind}`,
          unit: 'ms',
          runs: times.map(median),
          goal: { atMost: 5 },
        },
        {
          name: `dry run p99, ${kind}`,
          unit: 'ms',
          runs: times.map((run) => percentile(run, 99)),
          goal: null,
        },
      );
    }
    return figures;
  },
};

/** Runs dry runs in a separate process and checks that the amounts are exact and that nothing is locked or written. */
export async function dryRunsOf(
  bench: Bench,
  database: BenchDatabase,
  seeded: Seeded,
): Promise<DryRunOutput> {
  const { tenantId, accountId, due, subscriptions } = seeded;
  const output = await inChild<DryRunInput, DryRunOutput>({
    script: new URL('./dry-run-process.ts', import.meta.url),
    input: { database, tenantId, accountId, due, calls: bench.choose(calls) },
  });
  expectSame('The foreseen amount', output.amount, (PRICE * subscriptions).toFixed(2));
  const reading = /^\s*(select|with|begin|start transaction|commit)\b/i;
  const changing = /for (no key )?update|\b(insert into|update bw_|delete from)\b/i;
  const writing = output.statements.filter((text) => !reading.test(text) || changing.test(text));
  expectSame('Statements of a dry run that lock or write', writing, []);
  return output;
}
