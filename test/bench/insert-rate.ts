import type { BenchDatabase } from './bench-database.ts';
import { withRows } from './databases.ts';
import type { Table, Value } from './rows.ts';

const accountsPerTransaction = 50;
const accountColumn = 'account_record_id';

/**
 * Returns the accounts per second of plain inserts: 50 accounts per transaction, one insert per table, one connection.
 */
export async function insertRate(input: {
  readonly from: BenchDatabase;
  readonly since: ReadonlyMap<string, number>;
  readonly into: BenchDatabase;
}): Promise<number> {
  const groups = await groupsOf(input.from, input.since);
  const accounts = new Set(groups.flatMap(({ accountIds }) => accountIds)).size;
  const ms = await withRows(input.into, async (rows) => {
    const began = performance.now();
    for (const { parts } of groups) {
      await rows.transaction(async () => {
        for (const { table, rows: some } of parts) await rows.insert(table, some);
      });
    }
    return performance.now() - began;
  });
  return (accounts / ms) * 1_000;
}

interface Group {
  readonly accountIds: readonly string[];
  readonly parts: readonly { readonly table: Table; readonly rows: readonly (readonly Value[])[] }[];
}

async function groupsOf(database: BenchDatabase, since: ReadonlyMap<string, number>) {
  return withRows(database, async (rows) => {
    const written: { table: Table; byAccount: Map<string, (readonly Value[])[]> }[] = [];
    for (const table of await rows.tables()) {
      const place = table.columns.findIndex(({ name }) => name === accountColumn);
      const last = since.get(table.name);
      if (place < 0 || last === undefined) continue;
      const made = await rows.read(table, last);
      written.push({ table, byAccount: Map.groupBy(made, (row) => String(row[place])) });
    }
    const accountIds = [...new Set(written.flatMap(({ byAccount }) => [...byAccount.keys()]))];
    const groups: Group[] = [];
    for (let from = 0; from < accountIds.length; from += accountsPerTransaction) {
      const chosen = accountIds.slice(from, from + accountsPerTransaction);
      const parts = written.map(({ table, byAccount }) => ({
        table,
        rows: chosen.flatMap((id) => byAccount.get(id) ?? []),
      }));
      groups.push({ accountIds: chosen, parts: parts.filter((part) => part.rows.length > 0) });
    }
    return groups;
  });
}
