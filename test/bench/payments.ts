import type { BenchDatabase } from './bench-database.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal } from './goal.ts';
import { putLoad, withServer } from './http-load.ts';
import { plainInsertRate } from './invoice-run.ts';
import type { LoadInput } from './load-process.ts';
import { firstOfMonth, seed } from './past.ts';
import { measurePages } from './payment-pages.ts';
import { median } from './statistics.ts';

const accounts = { SMOKE: 20, QUICK: 50, NORMAL: 2_000, FULL: 4_000 };
/** Number of untimed operations before the measurement, so that compilation does not count. */
const warmUps = { SMOKE: 2, QUICK: 30, NORMAL: 400, FULL: 400 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const connections = 16;
const AMOUNT = 10;

export const payments: Goal = {
  name: 'payments',
  title: 'Operations on payments: authenticated, keep-alive, 16 connections',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds)
      figures.push(...(await measureOn(bench, kind)), await measurePages(bench, kind));
    return figures;
  },
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const template = await bench.databases.fresh(kind);
  const [total, warmUp] = [bench.choose(accounts), bench.choose(warmUps)];
  await seed(template, { accounts: total + warmUp, invoices: 1, subscriptions: 0, begins: firstOfMonth(0) });
  const found: Record<'purchases' | 'pairs' | 'refunds' | 'plain', number[]> = {
    purchases: [],
    pairs: [],
    refunds: [],
    plain: [],
  };
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await bench.databases.copyOf(template);
    const ids = await withRows(database, (rows) =>
      rows.query('select id from bw_accounts order by record_id'),
    );
    const accountIds = ids.map(({ id }) => String(id));
    const [timed, first] = [accountIds.slice(0, total), accountIds.slice(total)];
    await withServer(database, async (url) => {
      await put(url, first.map(begin('PURCHASE', 'warm')));
      found.purchases.push(await put(url, timed.map(begin('PURCHASE', 'paid'))));
    });
    const databases = bench.databases;
    found.plain.push(await plainInsertRate({ databases, template, database }));
    await withServer(database, async (url) => {
      await put(url, first.map(more('/refunds', 'warm')));
      found.refunds.push(await put(url, timed.map(more('/refunds', 'paid'))));
      const authorized = await put(url, timed.map(begin('AUTHORIZE', 'promised')));
      const captured = await put(url, timed.map(more('', 'promised')));
      found.pairs.push(1 / (1 / authorized + 1 / captured));
    });
    await check(database, { total, all: total + warmUp });
    await bench.databases.remove(database);
  }
  await bench.databases.remove(template);
  const ceiling = {
    what: 'the rows of the purchases by plain inserts, 50 accounts a transaction',
    value: median(found.plain),
  };
  return [
    { name: `direct purchase, ${kind}`, unit: 'req/s', runs: found.purchases, goal: null, ceiling },
    {
      name: `authorization and its capture, ${kind}`,
      unit: 'pairs/s',
      runs: found.pairs,
      goal: null,
      ceiling,
    },
    { name: `refund, ${kind}`, unit: 'req/s', runs: found.refunds, goal: null, ceiling },
  ];
}

function begin(transactionType: string, name: string) {
  return (accountId: string, index: number) => ({
    method: 'POST',
    path: `/1.0/kb/accounts/${accountId}/payments`,
    body: { transactionType, amount: AMOUNT, currency: 'USD', paymentExternalKey: `${name}-${index}` },
  });
}

function more(suffix: string, name: string) {
  return (_accountId: string, index: number) => ({
    method: 'POST',
    path: `/1.0/kb/payments${suffix}`,
    body: { amount: AMOUNT, currency: 'USD', paymentExternalKey: `${name}-${index}` },
  });
}

async function put(url: string, requests: LoadInput['requests']): Promise<number> {
  const load = { url, requests, status: 201, connections, perSecond: null, total: requests.length };
  return (await putLoad(load)).perSecond;
}

async function check(
  database: BenchDatabase,
  { total, all }: { readonly total: number; readonly all: number },
): Promise<void> {
  await withRows(database, async (rows) => {
    const counted = await rows.query(`select transaction_type as type, count(*) as found
      from bw_payment_transactions where status = 'SUCCESS' group by transaction_type order by transaction_type`);
    const found = counted.map(({ type, found: count }) => [String(type), Number(count)]);
    expectSame('Successful transactions', found, [
      ['AUTHORIZE', total],
      ['CAPTURE', total],
      ['PURCHASE', all],
      ['REFUND', all],
    ]);
  });
}
