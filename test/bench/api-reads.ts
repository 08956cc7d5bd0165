import type { BenchDatabase } from './bench-database.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase, Size } from './goal.ts';
import { call, callHeaders, koaRate, putLoad, withServer } from './http-load.ts';
import type { LoadInput, LoadOutput, LoadRequest } from './load-process.ts';
import { firstOfMonth, PRICE, seed } from './past.ts';
import { median } from './statistics.ts';

const accounts = { SMOKE: 3, QUICK: 10, NORMAL: 100, FULL: 500 };
const total = { SMOKE: 50, QUICK: 1_000, NORMAL: 10_000, FULL: 50_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 5, FULL: 5 };
const runsAtHalfLoad = { ...runs, QUICK: 0 };
const invoices = 12;
const itemsOfInvoice = 10;
const connections = 16;
const chosenRecords = 500;

export const apiReads: Goal = {
  name: 'api-reads',
  title: 'API reads: authenticated, keep-alive, 16 connections',
  measure: onEachDatabase(measureOn),
};

interface Read {
  readonly what: string;
  readonly requests: readonly LoadRequest[];
  readonly answer: string;
  /** Requests per second; null if there is no goal. */
  readonly goal: number | null;
  /** Number of these requests per thousand invoice reads. */
  readonly perMille: number;
}

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const database = await bench.databases.fresh(kind);
  // The last invoices are from this month, so nothing falls due while the server runs.
  const begins = firstOfMonth(1 - invoices);
  await seed(database, { accounts: bench.choose(accounts), invoices, subscriptions: itemsOfInvoice, begins });
  const ids = await idsOf(database);
  const figures = await withServer(database, async (url) => {
    const all: Figure[] = [];
    for (const read of await readsOf(url, ids)) all.push(...(await measureRead(bench, url, { read, kind })));
    return all;
  });
  await bench.databases.remove(database);
  return figures;
}

interface Ids {
  readonly accounts: readonly string[];
  readonly invoices: readonly string[];
}

async function idsOf(database: BenchDatabase): Promise<Ids> {
  return withRows(database, async (rows) => {
    const chosen = async (table: string): Promise<readonly string[]> => {
      const found = await rows.query(`select id from ${table} order by random() limit ${chosenRecords}`);
      return found.map(({ id }) => String(id));
    };
    return { accounts: await chosen('bw_accounts'), invoices: await chosen('bw_invoices') };
  });
}

async function readsOf(url: string, ids: Ids): Promise<readonly Read[]> {
  const account = ids.accounts.map((id) => ({ method: 'GET', path: `/1.0/kb/accounts/${id}` }));
  const invoice = ids.invoices.map((id) => ({ method: 'GET', path: `/1.0/kb/invoices/${id}` }));
  const [firstAccount, firstInvoice] = [account[0], invoice[0]];
  if (!firstAccount || !firstInvoice) throw new Error('The seed has made no accounts or no invoices');
  const accountRead = (await call(url, firstAccount)) as { accountId?: unknown };
  expectSame('The account read', accountRead.accountId, ids.accounts[0]);
  const invoiceRead = (await call(url, firstInvoice)) as { amount?: unknown; items?: readonly unknown[] };
  expectSame(
    'Items and amount of the invoice read',
    [invoiceRead.items?.length, invoiceRead.amount],
    [itemsOfInvoice, itemsOfInvoice * PRICE],
  );
  const html = ids.invoices.map((id) => ({ method: 'GET', path: `/1.0/kb/invoices/${id}/html` }));
  const page = (await documentOf(url, html[0])).toString();
  expectSame('Lines of the page', page.match(/class="period"/g)?.length, itemsOfInvoice);
  const pdf = ids.invoices.map((id) => ({ method: 'GET', path: `/1.0/kb/invoices/${id}/pdf` }));
  const paper = await documentOf(url, pdf[0]);
  expectSame('The beginning of the PDF', paper.toString('latin1', 0, 5), '%PDF-');
  const list = ids.accounts.map((id) => ({
    method: 'GET',
    path: `/1.0/kb/accounts/${id}/invoices?includeInvoiceComponents=true`,
  }));
  const listed = (await call(url, list[0] ?? firstAccount)) as readonly { items: readonly unknown[] }[];
  expectSame('Invoices of the account', listed.length, invoices);
  return [
    { what: 'account', requests: account, answer: JSON.stringify(accountRead), goal: 5_000, perMille: 1_000 },
    {
      what: `invoice with ${itemsOfInvoice} items`,
      requests: invoice,
      answer: JSON.stringify(invoiceRead),
      goal: 5_000,
      perMille: 1_000,
    },
    {
      what: `${invoices} invoices of an account with ${itemsOfInvoice} items each`,
      requests: list,
      answer: JSON.stringify(listed),
      goal: null,
      perMille: 100,
    },
    {
      what: `invoice with ${itemsOfInvoice} items as HTML`,
      requests: html,
      answer: page,
      goal: 500,
      perMille: 200,
    },
    {
      what: `invoice with ${itemsOfInvoice} items as PDF`,
      requests: pdf,
      answer: 'x'.repeat(paper.length),
      goal: null,
      perMille: 20,
    },
  ];
}

async function documentOf(url: string, request: LoadRequest | undefined): Promise<Buffer> {
  const reply = await fetch(`${url}${request?.path}`, { headers: callHeaders });
  expectSame(`The status of ${request?.path}`, reply.status, 200);
  return Buffer.from(await reply.arrayBuffer());
}

async function measureRead(
  bench: Bench,
  url: string,
  { read, kind }: { readonly read: Read; readonly kind: DatabaseKind },
): Promise<readonly Figure[]> {
  const load: Omit<LoadInput, 'headers' | 'url'> = {
    requests: read.requests,
    status: 200,
    connections,
    total: Math.max(connections, Math.round((bench.choose(total) * read.perMille) / 1_000)),
    perSecond: null,
  };
  // The first load runs while code is still being compiled, which a running server has already done.
  const warmUp = bench.size === Size.SMOKE ? 0 : load.total;
  const [full, half]: [LoadOutput[], LoadOutput[]] = [[], []];
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    full.push(await putLoad({ ...load, url, warmUp: full.length === 0 ? warmUp : 0 }));
  }
  const perSecond = median(full.map((run) => run.perSecond)) / 2;
  for (let left = bench.choose(runsAtHalfLoad); left > 0; left -= 1)
    half.push(await putLoad({ ...load, url, perSecond }));
  const ceiling = await koaRate(bench, read.answer, load);
  const rate = {
    name: `read ${read.what}, ${kind}`,
    unit: 'req/s',
    runs: full.map((run) => run.perSecond),
    goal: read.goal === null ? null : { atLeast: read.goal },
    ceiling: { what: 'Koa with one route and the same answer', value: ceiling },
  };
  if (half.length === 0) return [rate];
  return [
    rate,
    {
      name: `read ${read.what}, ${kind}, p99 at half load`,
      unit: 'ms',
      runs: half.map((run) => run.p99Ms),
      goal: read.goal === null ? null : { atMost: 15 },
    },
  ];
}
