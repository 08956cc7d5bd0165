import { Client } from 'pg';
import { reachingEveryTenant, type TestDatabase } from '../support/databases.ts';
import { rowsOf } from '../support/queue-rows.ts';

/** A stored row: cells as text, booleans as 1 and 0. */
export type StoredRow = Readonly<Record<string, string | null>>;

const TABLES = [
  'tenants',
  'accounts',
  'bundles',
  'former_bundle_keys',
  'subscriptions',
  'subscription_events',
  'blocking_states',
  'invoices',
  'invoice_items',
  'credit_notes',
  'coverage',
  'invoicing_cursors',
  'invoicing_states',
  'payment_methods',
  'payments',
  'payment_transactions',
  'payment_attempts',
  'invoice_payments',
  'tags',
  'audit_log',
  'queue_entries',
  'queue_history',
] as const;

/** Stored tables in insertion order, read without the engine. */
export type Books = Readonly<Record<(typeof TABLES)[number], readonly StoredRow[]>> & {
  /** Business time of the read, in milliseconds. */
  readonly nowMs: number;
};

export async function readBooks(database: TestDatabase, nowMs: number): Promise<Books> {
  const open = await openTables(database);
  try {
    return { ...(await open.tables(TABLES)), nowMs };
  } finally {
    await open.close();
  }
}

export interface OpenTables {
  tables<N extends string>(names: readonly N[]): Promise<Readonly<Record<N, readonly StoredRow[]>>>;
  rows(statement: string): Promise<readonly StoredRow[]>;
  close(): Promise<void>;
}

export async function openTables(database: TestDatabase): Promise<OpenTables> {
  const { rows, close } =
    database.kind === 'postgresql' ? await postgresqlRows(database.url) : sqliteRows(database);
  return {
    rows,
    close,
    tables: async (names) => {
      const read: [string, readonly StoredRow[]][] = [];
      for (const name of names) read.push([name, await rows(`select * from bw_${name} order by record_id`)]);
      return Object.fromEntries(read) as never;
    },
  };
}

function sqliteRows(database: TestDatabase): Pick<OpenTables, 'rows' | 'close'> {
  const asText = (value: unknown): string | null => (value === null ? null : String(value));
  return {
    rows: async (statement) =>
      (await rowsOf(database, statement)).map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, value]) => [column, asText(value)])),
      ),
    close: () => Promise.resolve(),
  };
}

const BOOLEAN_TYPE = 16;

/** Reads dates as text. */
async function postgresqlRows(url: string): Promise<Pick<OpenTables, 'rows' | 'close'>> {
  const plain = (value: string): string => value;
  const flag = (value: string): string => (value === 't' ? '1' : '0');
  const types = { getTypeParser: (type: number) => (type === BOOLEAN_TYPE ? flag : plain) };
  const client = new Client({ ...reachingEveryTenant(url), types: types as never });
  await client.connect();
  return {
    rows: async (statement) => (await client.query<StoredRow>(statement)).rows,
    close: () => client.end(),
  };
}

/** As integer billionths, the precision of stored amounts. */
export function billionths(amount: string | null | undefined): bigint {
  if (amount === null || amount === undefined) return 0n;
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
  const value = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  return amount.startsWith('-') ? -value : value;
}

export function sum(rows: readonly StoredRow[], column = 'amount'): bigint {
  return rows.reduce((total, row) => total + billionths(row[column]), 0n);
}

/** Groups rows by a column, without empty values. */
export function by(
  rows: readonly StoredRow[],
  column: string,
): (value: string | null | undefined) => readonly StoredRow[] {
  const groups = Map.groupBy(rows, (row) => row[column]);
  return (value) => (value == null ? [] : (groups.get(value) ?? []));
}

export function is(row: StoredRow, column: string): boolean {
  return row[column] === '1';
}

export function dayNumber(date: string | null | undefined): number {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / 86_400_000);
}
