import type { BenchDatabase } from './bench-database.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Goal } from './goal.ts';
import { runOnce } from './invoice-run.ts';
import { dueAfter, type Past, play, seed } from './past.ts';
import type { Rows, Table, Value } from './rows.ts';

const past: Past = { accounts: 4, invoices: 2, subscriptions: 2 };
const accountsTable = 'bw_accounts';
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const idsInText = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** System time and the node name differ between runs. */
const ignored = new Set(['claimed_at_ms', 'available_at_ms', 'processing_owner']);
/** Counted per tenant, so they depend on the order of accounts in a batch. */
const numbersInText = /(?<="(invoiceNumber|paymentNumber)": ?"?)\d+/g;

/**
 * Compares three copied accounts with three that the engine billed, column by column, at once and after another month.
 */
export const seedCheck: Goal = {
  name: 'seed-check',
  title: 'Seed: copied accounts against accounts that the engine has billed',
  async measure(bench) {
    for (const kind of bench.kinds) await check(bench, kind);
    return [];
  },
};

async function check(bench: Bench, kind: DatabaseKind): Promise<void> {
  const { databases } = bench;
  const [played, seeded] = [await databases.fresh(kind), await databases.fresh(kind)];
  const byEngine = await play(played, past);
  const bySeed = await seed(seeded, past);
  const rows = await sameAccounts(played, seeded);
  const both = [
    { database: played, known: { ...past, ...byEngine, due: dueAfter(past), rows: 0 } },
    { database: seeded, known: bySeed },
  ];
  for (const { database, known } of both) await runOnce(database, known, { by: 'SETTLE' });
  const rowsAfter = await sameAccounts(played, seeded);
  bench.print(`${kind}: ${rows} rows are the same in both, and ${rowsAfter} after one more month`);
  for (const database of [played, seeded]) await databases.remove(database);
}

/** Compares all accounts except the first, which the engine billed in both databases. */
async function sameAccounts(played: BenchDatabase, seeded: BenchDatabase): Promise<number> {
  const [wanted, found] = [await withRows(played, linesOfAccounts), await withRows(seeded, linesOfAccounts)];
  expectSame('Number of seeded accounts', found.length, wanted.length);
  let lines = 0;
  for (const [index, account] of wanted.entries()) {
    const other = found[index] ?? [];
    for (const [place, line] of account.entries()) expectSame('A seeded row', other[place], line);
    expectSame('Rows of a seeded account', other.length, account.length);
    lines += account.length;
  }
  return lines;
}

/** Returns the rows of each account except the first, as lines without the account's own values. */
async function linesOfAccounts(rows: Rows): Promise<readonly (readonly string[])[]> {
  const tables = await rows.tables();
  const byAccount = new Map<string, { table: Table; row: readonly Value[] }[]>();
  for (const table of tables) {
    const column = table.name === accountsTable ? 'record_id' : 'account_record_id';
    const place = table.columns.findIndex(({ name }) => name === column);
    const isNumbered = table.columns.some(({ name }) => name === 'record_id');
    if (place < 0 || !isNumbered) continue;
    for (const row of await rows.read(table, 0)) {
      const account = row[place] ?? null;
      if (account === null) continue;
      byAccount.set(account, [...(byAccount.get(account) ?? []), { table, row }]);
    }
  }
  const recordIds = [...byAccount.keys()].map(Number).sort((first, second) => first - second);
  return recordIds.slice(1).map((recordId) => linesOf(byAccount.get(String(recordId)) ?? []));
}

/** Replaces ids and record ids by their order of appearance, so that references still match. */
function linesOf(rows: readonly { readonly table: Table; readonly row: readonly Value[] }[]) {
  const seen = new Map<string, string>();
  const named = (kind: string, value: string): string => {
    const key = `${kind} ${value}`;
    const name = seen.get(key) ?? `${kind}${seen.size}`;
    seen.set(key, name);
    return name;
  };
  return rows.map(({ table, row }) => {
    // Each table numbers its rows from 1, and an audit row names the table of its target.
    const target = row[table.columns.findIndex(({ name }) => name === 'table_name')] ?? table.name;
    const kindOf = (name: string): string => {
      if (name === 'record_id') return table.name;
      return name === 'target_record_id' ? target : name;
    };
    const cells = table.columns.map(({ name }, index) => {
      const value = row[index] ?? null;
      if (value === null) return `${name}=null`;
      if (ignored.has(name)) return `${name}=…`;
      if (uuidPattern.test(value)) return `${name}=${named('id', value)}`;
      if (name.endsWith('record_id') || name.endsWith('_number')) {
        return `${name}=${named(kindOf(name), value)}`;
      }
      const text = value.replace(idsInText, (id) => named('id', id)).replace(numbersInText, 'n');
      return `${name}=${text.replace(/(?<=^invoice-run:)\d+/, (id) => named('account_record_id', id))}`;
    });
    return `${table.name} ${cells.join(' ')}`;
  });
}
