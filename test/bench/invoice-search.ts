import type { Invoice, New, TenantRef } from '../../lib/records/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { addDays, formatLocalDate, instant, localDate } from '../../lib/values/time/index.ts';
import { account, author, invoice, newId, ownerOf } from '../support/storage/stored-records.ts';
import type { BenchDatabase } from './bench-database.ts';
import { type DatabaseKind, storageAt, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal } from './goal.ts';
import { call, putLoad, withServer } from './http-load.ts';
import type { LoadRequest } from './load-process.ts';
import { BEGINS, openShop, withEngine } from './past.ts';

const sizes = { SMOKE: [400, 800], NORMAL: [20_000, 200_000], FULL: [20_000, 200_000, 1_000_000] };
const total = { SMOKE: 5, NORMAL: 100, FULL: 200 };
const runs = { SMOKE: 1, NORMAL: 3, FULL: 5 };
const pageSize = 100;
const months = 40;
const batch = 5_000;

/** A page of what a search key finds must cost the same whatever the number of invoices of the tenant. */
export const invoiceSearch: Goal = {
  name: 'invoice-search',
  title: `Invoices by search keys: the first ${pageSize} over HTTP, one caller`,
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds) {
      for (const invoices of bench.choose(sizes)) figures.push(...(await measureOn(bench, kind, invoices)));
    }
    return figures;
  },
};

async function measureOn(bench: Bench, kind: DatabaseKind, invoices: number): Promise<readonly Figure[]> {
  const database = await bench.databases.fresh(kind);
  const chosen = await fill(database, invoices);
  const figures = await withServer(database, async (url) => {
    const all: Figure[] = [];
    for (const [what, key, found] of keysOf(chosen, invoices)) {
      const path = `/1.0/kb/invoices/search/${encodeURIComponent(key)}?limit=${pageSize}`;
      const request: LoadRequest = { method: 'GET', path };
      const page = (await call(url, request)) as readonly unknown[];
      expectSame(`Invoices of ${key}`, page.length, Math.min(found, pageSize));
      const load = { url, requests: [request], status: 200, connections: 1, perSecond: null };
      const timesMs: number[] = [];
      await putLoad({ ...load, total: bench.choose(total) });
      for (let left = bench.choose(runs); left > 0; left -= 1) {
        timesMs.push(1_000 / (await putLoad({ ...load, total: bench.choose(total) })).perSecond);
      }
      all.push({ name: `${what} of ${invoices} invoices, ${kind}`, unit: 'ms', runs: timesMs, goal: null });
    }
    return all;
  });
  await bench.databases.remove(database);
  return figures;
}

interface Chosen {
  readonly accountId: string;
  readonly groupId: string;
}

const firstDay = localDate(2022, 1, 1);
/** Among so many invoices one is of the rare kind. */
const rare = 200;

/** What is searched, by which key, and how many invoices it finds. */
function keysOf({ accountId, groupId }: Chosen, invoices: number) {
  const perMonth = invoices / months;
  const day = (month: number) => formatLocalDate(addDays(firstDay, month * 30));
  return [
    ['a number', String(invoices - 1), 1],
    ['an account', accountId, months],
    ['a group', `_q=1&grp_id=${groupId}`, 1],
    ['a currency of most', 'USD', invoices],
    ['a rare currency', 'JPY', invoices / rare],
    ['a rare status', '_q=1&status=VOID', invoices / rare],
    ['a rare author', '_q=1&created_by=clerk', invoices / rare],
    ['migrated ones', '_q=1&migrated=true', invoices / rare],
    ['a day', `_q=1&invoice_date=${day(months - 1)}`, perMonth],
    ['the last six months', `_q=1&invoice_date[gte]=${day(months - 6)}`, 6 * perMonth],
    ['target dates of the last month', `_q=1&target_date[gte]=${day(months - 1)}`, perMonth],
    ['created in the last six months', `_q=1&created_date[gte]=${day(months - 6)}T00:00:00Z`, 6 * perMonth],
    ['a balance above 0', '_q=1&balance[gt]=0', invoices / 20],
  ] as const;
}

/** Invoices without items, a month of all accounts after the other, as a tenant's runs make them. */
async function fill(database: BenchDatabase, invoices: number): Promise<Chosen> {
  const tenant = await withEngine(database, BEGINS, async ({ billing }): Promise<TenantRef> => {
    const { id, recordId } = await openShop(billing);
    return { id, recordId };
  });
  const storage = storageAt(database);
  await storage.prepare();
  const owners = (
    await storage.write(tenant, author(), ({ accounts }) =>
      accounts.insert(Array.from({ length: Math.ceil(invoices / months) }, () => account({}))),
    )
  ).map(ownerOf);
  const last: New<Invoice>[] = [];
  for (let from = 0; from < invoices; from += batch) {
    const made = Array.from({ length: Math.min(batch, invoices - from) }, (_, index) =>
      invoiceOf(owners, from + index),
    );
    for (const userName of ['bench', 'clerk']) {
      const own = made.filter((_, index) => ((from + index) % rare === 4) === (userName === 'clerk'));
      await storage.write(tenant, { ...author(), userName }, (session) =>
        session.invoices.insertInvoices(own),
      );
    }
    last.splice(0, last.length, ...made);
  }
  await storage.close();
  // As autovacuum does.
  if (database.kind === 'postgresql') await withRows(database, (rows) => rows.query('analyze bw_invoices'));
  const [chosen] = last;
  if (chosen === undefined) throw new Error('no invoice');
  return chosen;
}

function invoiceOf(owners: readonly ReturnType<typeof ownerOf>[], index: number): New<Invoice> {
  const owner = owners[index % owners.length];
  if (owner === undefined) throw new Error('no account');
  const month = Math.floor(index / owners.length);
  const day = addDays(firstDay, month * 30);
  const id = newId();
  return invoice(owner, {
    id,
    groupId: id,
    invoiceNumber: index + 1,
    invoiceDate: day,
    targetDate: day,
    commitDate: day,
    currency: index % rare === 0 ? 'JPY' : 'USD',
    status: index % rare === 1 ? 'VOID' : 'COMMITTED',
    isMigration: index % rare === 2,
    isParentInvoice: false,
    rawBalance: decimal(index % 20 === 3 ? 12 : 0),
    createdDate: instant(Date.parse(`${formatLocalDate(day)}T06:00:00Z`)),
  });
}
