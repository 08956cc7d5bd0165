import { setTimeout } from 'node:timers/promises';
import type { BenchDatabase } from './bench-database.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase } from './goal.ts';
import { putLoad, withServer } from './http-load.ts';
import type { LoadInput } from './load-process.ts';
import { firstOfMonth, PLAN, PRICE, seed } from './past.ts';

const accounts = { SMOKE: 20, QUICK: 300, NORMAL: 3_000, FULL: 5_000 };
/** Untimed requests before the measurement, so that compilation does not count. */
const warmUps = { SMOKE: 2, QUICK: 100, NORMAL: 500, FULL: 500 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 5, FULL: 5 };
const connections = 16;
const settlePollMs = 20;

export const apiWrites: Goal = {
  name: 'api-writes',
  title: 'API writes: authenticated, keep-alive, 16 connections',
  measure: onEachDatabase(measureOn),
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const template = await bench.databases.fresh(kind);
  const [total, warmUp] = [bench.choose(accounts), bench.choose(warmUps)];
  const all = total + warmUp;
  await seed(template, { accounts: all, invoices: 1, subscriptions: 0, begins: firstOfMonth(0) });
  const [creations, settled]: [number[], number[]] = [[], []];
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await bench.databases.copyOf(template);
    const found = await withRows(database, (rows) => rows.query('select id from bw_accounts'));
    const accountIds = found.map(({ id }) => String(id));
    await withServer(database, async (url) => {
      await createAccounts(url, warmUp);
      creations.push(await createAccounts(url, total));
      const customers = { url, database };
      await subscribe({ ...customers, accountIds: accountIds.slice(total), paidBefore: 0 });
      settled.push(
        await subscribe({ ...customers, accountIds: accountIds.slice(0, total), paidBefore: warmUp }),
      );
    });
    await check(database, all);
    await bench.databases.remove(database);
  }
  await bench.databases.remove(template);
  return [
    { name: `create account, ${kind}`, unit: 'req/s', runs: creations, goal: { atLeast: 1_500 } },
    {
      name: `create subscription, invoiced and paid, ${kind}`,
      unit: '/s',
      runs: settled,
      goal: { atLeast: 300 },
    },
  ];
}

async function createAccounts(url: string, total: number): Promise<number> {
  const requests = Array.from({ length: total }, (_, index) => ({
    method: 'POST',
    path: '/1.0/kb/accounts',
    body: { name: `Customer ${index}`, email: `customer-${index}@example.com`, currency: 'USD' },
  }));
  return (await putLoad({ ...loadOf(url, requests), total })).perSecond;
}

/** Measures from the first request until the last invoice is paid. */
async function subscribe(input: {
  readonly url: string;
  readonly database: BenchDatabase;
  readonly accountIds: readonly string[];
  readonly paidBefore: number;
}): Promise<number> {
  const { url, database, accountIds, paidBefore } = input;
  const requests = accountIds.map((accountId) => ({
    method: 'POST',
    path: '/1.0/kb/subscriptions',
    body: { accountId, planName: PLAN },
  }));
  const began = performance.now();
  await putLoad({ ...loadOf(url, requests), total: accountIds.length });
  await withRows(database, async (rows) => {
    const paid = async (): Promise<number> => {
      const [row] = await rows.query(
        `select count(*) as found from bw_invoice_payments where status = 'SUCCESS'`,
      );
      return Number(row?.found);
    };
    while ((await paid()) < paidBefore + accountIds.length) await setTimeout(settlePollMs);
  });
  return (accountIds.length / (performance.now() - began)) * 1_000;
}

function loadOf(url: string, requests: LoadInput['requests']): Omit<LoadInput, 'headers' | 'total'> {
  return { url, requests, status: 201, connections, perSecond: null };
}

/** Checks that each seeded account has one fully paid invoice, and that as many new accounts exist. */
async function check(database: BenchDatabase, total: number): Promise<void> {
  await withRows(database, async (rows) => {
    const [found] = await rows.query(`
      select (select count(*) from bw_accounts) as accounts, (select count(*) from bw_payments) as payments,
        count(*) as invoices, count(distinct account_record_id) as invoiced,
        sum(cast(amount as numeric)) as amount, sum(cast(raw_balance as numeric)) as owed from bw_invoices`);
    const wanted = [2 * total, total, total, total, total * PRICE, 0];
    expectSame(
      'Accounts, payments, invoices, invoiced, amount, debt',
      Object.values(found ?? {}).map(Number),
      wanted,
    );
  });
}
