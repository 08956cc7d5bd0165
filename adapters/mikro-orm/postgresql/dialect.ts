import { decimal } from '../../../lib/values/money/index.ts';
import { type Cell, type Column, type ColumnType, numberIn, numberOf, textOf } from '../sql/columns.ts';
import type { Statements } from '../sql/connection.ts';
import type { DatabaseFailure, Dialect, EncodedEntry } from '../sql/dialect.ts';
import { nothing, type Rows, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { accountsTable } from '../tables/accounts.ts';
import { liveConflict, movedColumns, queueEntriesTable } from '../tables/queue.ts';
import { MANY_ROWS } from './prepared-statements.ts';
import { ServerSilentError } from './server-watch.ts';
import { storeUsage } from './store-usage.ts';
import { ofReachedTenant } from './tenant-policy.ts';

/** What the PostgreSQL driver throws. */
interface PostgresqlFailure extends Error {
  /** SQLSTATE */
  readonly code: string;
  readonly constraint?: string;
}

/** Channel on which nodes tell each other that entries are due. */
export const QUEUE_CHANNEL = 'billwright_queue';

const types: Dialect['types'] = {
  identity: 'bigint',
  bigint: 'bigint',
  integer: 'int',
  uuid: 'uuid',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  decimal: 'numeric',
  // Not jsonb: an event's fields keep the order of their writer, and no document is searched.
  json: 'json',
};

const retryable = new Set(['40001', '40P01']);
const lockNotAvailable = '55P03';
const inFailedTransaction = '25P02';
const uniqueViolation = '23505';
/**
 * SQLSTATE class 53, insufficient resources: disk full (53100), out of shared memory (53200), too many connections
 * (53300).
 */
const isOutOfResources = /^53...$/;
/**
 * Class 08, connection exceptions; the server stops (57P01, 57P02), starts or recovers (57P03); a time limit (57014); a
 * transaction that was left waiting (25P03).
 */
const isServerAway = /^(08...|57P0[123]|57014|25P03)$/;
/** Error codes of the operating system for a server that cannot be reached. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** The driver's messages for a connection that is lost or was not made in time: these errors have no code. */
const connectionLost =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect$|Query read timeout$|Client .* not queryable$)/;
/** Any number, as long as nobody else in the host's database uses it: the letters "bwclaim". */
const claimLockKey = '27714813046384493';

const sequence = sql`pg_get_serial_sequence('bw_queue_entries', 'record_id')`;
const lastEntry = sql`coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`;

export const postgresqlDialect: Dialect = {
  kind: 'postgresql',
  types,
  ownIndexes: [
    {
      table: accountsTable.name,
      name: 'bw_accounts_text_index',
      expression: 'create index bw_accounts_text_index on bw_accounts using gin (folded_text gin_trgm_ops)',
    },
  ],
  reachable: ofReachedTenant,
  writer: {
    placeholder: (position) => `$${position}`,
    scalar: (value) => value,
    membership: ({ column, type, values }, bind) => {
      const list = filledUp(values);
      // Ids and numbers need no escaping; the driver writes arrays of text itself.
      return `${column} = any(${bind(type === 'text' ? list : `{${list.join(',')}}`)}::${type}[])`;
    },
    orderedText: (column) => `${column} collate "C"`,
    rowSource: ({ alias, columns, rows }, bind) => {
      // One array per column: reading the rows of 30,000 items from JSON took the server 0.7 s instead of 0.2.
      const bound = boundColumns(rows, columns);
      const varying = bound.filter(({ elements }) => elements !== null);
      const arrays = varying.map(
        ({ column, elements }) => `${bind(`{${(elements ?? []).join(',')}}`)}::${elementType(column)}[]`,
      );
      const read = bound.map(({ column, elements, cell }) => {
        const { name, type } = column;
        const value = elements === null ? `${bind(cell)}::${elementType(column)}` : name;
        return type === 'json' ? `${value}::json as ${name}` : `${value} as ${name}`;
      });
      const given = varying.length < bound.length ? MANY_ROWS : 'given';
      // The limit tells the planner the number of rows; otherwise it expects few of them and reads a table of some
      // thousand rows from end to end to change one.
      return `(select ${read.join(', ')}
        from unnest(${arrays.join(', ')}) as ${given}(${varying.map(({ column }) => column.name).join(', ')})
        limit ${bind(rows.length)}) as ${alias}`;
    },
  },
  selectList: (table, alias) =>
    table.columns
      .map(({ name, type }: Column) => {
        const column = alias ? `${alias}.${name}` : name;
        // As text, so that the driver does not read its numbers as doubles.
        return type === 'json' ? `${column}::text as ${name}` : column;
      })
      .join(', '),
  failureOf,
  takeWriteLock: null,
  lockTimeout: (waitMs) => sql`set local lock_timeout = ${raw(String(Math.max(1, Math.floor(waitMs))))}`,
  forUpdate: 'for no key update',
  forUpdateSkipLocked: 'for no key update skip locked',
  forShare: 'for share',
  forKeyShare: 'for key share',
  forDeletion: 'for update',
  // The planner expects next to nothing to be due, and would fetch and sort all due entries, which takes 22 ms for the
  // first hundred of 10,000; along the index of due entries it takes 4 ms.
  claimLock: sql`select pg_advisory_xact_lock(${raw(claimLockKey)}),
    set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
  notify: (payload) => sql`select pg_notify(${QUEUE_CHANNEL}, ${payload})::text`,
  isInJson: (column, text) => `${column} = any(translate(${text}, '[]', '{}')::bigint[])`,
  alongAccountTexts: nothing,
  seekAccountText: (pattern) => sql`select set_config('billwright.account_text', ${pattern}, true)`,
  unboundRole: (tables) => sql`
    select current_user::text as role
    where exists (select from pg_roles where rolname = current_user and (rolsuper or rolbypassrls))
      or exists (
        select from unnest(${`{${tables.join(',')}}`}::text[]) as given (name)
        where not row_security_active(to_regclass(given.name)))`,
  isPositive: (column) => `${column} > 0`,
  comparesWith: (column, comparison, value) =>
    sql`${raw(column)} ${raw(comparison)} cast(${value} as numeric)`,
  along: () => nothing,
  // The server, the database on it, and our tables in it, since the search path may lead to those of another schema.
  identity: sql`
    select system_identifier || ' ' || (select oid from pg_database where datname = current_database())
      || ' ' || coalesce(to_regclass('bw_tenants')::oid::text, '') as identity
    from pg_control_system()`,
  nowMs: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  hasTable: async (statements, table) =>
    (await statements.rows(sql`select 1 where to_regclass(${table}) is not null`)).length > 0,
  appended: (column, text) => sql`(${raw(column)}::jsonb || to_jsonb(${text}::text))::json`,
  insertEntries,
  lastEntry,
  toldUpTo,
  moveEntries,
  aggregate: (of, column) => `${of}(${column})`,
  decimalOf: (aggregated) => (aggregated === null ? null : decimal(textOf(aggregated, 'aggregate'))),
  listOf: (columns) => `json_agg(json_build_array(${columns.join(', ')}) order by ${columns[0]})`,
  elementsOf: (column, alias) => `json_array_elements(${column}) as ${alias}(value)`,
  storeUsage,
  storesUsageAtOnce: true,
};

/** How many elements PostgreSQL expects in an array when it plans a statement for any parameters. */
const EXPECTED_ELEMENTS = 10;

/**
 * The list, with its last value repeated if it is shorter than expected. Otherwise the statement would seem cheaper with
 * its parameters than without, and be planned anew for each call, which takes three times as long as running it.
 */
function filledUp<T>(values: readonly T[]): readonly T[] {
  const last = values.at(-1);
  if (last === undefined || values.length >= EXPECTED_ELEMENTS) return values;
  return [...values, ...Array.from({ length: EXPECTED_ELEMENTS - values.length }, () => last)];
}

/** Number of rows from which a column that is the same in all rows is bound once. */
const MANY_FROM = 1_000;

/** A column of rows, as it is bound. */
interface BoundColumn {
  readonly column: Column;
  /** Its text as elements of an array; null = each row has `cell`. */
  readonly elements: readonly string[] | null;
  readonly cell: Cell;
}

/**
 * The columns of the rows. In a large run most columns are the same in all rows (whose they are, when they were made,
 * what was bought); writing, sending and reading them costs as much as all others do.
 */
function boundColumns(rows: Rows, columns: readonly Column[]): readonly BoundColumn[] {
  const bound = columns.map((column) => new GatheredColumn(column, rows.length < MANY_FROM));
  let index = 0;
  for (const cells of rows) {
    bound.forEach((column, at) => {
      column.take(cells[at] ?? null, index);
    });
    index += 1;
  }
  // At least one array has to tell how many rows there are.
  if (bound.every(({ elements }) => elements === null)) bound[0]?.vary(index);
  return bound;
}

/** A column, cell by cell. */
class GatheredColumn implements BoundColumn {
  readonly column: Column;
  elements: string[] | null;
  cell: Cell = null;
  readonly #write: (cell: string | number | boolean) => string;

  constructor(column: Column, varies: boolean) {
    this.column = column;
    this.elements = varies ? [] : null;
    this.#write = writers[column.type] ?? String;
  }

  take(cell: Cell, index: number): void {
    if (index === 0) this.cell = cell;
    if (this.elements === null && cell !== this.cell) this.vary(index);
    this.elements?.push(this.#element(cell));
  }

  /** Called when a cell is no longer the same in all rows, as it was so far. */
  vary(count: number): void {
    this.elements = Array.from({ length: count }, () => this.#element(this.cell));
  }

  #element(cell: Cell): string {
    return cell === null ? 'NULL' : this.#write(cell);
  }
}

function elementType({ type }: Column): string {
  return type === 'json' ? 'text' : types[type];
}

/** Elements of the other types need no quotes. */
const writers: { readonly [T in ColumnType]?: (cell: string | number | boolean) => string } = {
  text: (cell) => quoted(String(cell)),
  // A document has no control characters.
  json: (cell) => JSON.stringify(String(cell)),
};

/**
 * JSON's quotes are right except for control characters, whose escapes would mean something else here; this is twice as
 * fast.
 */
function quoted(text: string): string {
  if (!needsEscapes.test(text)) return `"${text}"`;
  return controls.test(text) ? `"${text.replace(escaped, '\\$&')}"` : JSON.stringify(text);
}

const needsEscapes = /["\\]/;
const escaped = /["\\]/g;
const controls = /\p{Cc}/u;

function failureOf(error: unknown): DatabaseFailure {
  if (error instanceof ServerSilentError) return { kind: 'away' };
  if (error instanceof Error && connectionLost.test(error.message)) return { kind: 'away' };
  if (!isPostgresqlFailure(error)) return { kind: 'other' };
  if (isOutOfResources.test(error.code)) return { kind: 'no-room' };
  if (isServerAway.test(error.code) || unreachable.has(error.code)) return { kind: 'away' };
  if (retryable.has(error.code)) return { kind: 'retry' };
  if (error.code === lockNotAvailable) return { kind: 'lock-timeout' };
  if (error.code === inFailedTransaction) return { kind: 'aborted' };
  if (error.code === uniqueViolation && error.constraint !== undefined) {
    return { kind: 'unique', violation: { index: error.constraint } };
  }
  return { kind: 'other' };
}

function isPostgresqlFailure(error: unknown): error is PostgresqlFailure {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/**
 * Advisory locks of transactions that tell the outside of something: this number in the upper 8 bits, below it 16 bits of the
 * tenant, and in the lowest 40 the last record id that was given before. Tenants that share their bits wait for each
 * other, no more.
 */
const TELLING_LOCKS = 0x62;
const TENANT_BITS = 65_535;

/**
 * The history takes its numbers from the live table's sequence: an entry keeps its record id for good. The lock is taken
 * before the first number, since the numbers are given to rows that are joined with it.
 */
async function insertEntries(statements: Statements, entries: readonly EncodedEntry[]): Promise<void> {
  const columns = queueEntriesTable.written;
  const names = raw(`record_id, ${columns.map(({ name }) => name).join(', ')}`);
  const cells = entries.map((entry) => entry.cells);
  const toldOf = entries.find((entry) => entry.toldOf !== null)?.toldOf ?? null;
  await statements.run(sql`
    with telling as materialized (
      select case when ${toldOf !== null}::boolean then pg_advisory_xact_lock_shared(
        (${TELLING_LOCKS}::bigint << 56) + ((${toldOf ?? 0}::bigint & ${TENANT_BITS}) << 40) + ${lastEntry}) end
    ), numbered as materialized (
      select nextval(${sequence}) as record_id, r.*
      from telling cross join ${rowsAs('r', columns, cells)}
    ), processed as (
      insert into bw_queue_history (${names}) select ${names} from numbered where processing_state = 'PROCESSED'
    )
    insert into bw_queue_entries (${names})
    select ${names} from numbered where processing_state <> 'PROCESSED' ${liveConflict}`);
}

/**
 * Numbers of a sequence are given before their rows are committed. Whoever holds one that the reader must wait for is
 * either still among the locks, below its numbers; or it took its lock after the locks were read, and then all its numbers are
 * greater than the last one given before that; or it has ended, so that its rows are there.
 */
async function toldUpTo(statements: Statements, tenantRecordId: number | null): Promise<number> {
  const ofTenant =
    tenantRecordId === null
      ? nothing
      : sql`and (classid::bigint >> 8) & ${TENANT_BITS} = ${tenantRecordId}::bigint & ${TENANT_BITS}`;
  const given = await statements.rows(sql`select ${lastEntry} as last`);
  const held = await statements.rows(sql`
    select min(((classid::bigint & 255) << 32) | objid::bigint) as held from pg_locks
    where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 24 = ${TELLING_LOCKS} ${ofTenant}
      and database = (select oid from pg_database where datname = current_database())`);
  const last = numberIn(given[0], 'last');
  const lowest = held[0]?.held;
  return lowest === null || lowest === undefined ? last : Math.min(last, numberOf(lowest, 'held'));
}

async function moveEntries(statements: Statements, condition: Sql, outcome: string): Promise<number> {
  const { affected } = await statements.run(sql`
    with moved as (delete from bw_queue_entries where ${condition} returning *)
    insert into bw_queue_history (${raw(movedColumns)}, processing_state)
    select ${raw(movedColumns)}, ${outcome} from moved`);
  return affected;
}
