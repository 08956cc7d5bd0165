import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { migrate } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import type { TenantBilling } from '../../lib/index.ts';
import { type PostgresqlServer, startPostgresql } from '../support/postgresql-server.ts';
import { recordingLogger } from '../support/system-time.ts';
import type { BenchDatabase } from './bench-database.ts';
import { storageAt, tracedStorage, withRows } from './databases.ts';
import { expectSame } from './goal.ts';
import { BEGINS, settle, signUp } from './past.ts';
import { type Mark, markNow, multiply } from './seed.ts';

/**
 * Bills the same number of accounts on one, two and four databases of one PostgreSQL server, by one node, and prints
 * the statements and lock waits of an account. More databases must not change them.
 *
 * `   node test/bench/cells.ts [accounts, by default 2000]`
 */
const accounts = Number(process.argv[2] ?? 2_000);
const INVOICES = 3;
const CELLS = [1, 2, 4];
const OPERATOR = { userName: 'bench' };
const POLL_MS = 20;

const server = await startPostgresql({ durable: true });
try {
  // The server logs each wait for a lock that takes longer than a millisecond.
  for (const setting of ['log_lock_waits = on', 'deadlock_timeout = 1'])
    await server.administer(`alter system set ${setting}`);
  await server.administer('select pg_reload_conf()');
  for (const count of CELLS) await measure(server, count);
} finally {
  await server.stop();
}

async function measure({ administer, url }: PostgresqlServer, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `cell-${count}-${index}`);
  for (const name of names) {
    await administer(`create database "${name}" owner billwright`);
    await migrate(url(name));
  }
  const clock = fakeClock(BEGINS);
  await withCells(url, { names, clock }, ({ billing }) => fill(billing, { names, clock, url }));
  clock.advance({ months: 1 });
  await withCells(url, { names, clock }, async ({ billing, ledger, statements }) => {
    await billing.ping();
    // Storages of their own, so that these reads are not counted.
    const watched = names.map((name) => storageAt(databaseAt(url, name)));
    const [waited, sent] = [await lockWaits(administer), statements()];
    const began = performance.now();
    billing.start();
    for (const storage of watched)
      do await setTimeout(POLL_MS);
      while ((await storage.queue.countPending(null, clock.now())) > 0);
    const ms = performance.now() - began;
    const counted = statements() - sent;
    for (const storage of watched) await storage.close();
    expectSame('Charges of the gateway', ledger.all().length, accounts);
    print(`${count} ${count === 1 ? 'cell' : 'cells'}: accounts a second`, (1_000 * accounts) / ms);
    print('  statements for an account', counted / accounts);
    print('  lock waits above 1 ms for an account', ((await lockWaits(administer)) - waited) / accounts);
  });
}

/** Runs the work with a node over these cells. The first one is the directory too. */
async function withCells(
  url: PostgresqlServer['url'],
  { names, clock }: { readonly names: readonly string[]; readonly clock: FakeClock },
  work: (opened: Awaited<ReturnType<typeof open>>) => Promise<void>,
) {
  const opened = await open(url, { names, clock });
  try {
    await work(opened);
  } finally {
    await opened.billing.close();
  }
}

async function open(
  url: PostgresqlServer['url'],
  { names, clock }: { readonly names: readonly string[]; readonly clock: FakeClock },
) {
  let statements = 0;
  const count = (): void => {
    statements += 1;
  };
  const cells = Object.fromEntries(names.map((name) => [name, tracedStorage(databaseAt(url, name), count)]));
  const [directory] = Object.values(cells);
  if (directory === undefined) throw new Error('No cells');
  const ledger = memoryLedger();
  const billing = await Billing.cells<never>({
    directory,
    cells,
    clock,
    gateways: [sandboxGateway({ ledger })],
    logger: recordingLogger(),
  });
  return { billing, ledger, statements: () => statements };
}

/** Fills each cell with a tenant, one account that the engine has billed for months, and copies of the account. */
async function fill(
  billing: Awaited<ReturnType<typeof open>>['billing'],
  {
    names,
    clock,
    url,
  }: { readonly names: readonly string[]; readonly clock: FakeClock; readonly url: PostgresqlServer['url'] },
) {
  const catalog = await readFile(new URL('../../examples/catalogs/meadow.xml', import.meta.url));
  const shops: TenantBilling[] = [];
  for (const cell of names) {
    const { id } = await billing.tenants.create(OPERATOR, { apiKey: cell, apiSecret: 'secret', cell });
    const acme = billing.as({ tenant: id, user: 'bench' });
    await acme.uploadCatalog(catalog);
    shops.push(acme);
  }
  await settle(billing);
  const marks: Mark[] = [];
  for (const cell of names) marks.push(await withRows(databaseAt(url, cell), markNow));
  for (const acme of shops) await signUp(acme, 1);
  await settle(billing);
  for (let invoice = 1; invoice < INVOICES; invoice += 1) {
    clock.advance({ months: 1 });
    await settle(billing);
  }
  for (const [index, mark] of marks.entries())
    await withRows(databaseAt(url, names[index] ?? ''), (rows) =>
      multiply(rows, mark, accounts / names.length - 1),
    );
}

/** Returns the number of lock waits that the server has logged. */
async function lockWaits(administer: PostgresqlServer['administer']): Promise<number> {
  const [row] = await administer(
    `select count(*) as waits from regexp_matches(pg_read_file('../log'), 'still waiting for', 'g')`,
  );
  return Number(row?.waits);
}

function databaseAt(url: PostgresqlServer['url'], name: string): BenchDatabase {
  return { kind: 'postgresql', location: url(name) };
}

function print(name: string, value: number): void {
  console.log(`${name.padEnd(40)} ${value.toFixed(value < 100 ? 2 : 0)}`);
}
