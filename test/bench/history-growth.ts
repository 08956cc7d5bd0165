import type { BenchDatabase } from './bench-database.ts';
import type { DatabaseKind } from './databases.ts';
import { dryRunsOf } from './dry-run.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase } from './goal.ts';
import { runOnce } from './invoice-run.ts';
import { type Seeded, seed } from './past.ts';
import { median } from './statistics.ts';

const accounts = { SMOKE: 3, QUICK: 5, NORMAL: 200, FULL: 500 };
const pasts = { SMOKE: [2, 4], QUICK: [2, 12], NORMAL: [12, 120, 600], FULL: [12, 120, 600] };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 9, FULL: 9 };
/** Limits for ten and fifty times the history of the first measurement. */
const goals = [1, 1.15, 1.3];

/** Measures a run and a dry run with longer and longer history. The number of statements must stay the same. */
export const historyGrowth: Goal = {
  name: 'history-growth',
  title: 'Growth with history: time over that at the shortest past',
  measure: onEachDatabase(growthOn),
};

interface Measured {
  readonly invoices: number;
  readonly template: BenchDatabase;
  readonly seeded: Seeded;
  readonly runMs: number[];
  readonly dryRunMs: number[];
  statements: { readonly run: number; readonly dryRun: number };
}

async function growthOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const measured: Measured[] = [];
  for (const invoices of bench.choose(pasts)) measured.push(await seededPast(bench, kind, invoices));
  // Each round runs all lengths in turn, so that other load on the machine affects all of them.
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    for (const past of measured) await measureOnce(bench, past);
  }
  for (const { template } of measured) await bench.databases.remove(template);
  const [first] = measured;
  if (!first) return [];
  for (const { statements, invoices } of measured) {
    expectSame(
      `Statements of a run and of a dry run at ${invoices} past invoices`,
      statements,
      first.statements,
    );
  }
  bench.print(
    `${kind}: ${first.statements.run} statements per run, ${first.statements.dryRun} per dry run, at every past`,
  );
  return measured.flatMap(({ invoices, runMs, dryRunMs }, index): readonly Figure[] => {
    const limit = goals[index];
    const goal = index === 0 || limit === undefined ? null : { atMost: limit };
    const over = (times: readonly number[], base: readonly number[]) => times.map((ms) => ms / median(base));
    return [
      {
        name: `invoice run, ${kind}, ${invoices} past invoices`,
        unit: `× ${median(first.runMs).toFixed(0)} ms`,
        runs: over(runMs, first.runMs),
        goal,
      },
      {
        name: `dry run p50, ${kind}, ${invoices} past invoices`,
        unit: `× ${median(first.dryRunMs).toFixed(2)} ms`,
        runs: over(dryRunMs, first.dryRunMs),
        goal,
      },
    ];
  });
}

async function seededPast(bench: Bench, kind: DatabaseKind, invoices: number): Promise<Measured> {
  const template = await bench.databases.fresh(kind);
  const seeded = await seed(template, { accounts: bench.choose(accounts), invoices, subscriptions: 1 });
  bench.print(`${kind}: ${invoices} past invoices of ${seeded.accounts} accounts (${seeded.rows} rows)`);
  return { invoices, template, seeded, runMs: [], dryRunMs: [], statements: { run: 0, dryRun: 0 } };
}

async function measureOnce(bench: Bench, past: Measured): Promise<void> {
  const { databases } = bench;
  const database = await databases.copyOf(past.template);
  const dry = await dryRunsOf(bench, database, past.seeded);
  const run = await runOnce(database, past.seeded, { by: 'SETTLE' });
  past.dryRunMs.push(median(dry.timesMs));
  past.runMs.push(run.ms);
  past.statements = { run: run.statements, dryRun: dry.statements.length };
  await databases.remove(database);
}
