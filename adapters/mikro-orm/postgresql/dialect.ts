import { decimal } from '../../../lib/values/money/index.ts';
import { type Cell, type Column, type ColumnType, numberIn, orNullIn, textOf } from '../sql/columns.ts';
import type { Statements } from '../sql/connection.ts';
import type { DatabaseFailure, Dialect, EncodedEntry } from '../sql/dialect.ts';
import { gather, nothing, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { accountsTable } from '../tables/accounts.ts';
import { AWAY_CONSTRAINT, FENCED_STATE } from '../tables/moves.ts';
import { liveConflict, movedColumns, queueEntriesTable } from '../tables/queue.ts';
import { isOfLostWorker } from './failed-commit.ts';
import { ServerSilentError } from './server-watch.ts';
import { MANY_ROWS } from './statement-batch.ts';
import { storeUsage } from './store-usage.ts';
import { ofReachedTenant } from './tenant-policy.ts';

interface PostgresqlFailure extends Error {
  /** SQLSTATE */
  readonly code: string;
  readonly constraint?: string;
}

/**
 * SQL for the schema of the engine's tables, which is the first name in the search path. `$user` means the schema with
 * the name of the user, if it exists. `current_schema` would skip a missing schema and could find the tables of another
 * engine.
 */
export const HOME_SCHEMA = `coalesce(
  nullif((parse_ident(current_setting('search_path'), false))[1], '$user'), current_schema(), 'public')`;

/** SQL that identifies the engine's schema in the keys of its locks and in the name of its channel. */
export const HOME_ID = `'bw_queue_entries'::regclass::oid`;
const homeId = raw(HOME_ID);

/** SQL for the name of the channel on which nodes notify each other of due entries. */
export const QUEUE_CHANNEL = `'billwright_queue_' || ${HOME_ID}`;

const types: Dialect['types'] = {
  identity: 'bigint',
  bigint: 'bigint',
  integer: 'int',
  uuid: 'uuid',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  decimal: 'numeric',
  // The type is not jsonb, because fields must keep their order and documents are never searched.
  json: 'json',
};

const retryable = new Set(['40001', '40P01']);
const lockNotAvailable = '55P03';
const inFailedTransaction = '25P02';
const uniqueViolation = '23505';
/**
 * Matches the error codes of class 53 (insufficient resources, such as a full disk or too many connections) and of
 * read-only servers.
 */
const cannotWrite = /^(53...|25006)$/;
/**
 * Matches the error codes of lost connections (08), of shutdown and startup (57P) and of time limits (57014, 25P03).
 */
const isServerAway = /^(08...|57P0[123]|57014|25P03)$/;
/** Error codes of the operating system for unreachable servers, and the code of `NoHostError`. */
const unreachable = new Set([
  'NO_HOST',
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
/** The driver's messages for lost or late connections. The driver sets no code on these errors. */
const connectionLost =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect$|Query read timeout$|Client .* not queryable$)/;
/** First key of the claim lock: the letters "bwcl". The second key is the engine's schema. */
const CLAIM_LOCKS = 0x62_77_63_6c;

/** The sequence of the queue's record ids. */
export const sequence = sql`pg_get_serial_sequence('bw_queue_entries', 'record_id')`;
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
      const list = padValues(values);
      // Ids and numbers need no escaping.
      const elements = type === 'text' ? list.map((each) => quoteElement(String(each))) : list;
      return `${column} = any(${bind(`{${elements.join(',')}}`)}::${type}[])`;
    },
    orderedText: (column) => `${column} collate "C"`,
    rowSource: ({ alias, columns, rows }, bind) => {
      // There is one array per column. Reading the rows of 30,000 items from JSON took 0.7 s instead of 0.2 s.
      const bound = gather(rows, columns.map(elementWriter));
      const arrays: string[] = [];
      const names: string[] = [];
      const read = columns.map((column, index) => {
        const { cell = null, values = null } = bound[index] ?? {};
        const { name, type } = column;
        if (values !== null) {
          arrays.push(`${bind(`{${values.join(',')}}`)}::${elementType(column)}[]`);
          names.push(name);
        }
        const value = values === null ? `${bind(cell)}::${elementType(column)}` : name;
        return type === 'json' ? `${value}::json as ${name}` : `${value} as ${name}`;
      });
      const given = arrays.length < columns.length ? MANY_ROWS : 'given';
      // The planner derives the number of rows from the limit.
      // Without the limit, PostgreSQL may read a whole table to change one row.
      return `(select ${read.join(', ')}
        from unnest(${arrays.join(', ')}) as ${given}(${names.join(', ')})
        limit ${bind(rows.length)}) as ${alias}`;
    },
  },
  selectList: (table, alias) =>
    table.columns
      .map(({ name, type }: Column) => {
        const column = alias ? `${alias}.${name}` : name;
        // The column is read as text, because the driver would parse the numbers in it as doubles.
        return type === 'json' ? `${column}::text as ${name}` : column;
      })
      .join(', '),
  failureOf,
  // With a join, PostgreSQL would read all rows of the tenant until it has statistics (40 ms instead of 0.1 ms).
  isSelected: (column, selection) => sql`${raw(column)} = any(array(${selection}))`,
  takeWriteLock: null,
  lockTimeout: (waitMs) => sql`set local lock_timeout = ${raw(String(Math.max(1, Math.floor(waitMs))))}`,
  forUpdate: 'for no key update',
  forUpdateSkipLocked: 'for no key update skip locked',
  forShare: 'for share',
  forKeyShare: 'for key share',
  forDeletion: 'for update',
  // The planner expects few due entries. Without these settings, it would sort all entries instead of using the index.
  // Reading the first 100 of 10,000 entries would take 22 ms instead of 4 ms.
  claimLock: sql`select pg_advisory_xact_lock(${raw(String(CLAIM_LOCKS))}, ${homeId}::int)::text,
    set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
  notify: (payload) => sql`select pg_notify(${raw(QUEUE_CHANNEL)}, ${payload})::text`,
  // The array is read once per statement, and is empty unless a tenant has moved. With `coalesce`, the planner expects
  // half of the rows to match. Without `coalesce`, the planner would expect no match in a database with one tenant, and
  // would read the whole table.
  ofWorkingTenants: (column) => sql`and coalesce(${raw(column)} <> all (array(
    select moves.tenant_record_id from bw_tenant_moves moves
    where moves.state in ('HOLDING', 'STOPPED', 'ARRIVING', 'AWAY'))), true)`,
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
  // This text identifies the server, its database and our tables, because the search path may lead to another schema.
  identity: sql`
    select system_identifier || ' ' || (select oid from pg_database where datname = current_database())
      || ' ' || coalesce(to_regclass('bw_tenants')::oid::text, '') as identity
    from pg_control_system()`,
  nowMs: sql`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
  hasTable: async (statements, table) =>
    (
      await statements.rows(
        sql`select 1 where to_regclass(format('%I.%I', ${raw(HOME_SCHEMA)}, ${table}::text)) is not null`,
      )
    ).length > 0,
  appended: (column, text) => sql`(${raw(column)}::jsonb || to_jsonb(${text}::text))::json`,
  insertEntries,
  lastEntry,
  feedHorizon,
  moveEntries,
  aggregate: (of, column) => `${of}(${column})`,
  decimalOf: (aggregated) => (aggregated === null ? null : decimal(textOf(aggregated, 'aggregate'))),
  listOf: (columns) => `json_agg(json_build_array(${columns.join(', ')}) order by ${columns[0]})`,
  elementsOf: (column, alias) => `json_array_elements(${column}) as ${alias}(value)`,
  storeUsage,
  storesUsageAtOnce: true,
};

/** The array length that PostgreSQL assumes when it creates a generic plan. */
const EXPECTED_ELEMENTS = 10;

/**
 * Repeats the last value until the list has the expected length. Otherwise PostgreSQL would create a new plan for each
 * call, which is 3 times slower.
 */
function padValues<T>(values: readonly T[]): readonly T[] {
  const last = values.at(-1);
  if (last === undefined || values.length >= EXPECTED_ELEMENTS) return values;
  return [...values, ...Array.from({ length: EXPECTED_ELEMENTS - values.length }, () => last)];
}

function elementType({ type }: Column) {
  return type === 'json' ? 'text' : types[type];
}

/** Functions that write array elements, by column type. All other types need no quotes. */
const writers: { readonly [T in ColumnType]?: (cell: string | number | boolean) => string } = {
  text: (cell) => quoteElement(String(cell)),
  // Documents have no control characters.
  json: (cell) => JSON.stringify(String(cell)),
};

function elementWriter({ type }: Column) {
  const write = writers[type] ?? String;
  return (cell: Cell) => (cell === null ? 'NULL' : write(cell));
}

/** Quotes an array element. JSON's quoting is twice as fast, and correct if there are no control characters. */
function quoteElement(text: string) {
  if (!needsEscapes.test(text)) return `"${text}"`;
  return controls.test(text) ? `"${text.replace(escaped, '\\$&')}"` : JSON.stringify(text);
}

const needsEscapes = /["\\]/;
const escaped = /["\\]/g;
const controls = /\p{Cc}/u;

/**
 * Returns the name of the violated index or constraint. Citus reports the names of the constraint and its table only in
 * the message, each with a shard number.
 */
function violatedNames({ constraint, message }: PostgresqlFailure): readonly string[] {
  if (constraint !== undefined) return [constraint];
  return [...message.matchAll(/\bbw_\w+?(?=_\d{6,}\b)/g)].map(([name]) => name);
}

function failureOf(error: unknown): DatabaseFailure {
  if (error instanceof ServerSilentError) return { kind: 'away' };
  if (isOfLostWorker(error)) return { kind: 'away' };
  if (error instanceof Error && connectionLost.test(error.message)) return { kind: 'away' };
  if (!isPostgresqlFailure(error)) return { kind: 'other' };
  const violated = violatedNames(error);
  if (error.code === FENCED_STATE || violated.includes(AWAY_CONSTRAINT)) return { kind: 'moving' };
  if (cannotWrite.test(error.code)) return { kind: 'no-room' };
  if (isServerAway.test(error.code) || unreachable.has(error.code)) return { kind: 'away' };
  if (retryable.has(error.code)) return { kind: 'retry' };
  if (error.code === lockNotAvailable) return { kind: 'lock-timeout' };
  if (error.code === inFailedTransaction) return { kind: 'aborted' };
  const [index] = violated;
  if (error.code === uniqueViolation && index !== undefined) {
    return { kind: 'unique', violation: { index } };
  }
  return { kind: 'other' };
}

function isPostgresqlFailure(error: unknown): error is PostgresqlFailure {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/**
 * Class of the advisory locks of transactions that publish events. The key has these 8 bits, 8 bits of the engine's
 * schema, 8 bits of the tenant, and the last 40 bits of the last record id before the transaction (a cell uses only
 * every 256th id). If two schemas or tenants have equal bits, they merely wait for each other.
 */
const TELLING_LOCKS = 0x62;
const HOME_BITS = sql`(${homeId}::bigint & 255)`;
const TENANT_BITS = 255;
const ID_BITS = 2 ** 40 - 1;
const HALF_OF_IDS = 2 ** 39;

/**
 * Inserts queue entries. Live entries and history share the sequence, so entries keep their ids. The lock must be taken
 * before the first record id.
 */
async function insertEntries(statements: Statements, entries: readonly EncodedEntry[]) {
  const columns = queueEntriesTable.written;
  const names = raw(`record_id, ${columns.map(({ name }) => name).join(', ')}`);
  const cells = entries.map((entry) => entry.cells);
  await statements.run(sql`
    with telling as materialized (${tellingLock(entries)}), numbered as materialized (
      select nextval(${sequence}) as record_id, r.*
      from telling cross join ${rowsAs('r', columns, cells)}
    ), processed as (
      insert into bw_queue_history (${names}) select ${names} from numbered where processing_state = 'PROCESSED' returning 1
    )
    insert into bw_queue_entries (${names})
    select ${names} from numbered where processing_state <> 'PROCESSED' ${liveConflict}`);
}

/** Selects the lock that announces published entries, if there are any. */
export function tellingLock(entries: readonly EncodedEntry[]): Sql {
  const announcedTenant = entries.find((entry) => entry.announcedTenant !== null)?.announcedTenant ?? null;
  return sql`
    select case when ${announcedTenant !== null}::boolean then pg_advisory_xact_lock_shared(
      (${TELLING_LOCKS}::bigint << 56) + (${HOME_BITS} << 48) + ((${announcedTenant ?? 0}::bigint & ${TENANT_BITS}) << 40)
        + (${lastEntry} & ${ID_BITS}))::text end`;
}

/**
 * Returns the record id up to which all published entries are visible. Sequence numbers are assigned before their
 * rows are committed. A transaction that the reader must wait for holds a lock with a lower number. Any other
 * transaction either took its lock later and has only greater numbers, or has ended and its rows are visible.
 */
async function feedHorizon(statements: Statements, tenantRecordId: number | null) {
  const ofTenant =
    tenantRecordId === null
      ? nothing
      : sql`and (classid::bigint >> 8) & ${TENANT_BITS} = ${tenantRecordId}::bigint & ${TENANT_BITS}`;
  const given = await statements.rows(sql`select ${lastEntry} as last`);
  const last = numberIn(given[0], 'last');
  // The lock keys contain only the lowest bits of the ids. The distance is negative for locks that are newer than
  // `last`.
  const held = await statements.rows(sql`
    select max(((${last}::bigint - (((classid::bigint & 255) << 32) | objid::bigint) + ${HALF_OF_IDS}) & ${ID_BITS})
      - ${HALF_OF_IDS}) as distance
    from pg_locks
    where locktype = 'advisory' and objsubid = 1
      and classid::bigint >> 16 = (${TELLING_LOCKS}::bigint << 8) + ${HOME_BITS} ${ofTenant}
      and database = (select oid from pg_database where datname = current_database())`);
  return last - Math.max(0, orNullIn(held[0], 'distance', numberIn) ?? 0);
}

async function moveEntries(statements: Statements, condition: Sql, outcome: string) {
  const { affected } = await statements.run(sql`
    with moved as (delete from bw_queue_entries where ${condition} returning *)
    insert into bw_queue_history (${raw(movedColumns)}, processing_state)
    select ${raw(movedColumns)}, ${outcome} from moved`);
  return affected;
}
