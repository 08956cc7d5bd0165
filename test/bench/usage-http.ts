import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase } from './goal.ts';
import { koaRate, putLoad, withServer } from './http-load.ts';
import type { LoadRequest } from './load-process.ts';
import { seedMetered, USAGE_UNIT } from './usage-past.ts';

const subscriptions = { SMOKE: 20, QUICK: 100, NORMAL: 2_000, FULL: 2_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const ways = [
  {
    name: 'one per call',
    perCall: 1,
    connections: 16,
    calls: { SMOKE: 20, QUICK: 500, NORMAL: 5_000, FULL: 10_000 },
    warmUps: { SMOKE: 1, QUICK: 1_000, NORMAL: 5_000, FULL: 5_000 },
  },
  {
    name: '100 per call',
    perCall: 100,
    connections: 8,
    calls: { SMOKE: 4, QUICK: 40, NORMAL: 500, FULL: 1_000 },
    warmUps: { SMOKE: 1, QUICK: 5, NORMAL: 20, FULL: 20 },
  },
  {
    name: '5,000 per call',
    perCall: 5_000,
    connections: 4,
    calls: { SMOKE: 2, QUICK: 2, NORMAL: 40, FULL: 100 },
    warmUps: { SMOKE: 1, QUICK: 1, NORMAL: 20, FULL: 20 },
  },
] as const;
const days = 28;

/** Measures authenticated requests that each record one point with its own tracking id. */
export const usageHttp: Goal = {
  name: 'usage-http',
  title: 'Usage through HTTP: points of random subscriptions, authenticated, keep-alive',
  measure: onEachDatabase(measureOn),
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const template = await bench.databases.fresh(kind);
  await seedMetered(template, bench.choose(subscriptions));
  const figures: Figure[] = [];
  for (const way of ways) {
    const perSecond: number[] = [];
    for (let left = bench.choose(runs); left > 0; left -= 1) {
      const database = await bench.databases.copyOf(template);
      const found = await withRows(database, (rows) => rows.query('select id from bw_subscriptions'));
      const ids = found.map(({ id }) => String(id));
      const [warmUp, calls] = [bench.choose(way.warmUps), bench.choose(way.calls)];
      const requests = Array.from({ length: warmUp + calls }, (_, call) => requestOf(call, way.perCall, ids));
      await withServer(
        database,
        async (url) => {
          await putLoad(loadOf(url, requests.slice(0, warmUp), way));
          const load = loadOf(url, requests.slice(warmUp), way);
          perSecond.push((await putLoad(load)).perSecond * way.perCall);
        },
        { doesDueWork: false },
      );
      await withRows(database, async (rows) => {
        const [stored] = await rows.query('select count(*) as found from bw_usage_points');
        expectSame('Number of points', Number(stored?.found), (warmUp + calls) * way.perCall);
      });
      await bench.databases.remove(database);
    }
    figures.push({
      name: `${way.name}, ${kind}`,
      unit: 'points/s',
      runs: perSecond,
      goal: null,
      ...(await ceilingOf(bench, way)),
    });
  }
  await bench.databases.remove(template);
  return figures;
}

type Way = (typeof ways)[number];

async function ceilingOf(bench: Bench, way: Way): Promise<Pick<Figure, 'ceiling'>> {
  const requests = [requestOf(0, way.perCall, ['00000000-0000-0000-0000-000000000000'])];
  const load = {
    requests,
    status: 200,
    connections: way.connections,
    total: bench.choose(way.calls),
    perSecond: null,
  };
  const value = (await koaRate(bench, '{}', load)) * way.perCall;
  return { ceiling: { what: 'calls that Koa answers with nothing behind it', value } };
}

function loadOf(url: string, requests: readonly LoadRequest[], { perCall, connections }: Way) {
  const status = perCall === 1 ? 201 : 200;
  return { url, requests, status, connections, total: requests.length, perSecond: null };
}

function requestOf(call: number, perCall: number, ids: readonly string[]): LoadRequest {
  const lines = Array.from({ length: perCall }, (_, index) => {
    const number = call * perCall + index;
    const place = (Math.imul(number, 2_654_435_761) >>> 0) % ids.length;
    const day = String(1 + (number % days)).padStart(2, '0');
    return {
      subscriptionId: ids[place],
      trackingId: `2f1c8e70-track-${number}`,
      unitUsageRecords: [
        {
          unitType: USAGE_UNIT,
          usageRecords: [{ recordDate: `2024-01-${day}T08:00:00Z`, amount: 1 + (number % 9) }],
        },
      ],
    };
  });
  if (perCall === 1) return { method: 'POST', path: '/1.0/kb/usages', body: lines[0] };
  return { method: 'POST', path: '/1.0/kb/usages/bulk', body: lines };
}
