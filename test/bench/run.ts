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

/** The check of the seed comes first, for the figures stand on it. */
const goals: readonly Goal[] = [
  seedCheck,
  invoiceRun,
  historyGrowth,
  apiReads,
  accountReads,
  invoiceSearch,
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

const usage = `npm run bench -- [--smoke | --full] [--only <name>]... [--database <kind>]

  --smoke     small sizes, to see that everything works
  --full      five runs of the heavy goals, too
  --only      one of: ${goals.map(({ name }) => name).join(', ')}
  --database  ${databaseKinds.join(' or ')}; both unless told`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      smoke: { type: 'boolean', default: false },
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
  const size = values.smoke ? Size.SMOKE : values.full ? Size.FULL : Size.NORMAL;
  const chosen = goals.filter(({ name }) => values.only === undefined || values.only.includes(name));
  const unknown = values.only?.filter((name) => !goals.some((goal) => goal.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`There is no goal "${unknown.join(', ')}"\n${usage}`);
  const kinds = databaseKinds.filter((kind) => values.database === undefined || values.database === kind);
  if (kinds.length === 0) throw new Error(`There is no database "${values.database}"\n${usage}`);
  await measure(chosen, size, kinds);
}

async function measure(chosen: readonly Goal[], size: Size, kinds: readonly DatabaseKind[]): Promise<void> {
  // Small sizes are for a quick look: what the many processes load is kept compiled.
  if (size === Size.SMOKE) process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'billwright-compiled');
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
    say: (line) => console.log(`  ${line}`),
  };
  try {
    for (const line of await conditions(databases)) console.log(line);
    if (size === Size.SMOKE)
      console.log(
        'sizes        SMOKE, and PostgreSQL not durable: the figures say that it works, not how fast it is',
      );
    for (const goal of chosen) {
      console.log(`\n${goal.title}`);
      const began = performance.now();
      for (const figure of await goal.measure(bench)) console.log(`  ${reportLine(figure, size)}`);
      console.log(`  (took ${format((performance.now() - began) / 1_000)} s in all)`);
    }
  } finally {
    await databases.close();
    await built?.remove();
  }
}

await main();
