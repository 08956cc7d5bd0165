import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { type Column, numberIn, textOf } from '../sql/columns.ts';
import type { Statements } from '../sql/connection.ts';
import type { DatabaseFailure, Dialect, EncodedEntry } from '../sql/dialect.ts';
import { firstRowsAs, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { accountsTable } from '../tables/accounts.ts';
import { liveConflict, movedColumns, queueEntriesTable, queueHistoryTable } from '../tables/queue.ts';
import { aggregateOfTexts, decimalOfAggregate } from './decimal-aggregates.ts';
import { storeUsage } from './store-usage.ts';

interface SqliteFailure extends Error {
  readonly code: string;
}

const lastEntry = sql`
  (select coalesce(max(seq), 0) from sqlite_sequence where name = ${raw(`'${queueEntriesTable.name}'`)})`;

export const sqliteDialect: Dialect = {
  kind: 'sqlite',
  types: {
    identity: 'integer',
    bigint: 'integer',
    integer: 'integer',
    uuid: 'text',
    text: 'text',
    boolean: 'integer',
    date: 'text',
    // Text keeps all digits, but SQLite's numbers are doubles.
    decimal: 'text',
    json: 'text',
  },
  // Text searches scan all accounts of the tenant in a narrow index (13 ms for 100,000 accounts instead of 37 ms).
  // A trigram table (FTS5) would write a segment per transaction.
  // Creating an account then took 800 µs instead of 510 µs.
  ownIndexes: [
    {
      table: accountsTable.name,
      name: 'bw_accounts_text_index',
      expression:
        'create index bw_accounts_text_index on bw_accounts (tenant_record_id, record_id, folded_text)',
    },
  ],
  reachable: null,
  writer: {
    placeholder: () => '?',
    scalar: (value) => (typeof value === 'boolean' ? Number(value) : value),
    membership: ({ column, values }, bind) =>
      `${column} in (select value from json_each(${bind(JSON.stringify(values))}))`,
    // SQLite compares UTF-8 bytes, which is the order of code points.
    orderedText: (column) => column,
    rowSource: ({ alias, columns, rows }, bind) => {
      const cells = columns.map((column, index) => `value ->> ${index} as ${column.name}`).join(', ');
      // The limit makes SQLite read the rows once.
      // Otherwise SQLite would run json_each for every row of the tenant.
      // Reading 50 of 24,000 invoices took 600 ms without the limit and 0.4 ms with it.
      return `(select ${cells} from json_each(${bind(JSON.stringify([...rows]))}) limit -1) as ${alias}`;
    },
  },
  selectList: (table, alias) =>
    table.columns.map((column: Column) => (alias ? `${alias}.${column.name}` : column.name)).join(', '),
  failureOf,
  isSelected: (column, selection) => sql`${raw(column)} in (${selection})`,
  // Each transaction locks the database when it begins. Otherwise, a transaction that reads first could no longer write
  // after another process has written. Kysely cannot start a transaction with BEGIN IMMEDIATE.
  takeWriteLock: sql`delete from bw_counters where record_id is null`,
  lockTimeout: () => null,
  forUpdate: '',
  forUpdateSkipLocked: '',
  forShare: '',
  forKeyShare: '',
  forDeletion: '',
  claimLock: null,
  notify: () => null,
  ofWorkingTenants: () => nothing,
  isInJson: (column, text) => `${column} in (select value from json_each(${text}))`,
  seekAccountText: null,
  unboundRole: null,
  // Without this text, SQLite would choose the page index, because it ignores the size of rows.
  alongAccountTexts: sql`indexed by bw_accounts_text_index`,
  // Decimals are text and must not be compared as numbers.
  // A negative decimal begins with a sign, and zero is `0`.
  isPositive: (column) => `(${column} <> '0' and ${column} not like '-%')`,
  comparesWith: comparesAsText,
  along: (index) => sql`indexed by ${raw(index)}`,
  identity: sql`select nullif(file, '') as identity from pragma_database_list where name = 'main'`,
  nowMs: sql`cast(unixepoch('subsec') * 1000 as integer)`,
  hasTable: async (statements, table) =>
    (await statements.rows(sql`select 1 from sqlite_schema where type = 'table' and name = ${table}`))
      .length > 0,
  appended: (column, text) => sql`json_insert(${raw(column)}, '$[#]', ${text})`,
  insertEntries,
  lastEntry,
  feedHorizon,
  moveEntries,
  aggregate: aggregateOfTexts,
  decimalOf: (aggregated) =>
    aggregated === null ? null : decimalOfAggregate(textOf(aggregated, 'aggregate')),
  listOf: (columns) => `json_group_array(json_array(${columns.join(', ')}) order by ${columns[0]})`,
  elementsOf: (column, alias) => `json_each(${column}) as ${alias}`,
  storeUsage,
  storesUsageAtOnce: false,
};

/**
 * Returns the condition that compares absolute values, first by the number of digits before the decimal point and then
 * as text.
 */
function comparesAsText(column: string, comparison: '<' | '<=' | '>' | '>=', value: string) {
  const isNegative = value.startsWith('-');
  const size = isNegative ? value.slice(1) : value;
  const digits = `${size}.`.indexOf('.') + 1;
  const stored = `ltrim(${column}, '-')`;
  // For negative amounts, the order of absolute values is reversed.
  const between = isNegative ? comparison.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<')) : comparison;
  const bySize = sql`(instr(${raw(stored)} || '.', '.'), ${raw(stored)}) ${raw(between)} (${digits}, ${size})`;
  const isBelowZero = raw(`${column} like '-%'`);
  const isUpward = comparison.startsWith('>');
  if (isNegative) {
    return isUpward ? sql`(not ${isBelowZero} or ${bySize})` : sql`(${isBelowZero} and ${bySize})`;
  }
  return isUpward ? sql`(not ${isBelowZero} and ${bySize})` : sql`(${isBelowZero} or ${bySize})`;
}

async function insertEntries(statements: Statements, entries: readonly EncodedEntry[]) {
  const first = await reserveRecordIds(statements, entries.length);
  const numbered = entries.map(({ cells, live }, index) => ({ live, cells: [first + index, ...cells] }));
  const columns = raw(queueHistoryTable.columns.map(({ name }) => name).join(', '));
  const write = async (table: string, live: boolean, conflict: Sql): Promise<void> => {
    const rows = numbered.filter((entry) => entry.live === live).map(({ cells }) => cells);
    if (rows.length === 0) return;
    await statements.run(sql`insert into ${raw(table)} (${columns})
      select ${columns} from ${firstRowsAs('r', queueHistoryTable.columns, rows)} where true ${conflict}`);
  };
  await write(queueHistoryTable.name, false, sql``);
  await write(queueEntriesTable.name, true, liveConflict);
}

/** Reserves record ids. Live entries and the history share the sequence of the live table. */
async function reserveRecordIds(statements: Statements, count: number) {
  const advance = sql`
    update sqlite_sequence set seq = seq + ${count} where name = ${queueEntriesTable.name} returning seq`;
  const [advanced] = await statements.rows(advance);
  if (advanced) return numberIn(advanced, 'seq') - count + 1;
  // SQLite creates the sequence row with the first insert.
  const [made] = await statements.rows(sql`
    insert into sqlite_sequence (name, seq) values (${queueEntriesTable.name}, ${count}) returning seq`);
  assertInvariant(made, 'SQLite did not assign record ids to the queue entries');
  return 1;
}

/** Returns the last record id. There is only one writer at a time, so record ids increase in commit order. */
async function feedHorizon(statements: Statements) {
  const [row] = await statements.rows(sql`select ${lastEntry} as seq`);
  return numberIn(row, 'seq');
}

async function moveEntries(statements: Statements, condition: Sql, outcome: string) {
  await statements.run(sql`
    insert into bw_queue_history (${raw(movedColumns)}, processing_state)
    select ${raw(movedColumns)}, ${outcome} from bw_queue_entries where ${condition}`);
  const { affected } = await statements.run(sql`delete from bw_queue_entries where ${condition}`);
  return affected;
}

/**
 * Matches the error codes for a full disk, an exceeded quota or a read-only file. On ENOSPC, SQLite reports SQLITE_FULL
 * for any file.
 */
const cannotWrite =
  /^SQLITE_(FULL$|READONLY|IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|DELETE|SHMOPEN|SHMSIZE|SHMMAP)$)/;

function failureOf(error: unknown): DatabaseFailure {
  if (!isSqliteFailure(error)) return { kind: 'other' };
  if (cannotWrite.test(error.code)) return { kind: 'no-room' };
  if (error.code.startsWith('SQLITE_BUSY') || error.code === 'SQLITE_LOCKED') return { kind: 'retry' };
  if (error.code !== 'SQLITE_CONSTRAINT_UNIQUE') return { kind: 'other' };
  // Example: "UNIQUE constraint failed: bw_accounts.tenant_record_id, bw_accounts.external_key".
  const columns = error.message.replace(/^[^:]*: /, '').split(', ');
  return {
    kind: 'unique',
    violation: {
      table: columns[0]?.split('.')[0] ?? '',
      columns: columns.map((column) => column.split('.')[1] ?? ''),
    },
  };
}

function isSqliteFailure(error: unknown): error is SqliteFailure {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
