import { inChild } from './child.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase } from './goal.ts';
import { plainUsageRate } from './plain-usage-rate.ts';
import { median, percentile } from './statistics.ts';
import type { UsageInput, UsageOutput } from './usage-process.ts';

const subscriptions = { SMOKE: 50, QUICK: 2_000, NORMAL: 20_000, FULL: 20_000 };
const chunk = { SMOKE: 200, QUICK: 5_000, NORMAL: 5_000, FULL: 5_000 };
const sustainedMs = { SMOKE: 200, QUICK: 1_000, NORMAL: 20_000, FULL: 60_000 };
const singles = { SMOKE: 10, QUICK: 100, NORMAL: 2_000, FULL: 2_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const callers = { sqlite: 1, postgresql: 4 };
/** usage §11 */
const goals = { sqlite: { atLeast: 25_000 }, postgresql: { atLeast: 50_000 } };
const goalP99 = 20;

const script = new URL('./usage-process.ts', import.meta.url);

/** Measures usage in storage, without the parsing and checks of lines. */
export const usageIngest: Goal = {
  name: 'usage-ingest',
  title: 'Usage: points of random subscriptions into storage, one in a hundred sent twice',
  measure: onEachDatabase(measureOn),
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const outputs: UsageRun[] = [];
  for (let left = bench.choose(runs); left > 0; left -= 1) outputs.push(await runOnce(bench, kind));
  const size = bench.choose(chunk);
  return [
    {
      name: `chunks of ${size} points, ${callers[kind]} at once, ${kind}`,
      unit: 'points/s',
      runs: outputs.map(({ perSecond }) => perSecond),
      goal: goals[kind],
      ceiling: {
        what: 'plain inserts of the same rows',
        value: median(outputs.map(({ plainPerSecond }) => plainPerSecond)),
      },
    },
    {
      name: `share of plain inserts, ${kind}`,
      unit: '',
      runs: outputs.map(({ perSecond, plainPerSecond }) => perSecond / plainPerSecond),
      goal: { atLeast: 0.5 },
    },
    ...[50, 99].map((share) => ({
      name: `p${share} of one point, one caller, ${kind}`,
      unit: 'ms',
      runs: outputs.map(({ singleMs }) => percentile(singleMs, share)),
      goal: share === 99 && kind === 'postgresql' ? { atMost: goalP99 } : null,
    })),
  ];
}

interface UsageRun extends UsageOutput {
  readonly plainPerSecond: number;
}

async function runOnce(bench: Bench, kind: DatabaseKind): Promise<UsageRun> {
  const database = await bench.databases.fresh(kind);
  const input: UsageInput = {
    database,
    subscriptions: bench.choose(subscriptions),
    chunk: bench.choose(chunk),
    callers: callers[kind],
    sustainedMs: bench.choose(sustainedMs),
    singles: bench.choose(singles),
  };
  const output = await inChild<UsageInput, UsageOutput>({ script, input });
  await withRows(database, async (rows) => {
    const [points] = await rows.query('select count(*) as found from bw_usage_points');
    const [days] = await rows.query('select sum(point_count) as found from bw_usage_days');
    expectSame('Number of points', Number(points?.found), output.accepted);
    expectSame('Points by the rows of days', Number(days?.found), output.accepted);
  });
  const into = await bench.databases.fresh(kind);
  const plainPerSecond = await plainUsageRate({
    from: database,
    into,
    chunk: bench.choose(chunk),
    connections: callers[kind],
  });
  await bench.databases.remove(database);
  await bench.databases.remove(into);
  return { ...output, plainPerSecond };
}
