import type { Column } from '../sql/columns.ts';
import {
  type CompiledStatement,
  compileStatement,
  type Reach,
  type Statements,
  type Transaction,
  type Transactions,
} from '../sql/connection.ts';
import type { Dialect, EncodedEntry } from '../sql/dialect.ts';
import { nothing, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { liveConflict, queueEntriesTable } from '../tables/queue.ts';
import { postgresqlDialect, sequence, tellingLock } from './dialect.ts';
import { TENANT_SETTING } from './tenant-policy.ts';
import { eachInTransaction } from './transactions.ts';

/** Returns a row if the database has Citus. */
export const FIND_CITUS = `select 1 from pg_extension where extname = 'citus'`;

/**
 * Returns transactions for Citus. For row-level security on Citus workers, the setting `citus.propagate_set_commands`
 * must be `local`.
 */
export function citusTransactions(transactions: Transactions): Transactions {
  const adaptedHosts = new WeakMap<Transaction, Transaction>();
  const run: Transactions['run'] = (kind, work) =>
    transactions.run(kind, async (transaction) => {
      // This statement is sent together with the first statements of the connection.
      // If this statement fails, the other statements fail too.
      passOn(transaction, kind.reach).catch(() => undefined);
      return work(adaptTransaction(transaction));
    });
  return {
    run,
    single: (reach) => eachInTransaction(run, reach),
    join: (host, reach, work) =>
      transactions.join(host, reach, async () => {
        const adaptedHost = adaptedHosts.get(host) ?? adaptTransaction(host);
        adaptedHosts.set(host, adaptedHost);
        await passOn(host, reach);
        try {
          return await work(adaptedHost);
        } finally {
          await passOn(host, null).catch(() => undefined); // the host's transaction has failed
        }
      }),
  };
}

const ENTRY_IDS = 'billwright.entry_ids';
const positionColumn: Column = { name: 'position', type: 'bigint', nullable: false };

/**
 * Inserts queue entries like the PostgreSQL dialect, but without a common table expression. Citus would send the rows
 * of such an expression to all workers before the insert, so the insert would need all workers. The coordinator keeps
 * the record ids in a setting, so the statements do not wait for each other's results.
 */
async function insertEntries(statements: Statements, entries: readonly EncodedEntry[]): Promise<void> {
  const columns = queueEntriesTable.written;
  const names = raw(columns.map(({ name }) => name).join(', '));
  const numbering = sql`
    select set_config(${ENTRY_IDS}, array_agg(nextval(${sequence}))::text, true)
    from (${tellingLock(entries)} offset 0) as telling cross join generate_series(1, ${entries.length}::int)`;
  const insertStatement = (table: string, isLive: boolean, conflict: Sql) => {
    const rows = entries.flatMap(({ cells, live }, index) =>
      live === isLive ? [[index + 1, ...cells]] : [],
    );
    if (rows.length === 0) return [];
    return sql`
      insert into ${raw(table)} (record_id, ${names})
      select (current_setting(${ENTRY_IDS})::bigint[])[r.position], ${names}
      from ${rowsAs('r', [positionColumn, ...columns], rows)} where true ${conflict}`;
  };
  const inserts = [
    insertStatement('bw_queue_history', false, nothing),
    insertStatement('bw_queue_entries', true, liveConflict),
  ].flat();
  await Promise.all([numbering, ...inserts].map((each) => statements.run(each)));
}

export const citusDialect: Dialect = { ...postgresqlDialect, insertEntries };

/** Sets the tenant scope on the workers. */
async function passOn(transaction: Transaction, reach: Reach | null): Promise<void> {
  await transaction.executeQuery(setLocalStatement(TENANT_SETTING, String(reach ?? '')));
}

/**
 * Returns a statement that changes a setting. Citus sends `set local` to its workers, but not calls of `set_config`.
 */
function setLocalStatement(name: string, value: string): CompiledStatement {
  return compileStatement(`set local ${name} = '${value.replaceAll("'", "''")}'`);
}

const SETTING = /^select set_config\('([\w.]+)', \$1, true\)$/;
/** Matches statements that insert selected rows and return nothing. */
const SILENT_INSERT =
  /^\s*(?:with (?:moved|submitted)|insert into)(?!.* (?:returning|on conflict) (?!\*\)))/s;

/**
 * Returns the statement in a form that Citus supports. Citus copies the rows of an insert without a result to the
 * worker, and row-level security forbids `copy`. Therefore each insert returns a constant.
 */
function citusForm(statement: CompiledStatement): CompiledStatement {
  const { sql, parameters } = statement;
  const [, setting] = SETTING.exec(sql) ?? [];
  if (setting !== undefined) return setLocalStatement(setting, String(parameters[0]));
  return SILENT_INSERT.test(sql) ? { ...statement, sql: `${sql} returning 1` } : statement;
}

/** Statements that Citus accepts only with a specific setting. The setting is restored afterward. */
const SETTINGS_OF_CHANGES = [
  // Only the coordinator assigns record ids, so the sequences on the workers do not matter.
  { statement: /^\s*alter sequence/, name: 'citus.enable_ddl_propagation', value: 'off', usual: 'on' },
  // The triggers use only tables of the same schema, which are on the same worker.
  {
    statement: /^\s*(?:create or replace|drop) trigger/,
    name: 'citus.enable_unsafe_triggers',
    value: 'on',
    usual: 'off',
  },
];

function adaptTransaction(transaction: Transaction): Transaction {
  return {
    executeQuery: async (statement) => {
      const setting = SETTINGS_OF_CHANGES.find((each) => each.statement.test(statement.sql));
      if (setting === undefined) return transaction.executeQuery(citusForm(statement));
      await transaction.executeQuery(setLocalStatement(setting.name, setting.value));
      const result = await transaction.executeQuery(statement);
      await transaction.executeQuery(setLocalStatement(setting.name, setting.usual));
      return result;
    },
  };
}
