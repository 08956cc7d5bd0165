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
import type { Value } from './rows.ts';

const sizes = { SMOKE: [400, 800], QUICK: [1_000], NORMAL: [10_000, 100_000], FULL: [10_000, 1_000_000] };
const total = { SMOKE: 5, QUICK: 10, NORMAL: 50, FULL: 50 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 3 };
const pageSize = 100;
const months = 40;
const batch = 5_000;
/** Offset of a later page: the same in all sizes, and small enough for every common key in the smallest one. */
const further = { SMOKE: 100, QUICK: 500, NORMAL: 2_000, FULL: 2_000 };

/** Measures one page of search results, which must take the same time for any number of the tenant's invoices. */
export const invoiceSearch: Goal = {
  name: 'invoice-search',
  title: `Invoices by search keys: ${pageSize} over HTTP, one caller`,
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
      const deepest = Math.floor(found / 2);
      const pages = [
        { name: what, offset: 0 },
        { name: `${what}, further on,`, offset: bench.choose(further) },
        { name: `${what}, half-way,`, offset: deepest },
      ].filter(({ offset }, index) => index === 0 || (offset > pageSize && offset <= deepest));
      for (const { name, offset } of pages) {
        const path = `/1.0/kb/invoices/search/${encodeURIComponent(key)}?offset=${offset}&limit=${pageSize}`;
        const request: LoadRequest = { method: 'GET', path };
        const page = (await call(url, request)) as readonly unknown[];
        expectSame(`Invoices of ${key}`, page.length, Math.min(found - offset, pageSize));
        const load = { url, requests: [request], status: 200, connections: 1, perSecond: null };
        const timesMs: number[] = [];
        // Large offsets take longer, so a few calls are enough for a mean.
        const calls = offset < 10 * bench.choose(further) ? bench.choose(total) : 5;
        const warmUp = Math.min(10, calls);
        for (let left = bench.choose(runs); left > 0; left -= 1) {
          timesMs.push(1_000 / (await putLoad({ ...load, total: calls, warmUp })).perSecond);
        }
        all.push({ name: `${name} of ${invoices} invoices, ${kind}`, unit: 'ms', runs: timesMs, goal: null });
      }
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
/** One in this many invoices is of the rare kind. */
const rare = 200;
const rareAuthor = 4;

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

/** Inserts invoices without items, one month of all accounts after the other, in the order of a tenant's runs. */
async function fill(database: BenchDatabase, invoices: number): Promise<Chosen> {
  const accounts = Math.ceil(invoices / months);
  const patterns = await writePatterns(database, accounts);
  return withRows(database, async (rows) => {
    const table = (await rows.tables()).find(({ name }) => name === 'bw_invoices');
    if (table === undefined) throw new Error('no table of invoices');
    const stored = await rows.read(table, 0);
    const owners = await rows.query('select id, record_id from bw_accounts order by record_id');
    await rows.query('delete from bw_invoices');
    const place = (name: string): number => table.columns.findIndex((column) => column.name === name);
    const dated = ['invoice_date', 'target_date', 'commit_date', 'created_date', 'created_day'].map(place);
    const [id, groupId] = [place('id'), place('group_id')];
    const own = [place('record_id'), place('invoice_number')];
    const [account, accountRecord] = [place('account_id'), place('account_record_id')];
    const copy = (index: number): readonly Value[] => {
      const made = [...(stored[index % rare] ?? [])];
      const month = stored[rare + Math.floor(index / accounts)] ?? [];
      const owner = owners[index % accounts];
      for (const column of dated) made[column] = month[column] ?? null;
      made[id] = newId();
      made[groupId] = made[id];
      for (const column of own) made[column] = String(index + 1);
      made[account] = owner?.id ?? null;
      made[accountRecord] = owner?.record_id ?? null;
      return made;
    };
    if (stored.length !== patterns) throw new Error(`${stored.length} patterns instead of ${patterns}`);
    for (let from = 0; from < invoices; from += batch) {
      const count = Math.min(batch, invoices - from);
      await rows.transaction(() =>
        rows.insert(
          table,
          Array.from({ length: count }, (_, index) => copy(from + index)),
        ),
      );
    }
    await rows.continueRecordIds('bw_invoices', invoices);
    await rows.rest();
    const last = copy(invoices - 1);
    const [chosen] = await rows.query(`select id from bw_invoices where record_id = ${invoices}`);
    return { accountId: String(last[account]), groupId: String(chosen?.id) };
  });
}

/**
 * Writes the accounts, one invoice of each kind and one of each month through the engine. All other invoices copy their
 * cells.
 */
async function writePatterns(database: BenchDatabase, accounts: number): Promise<number> {
  const tenant = await withEngine(database, BEGINS, async ({ billing }): Promise<TenantRef> => {
    const { id, recordId } = await openShop(billing);
    return { id, recordId };
  });
  const storage = storageAt(database);
  await storage.prepare();
  let owner: ReturnType<typeof ownerOf> | undefined;
  for (let from = 0; from < accounts; from += batch) {
    const made = Array.from({ length: Math.min(batch, accounts - from) }, () => account({}));
    const [first] = await storage.write(tenant, author(), (session) => session.accounts.insert(made));
    if (first !== undefined) owner ??= ownerOf(first);
  }
  if (owner === undefined) throw new Error('no account');
  const patterns = [
    ...Array.from({ length: rare }, (_, kind) => ({ kind, month: 0 })),
    ...Array.from({ length: months }, (_, month) => ({ kind: 0, month })),
  ];
  for (const [index, { kind, month }] of patterns.entries()) {
    const userName = index === rareAuthor ? 'clerk' : 'bench';
    const made = invoiceOf(owner, { kind, month, number: index + 1 });
    await storage.write(tenant, { ...author(), userName }, (session) =>
      session.invoices.insertInvoices([made]),
    );
  }
  await storage.close();
  return patterns.length;
}

interface Pattern {
  readonly kind: number;
  readonly month: number;
  readonly number: number;
}

function invoiceOf(owner: ReturnType<typeof ownerOf>, { kind, month, number }: Pattern): New<Invoice> {
  const day = addDays(firstDay, month * 30);
  const id = newId();
  return invoice(owner, {
    id,
    groupId: id,
    invoiceNumber: number,
    invoiceDate: day,
    targetDate: day,
    commitDate: day,
    currency: kind === 0 ? 'JPY' : 'USD',
    status: kind === 1 ? 'VOID' : 'COMMITTED',
    isMigration: kind === 2,
    isParentInvoice: false,
    rawBalance: decimal(kind % 20 === 3 ? 12 : 0),
    createdDate: instant(Date.parse(`${formatLocalDate(day)}T06:00:00Z`)),
  });
}
