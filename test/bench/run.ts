import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accountReads } from './account-reads.ts';
import { apiReads } from './api-reads.ts';
import { apiWrites } from './api-writes.ts';
import { buildPackage } from './built.ts';
import { catalogSize } from './catalog-size.ts';
import { runBuilt } from './child.ts';
import { coldStart } from './cold-start.ts';
import { conditions } from './conditions.ts';
import { benchDatabases, type DatabaseKind, databaseKinds } from './databases.ts';
import { dryRun } from './dry-run.ts';
import { eventSink } from './event-sink.ts';
import { type Bench, type Goal, Size } from './goal.ts';
import { historyGrowth } from './history-growth.ts';
import { invoiceRun } from './invoice-run.ts';
import { invoiceSearch } from './invoice-search.ts';
import { manySubscriptions } from './many-subscriptions.ts';
import { overdueChecks } from './overdue-checks.ts';
import { payments } from './payments.ts';
import { push } from './push.ts';
import { queueLatency } from './queue-latency.ts';
import { format, reportLine } from './report.ts';
import { seedCheck } from './seed-check.ts';
import { testClock } from './test-clock.ts';
import { usageHttp } from './usage-http.ts';
import { usageIngest } from './usage-ingest.ts';
import { usageRating } from './usage-rating.ts';
import { workers } from './workers.ts';

/** Starts with the check of the seed, because all figures depend on it. */
const goals: readonly Goal[] = [
  seedCheck,
  invoiceRun,
  historyGrowth,
  apiReads,
  accountReads,
  invoiceSearch,
  workers,
  apiWrites,
  payments,
  overdueChecks,
  dryRun,
  coldStart,
  testClock,
  queueLatency,
  push,
  eventSink,
  manySubscriptions,
  catalogSize,
  usageIngest,
  usageHttp,
  usageRating,
];

const usage = `npm run bench -- [--smoke | --quick | --full] [--only <name>]... [--database <kind>]

  --smoke     small sizes, to see that everything works
  --quick     every line once with its ceiling, in at most three minutes on an idle machine
  --full      five runs of the heavy goals, too
  --only      one of: ${goals.map(({ name }) => name).join(', ')}
  --database  ${databaseKinds.join(' or ')}; default: both`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      smoke: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      database: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const size = sizeOf(values);
  const chosen = goals.filter(({ name }) => values.only === undefined || values.only.includes(name));
  const unknown = values.only?.filter((name) => !goals.some((goal) => goal.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`There is no goal "${unknown.join(', ')}"\n${usage}`);
  const kinds = databaseKinds.filter((kind) => values.database === undefined || values.database === kind);
  if (kinds.length === 0) throw new Error(`There is no database "${values.database}"\n${usage}`);
  await measure(chosen, size, kinds);
}

function sizeOf(given: { readonly smoke: boolean; readonly quick: boolean; readonly full: boolean }): Size {
  if (given.smoke) return Size.SMOKE;
  if (given.quick) return Size.QUICK;
  return given.full ? Size.FULL : Size.NORMAL;
}

async function measure(chosen: readonly Goal[], size: Size, kinds: readonly DatabaseKind[]): Promise<void> {
  const began = performance.now();
  // Small sizes consist mostly of process starts, so compiled code is cached.
  if (size === Size.SMOKE || size === Size.QUICK)
    process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'billwright-compiled');
  // Building takes longer than all small sizes together.
  const built = size === Size.SMOKE ? null : await buildPackage();
  const databases = benchDatabases({ durable: size !== Size.SMOKE });
  if (built !== null) runBuilt(built.script);
  const bench: Bench = {
    size,
    databases,
    kinds,
    program: built?.program ?? null,
    choose: (values) => values[size],
    print: (line) => console.log(`  ${line}`),
  };
  try {
    for (const line of await conditions(databases)) console.log(line);
    if (size === Size.SMOKE)
      console.log(
        'sizes        SMOKE, and PostgreSQL not durable: the figures show only that it works, not its speed',
      );
    if (size === Size.QUICK)
      console.log(
        'sizes        QUICK, one run each: compare shares of ceilings; the goals are for the full sizes',
      );
    for (const goal of chosen) {
      console.log(`\n${goal.title}`);
      const startedMs = performance.now();
      for (const figure of await goal.measure(bench)) console.log(`  ${reportLine(figure, size)}`);
      console.log(`  (took ${format((performance.now() - startedMs) / 1_000)} s in all)`);
    }
    console.log(`\nAll of it took ${format((performance.now() - began) / 1_000)} s`);
  } finally {
    await databases.close();
    await built?.remove();
  }
}

await main();
