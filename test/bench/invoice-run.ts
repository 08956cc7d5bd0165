import type { BenchDatabase } from './bench-database.ts';
import { inChild } from './child.ts';
import { type BenchDatabases, type DatabaseKind, databaseKinds, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal } from './goal.ts';
import { insertRate } from './insert-rate.ts';
import { PRICE, type Seeded, seed } from './past.ts';
import type { RunInput, RunOutput } from './run-process.ts';
import { lastRecordIds } from './seed.ts';

const accounts = { SMOKE: 30, QUICK: 150, NORMAL: 10_000, FULL: 10_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 5, FULL: 5 };
const goals: Readonly<Record<DatabaseKind, number>> = { sqlite: 800, postgresql: 1_000 };
const goalIdleMib = 150;
const goalPeakMib = 300;
/** Relative to the run without a plugin. */
const goalShareWithPlugin = 0.8;

/** The main figure: all accounts are due at the same instant, and one cold-started node bills and charges them. */
export const invoiceRun: Goal = {
  name: 'invoice-run',
  title: 'Invoice run with payment: accounts with 12 past invoices, all due at one instant',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of databaseKinds) figures.push(...(await measureOn(bench, kind)));
    return figures;
  },
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const { databases } = bench;
  const template = await databases.fresh(kind);
  const past = { accounts: bench.choose(accounts), invoices: 12, subscriptions: 1 };
  const began = performance.now();
  const seeded = await seed(template, past);
  bench.print(`${kind}: seeded ${seeded.rows} rows in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const outputs: RunOutput[] = [];
  const peaks: number[] = [];
  const sharesWithPlugin: number[] = [];
  let ceiling = 0;
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await databases.copyOf(template);
    const output = await runOnce(database, seeded, { by: 'DISPATCHER' });
    outputs.push(output);
    peaks.push(output.peakMib);
    if (left === 1) ceiling = await plainInsertRate({ databases, template, database });
    await databases.remove(database);
    const pluginDatabase = await databases.copyOf(template);
    const withPlugin = await runOnce(pluginDatabase, seeded, { by: 'DISPATCHER', hasPlugin: true });
    sharesWithPlugin.push(output.ms / withPlugin.ms);
    await databases.remove(pluginDatabase);
  }
  await databases.remove(template);
  const on = `${kind}, ${past.accounts} accounts`;
  return [
    {
      name: `invoice run with payment, ${on}`,
      unit: 'accounts/s',
      runs: outputs.map(({ ms }) => (past.accounts / ms) * 1_000),
      goal: { atLeast: goals[kind] },
      ceiling: { what: 'the same rows by plain inserts, 50 accounts a transaction', value: ceiling },
    },
    {
      name: `resident memory of the opened engine, ${kind}`,
      unit: 'MiB',
      runs: outputs.map(({ idleMib }) => idleMib),
      goal: { atMost: goalIdleMib },
    },
    {
      name: `speed with an invoice plugin that answers at once, ${on}`,
      unit: 'of that without',
      runs: sharesWithPlugin,
      goal: { atLeast: goalShareWithPlugin },
    },
    { name: `highest resident memory, ${on}`, unit: 'MiB', runs: peaks, goal: { atMost: goalPeakMib } },
  ];
}

const script = new URL('./run-process.ts', import.meta.url);

export async function runOnce(
  database: BenchDatabase,
  seeded: Seeded,
  how: Omit<RunInput, 'database' | 'now'>,
) {
  const output = await inChild<RunInput, RunOutput>({ script, input: { database, now: seeded.due, ...how } });
  await checkRun(database, seeded, output);
  return output;
}

/**
 * Checks that every account has exactly one new invoice of the exact amount, paid by exactly one charge, and that no
 * work is left.
 */
async function checkRun(database: BenchDatabase, seeded: Seeded, output: RunOutput): Promise<void> {
  const { accounts: wanted, subscriptions } = seeded;
  const each = PRICE * subscriptions;
  const day = seeded.due.slice(0, 10);
  expectSame('Charges of the gateway', [output.charges, Number(output.charged)], [wanted, wanted * each]);
  await withRows(database, async (rows) => {
    const count = async (statement: string): Promise<number> => {
      const [row] = await rows.query(`select count(*) as found from (${statement}) as chosen`);
      return Number(row?.found);
    };
    const dueInvoices = `select * from bw_invoices where invoice_date = '${day}'`;
    const paid = `${dueInvoices} and status = 'COMMITTED' and cast(amount as numeric) = ${each}
      and cast(raw_balance as numeric) = 0`;
    expectSame('Invoices of the day, paid in full', await count(paid), wanted);
    expectSame('Invoices of the day', await count(dueInvoices), wanted);
    const invoiced = `select distinct account_record_id from bw_invoices where invoice_date = '${day}'`;
    expectSame('Accounts with an invoice of the day', await count(invoiced), wanted);
    const items = `select * from bw_invoice_items i join (${dueInvoices}) d on d.id = i.invoice_id
      where i.item_type = 'RECURRING'`;
    expectSame('Items of the day', await count(items.replace('*', 'i.id')), wanted * subscriptions);
    const settled = `select p.id from bw_invoice_payments p join (${dueInvoices}) d on d.id = p.invoice_id
      where p.status = 'SUCCESS' and cast(p.amount as numeric) = ${each}`;
    expectSame('Payments of the day', await count(settled), wanted);
    const owing = `select * from bw_invoicing_states where cast(account_balance as numeric) <> 0
      or account_id in (select object_id from bw_tags where is_active)`;
    expectSame('Accounts that owe or are parked', await count(owing), 0);
    const live = `select * from bw_queue_entries where effective_date > ${Date.parse(seeded.due)}`;
    expectSame('Runs of the next month', await count(live), wanted);
    expectSame('Live queue entries', await count('select * from bw_queue_entries'), wanted);
    const failed = `select * from bw_queue_history where processing_state in ('FAILED', 'REAPED')`;
    expectSame('Failed queue entries', await count(failed), 0);
    const audited = `select * from bw_audit_log where change_date = ${Date.parse(seeded.due)} and table_name = 'INVOICES'`;
    expectSame('Audit rows of invoices', await count(audited), wanted);
    const events = `select * from bw_queue_history where topic = 'INVOICE_PAYMENT_SUCCESS'
      and effective_date = ${Date.parse(seeded.due)}`;
    expectSame('Payment events', await count(events), wanted);
  });
}

/**
 * Returns the accounts per second of plain inserts of the rows that the run added to the template.
 * @param input `makingRoom`: a statement that first deletes rows whose unique keys the new rows use.
 */
export async function plainInsertRate(input: {
  readonly databases: BenchDatabases;
  readonly template: BenchDatabase;
  readonly database: BenchDatabase;
  readonly makingRoom?: string;
}): Promise<number> {
  const { databases, makingRoom } = input;
  const since = await withRows(input.template, lastRecordIds);
  const copy = await databases.copyOf(input.template);
  if (makingRoom !== undefined) await withRows(copy, (rows) => rows.query(makingRoom));
  const rate = await insertRate({ from: input.database, since, into: copy });
  await databases.remove(copy);
  return rate;
}
