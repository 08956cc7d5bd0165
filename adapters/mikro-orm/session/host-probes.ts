import { compiled, type Transaction } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';

/** Whether a connection is inside a transaction, asked of the database, which goes on as it was. */
export async function isInTransaction(kind: Dialect['kind'], transaction: Transaction): Promise<boolean> {
  return kind === 'sqlite' ? isInSqlite(transaction) : isInPostgresql(transaction);
}

/** SQLite refuses to begin a transaction inside another one, and says so; that one goes on. */
async function isInSqlite(transaction: Transaction): Promise<boolean> {
  try {
    await transaction.executeQuery(compiled('begin'));
  } catch (error) {
    if (error instanceof Error && error.message.includes('within a transaction')) return true;
    throw error;
  }
  await transaction.executeQuery(compiled('rollback'));
  return false;
}

const noTransaction = '25P01';

/** PostgreSQL takes savepoints only inside a transaction. */
async function isInPostgresql(transaction: Transaction): Promise<boolean> {
  try {
    await transaction.executeQuery(compiled('savepoint bw_probe'));
    await transaction.executeQuery(compiled('release savepoint bw_probe'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === noTransaction) return false;
    throw error;
  }
}

const probes = {
  sqlite: {
    statement: "select 9007199254740991 as whole, '0.12345678901234567891' as exact",
    whole: '9007199254740991',
    exact: '0.12345678901234567891',
  },
  postgresql: {
    statement:
      'select 9007199254740991::bigint as whole, 0.12345678901234567891::numeric as exact, true as is_true',
    whole: '9007199254740991',
    exact: '0.12345678901234567891',
  },
};

/** Whether what is read comes with all its digits, in forms that ours are read from. */
export async function readsWhole(kind: Dialect['kind'], transaction: Transaction): Promise<boolean> {
  const { statement, whole, exact } = probes[kind];
  const [row] = (await transaction.executeQuery(compiled(statement))).rows;
  if (typeof row !== 'object' || row === null) return false;
  const read = Object.fromEntries(Object.entries(row));
  const hasBooleans = kind === 'sqlite' || read.is_true === true;
  return String(read.whole) === whole && read.exact === exact && hasBooleans;
}
