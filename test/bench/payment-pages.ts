import type { DatabaseKind } from './databases.ts';
import { type Bench, expectSame, type Figure } from './goal.ts';
import { call, koaRate, putLoad, withServer } from './http-load.ts';
import type { LoadRequest } from './load-process.ts';
import { firstOfMonth, seed } from './past.ts';
import { median } from './statistics.ts';

const payments = { SMOKE: 3, QUICK: 12, NORMAL: 100, FULL: 100 };
const total = { SMOKE: 10, QUICK: 100, NORMAL: 300, FULL: 1_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const connections = 16;

interface Listed {
  readonly paymentAttempts: readonly unknown[] | null;
}

/** Measures the payment list of an account whose invoices were paid automatically, each with its attempt. */
export async function measurePages(bench: Bench, kind: DatabaseKind): Promise<Figure> {
  const database = await bench.databases.fresh(kind);
  const held = bench.choose(payments);
  const begins = firstOfMonth(1 - held);
  const { accountId } = await seed(database, { accounts: 1, invoices: held, subscriptions: 1, begins });
  const request: LoadRequest = {
    method: 'GET',
    path: `/1.0/kb/accounts/${accountId}/payments?withAttempts=true`,
  };
  const load = {
    requests: [request],
    status: 200,
    connections,
    perSecond: null,
    total: bench.choose(total),
  };
  const found: number[] = [];
  const ceilings: number[] = [];
  await withServer(database, async (url) => {
    const listed = (await call(url, request)) as readonly Listed[];
    const attempts = listed.map(({ paymentAttempts }) => paymentAttempts?.length);
    expectSame(
      'Attempts of the payments',
      attempts,
      Array.from({ length: held }, () => 1),
    );
    for (let left = bench.choose(runs); left > 0; left -= 1) {
      found.push((await putLoad({ ...load, url })).perSecond);
      ceilings.push(await koaRate(bench, JSON.stringify(listed), load));
    }
  });
  await bench.databases.remove(database);
  return {
    name: `list of ${held} payments with their attempts, ${kind}`,
    unit: 'req/s',
    runs: found,
    goal: null,
    ceiling: { what: 'Koa with the same answer and nothing behind it', value: median(ceilings) },
  };
}
