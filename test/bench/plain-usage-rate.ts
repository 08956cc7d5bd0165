import type { BenchDatabase } from './bench-database.ts';
import { withRows } from './databases.ts';
import type { Rows, Table, Value } from './rows.ts';

interface Part {
  readonly table: Table;
  readonly rows: readonly (readonly Value[])[];
}

const orders: Readonly<Record<string, string>> = {
  bw_usage_keys: 'record_id',
  bw_usage_points: 'key_record_id, ordinal',
  // Unsorted by the lookup columns, as the days of random points arrive.
  bw_usage_days: 'last_recorded_for, subscription_record_id, unit_record_id',
};

const mostRows = 400_000;

/** Returns the points per second of plain multi-row inserts with the engine's chunk size and connections. */
export async function plainUsageRate(input: {
  readonly from: BenchDatabase;
  readonly into: BenchDatabase;
  readonly chunk: number;
  readonly connections: number;
}): Promise<number> {
  const { from, into, chunk, connections } = input;
  const parts = await withRows(from, readParts);
  const points = parts.find(({ table }) => table.name === 'bw_usage_points')?.rows.length ?? 0;
  const groups = groupsOf(parts, Math.ceil(points / chunk));
  let next = 0;
  let began = 0;
  const work = (): Promise<void> =>
    withRows(into, async (rows) => {
      // The engine's settings. By default, `Rows` is no more durable than the benchmark requires.
      if (into.kind === 'sqlite') {
        await rows.query('pragma synchronous = normal');
        await rows.query('pragma cache_size = -16384');
      }
      began ||= performance.now();
      for (let group = groups[next++]; group !== undefined; group = groups[next++]) {
        const own = group;
        await rows.transaction(async () => {
          for (const { table, rows: some } of own) await rows.insert(table, some);
        });
      }
    });
  await Promise.all(Array.from({ length: connections }, work));
  return (points / (performance.now() - began)) * 1_000;
}

async function readParts(rows: Rows): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const table of await rows.tables()) {
    const order = orders[table.name];
    if (order === undefined) continue;
    const names = table.columns.map(({ name }) => name);
    const found = await rows.query(
      `select ${names.join(', ')} from ${table.name} order by ${order} limit ${mostRows}`,
    );
    parts.push({ table, rows: found.map((row) => names.map((name) => row[name] ?? null)) });
  }
  return parts;
}

/** Splits the rows into this many groups, each with its share of every table. */
function groupsOf(parts: readonly Part[], count: number): readonly (readonly Part[])[] {
  return Array.from({ length: count }, (_, group) =>
    parts.map(({ table, rows }) => {
      const [begin, end] = [group, group + 1].map((each) => Math.floor((each * rows.length) / count));
      // Sorted by the primary or unique key, like the engine's inserts.
      return {
        table,
        rows: rows.slice(begin, end).toSorted((a, b) => subscriptionOf(table, a) - subscriptionOf(table, b)),
      };
    }),
  );
}

function subscriptionOf({ columns }: Table, row: readonly Value[]): number {
  return Number(row[columns.findIndex(({ name }) => name === 'subscription_record_id')]);
}
