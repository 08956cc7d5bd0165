import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BenchDatabase } from './bench-database.ts';
import { withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal } from './goal.ts';
import { call, credentials, koaRate, putLoad } from './http-load.ts';
import type { LoadRequest } from './load-process.ts';
import { firstOfMonth, seed } from './past.ts';

const accounts = { SMOKE: 3, QUICK: 20, NORMAL: 100, FULL: 500 };
const total = { SMOKE: 50, QUICK: 1_000, NORMAL: 10_000, FULL: 50_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 5, FULL: 5 };
const connections = 16;
const counts = [1, 2];
/** With two cores, one of them shared with the client. */
const leastTimes = 1.5;

/** Measures reads. A connection stays with one worker, so during a read, workers share only the database. */
export const workers: Goal = {
  name: 'workers',
  title: 'Workers: reads of an account from `billwright serve --workers`, keep-alive, 16 connections',
  async measure(bench) {
    return bench.kinds.includes('postgresql') ? measureWorkers(bench) : [];
  },
};

async function measureWorkers(bench: Bench): Promise<readonly Figure[]> {
  const database = await bench.databases.fresh('postgresql');
  const begins = firstOfMonth(0);
  await seed(database, { accounts: bench.choose(accounts), invoices: 1, subscriptions: 0, begins });
  const found = await withRows(database, (rows) => rows.query('select id from bw_accounts'));
  const requests = found.map(({ id }) => ({ method: 'GET', path: `/1.0/kb/accounts/${String(id)}` }));
  const load = { requests, status: 200, connections, total: bench.choose(total), perSecond: null };
  const rates = new Map<number, number[]>(counts.map((count) => [count, []]));
  let answer = '';
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    for (const [count, measured] of rates) {
      const server = await serve(bench, database, count);
      try {
        answer = await accountOf(server.url, requests);
        measured.push((await putLoad({ ...load, url: server.url, warmUp: load.total })).perSecond);
      } finally {
        await server.stop();
      }
    }
  }
  const value = await koaRate(bench, answer, load);
  await bench.databases.remove(database);
  const [one = [], two = []] = counts.map((count) => rates.get(count));
  return [
    ...[...rates].map(([count, perSecond]) => ({
      name: `read account, ${count} ${count === 1 ? 'worker' : 'workers'}, postgresql`,
      unit: 'req/s',
      runs: perSecond,
      goal: null,
      ceiling: { what: 'one process of Koa with the same answer', value },
    })),
    {
      name: 'read account, two workers, postgresql',
      unit: 'times one worker',
      runs: two.map((rate, run) => rate / (one[run] ?? rate)),
      goal: { atLeast: leastTimes },
    },
  ];
}

async function accountOf(url: string, [first]: readonly LoadRequest[]): Promise<string> {
  if (first === undefined) throw new Error('The seed has made no accounts');
  const account = (await call(url, first)) as { readonly accountId?: unknown };
  expectSame('The account read', account.accountId, first.path.split('/').at(-1));
  return JSON.stringify(account);
}

/** Starts the program with its workers, like users do. */
async function serve(bench: Bench, database: BenchDatabase, count: number) {
  const source = fileURLToPath(new URL('../../adapters/cli/billwright.ts', import.meta.url));
  const args = ['serve', '--port', '0', '--database', database.location, '--workers', String(count)];
  const env = {
    ...process.env,
    BILLWRIGHT_ADMIN_PASSWORD: credentials.password,
    BILLWRIGHT_SERVER_KEY: 'k'.repeat(44),
    BILLWRIGHT_LOG_LEVEL: 'error',
  };
  const server = spawn(process.execPath, [bench.program ?? source, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  for await (const line of createInterface(server.stdout)) {
    const [url] = /http:\S+:\d+/.exec(line) ?? [];
    if (url === undefined) continue;
    return {
      url,
      async stop() {
        server.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error(`The server ended with ${server.exitCode} before it was ready`);
}
