import { type CompiledStatement, compiled } from '../sql/connection.ts';
import { hasMethods, kept, type Lender, propertyOf, type Recognise } from './lender.ts';
import { lenderOver, type SqlTransaction } from './sql-transaction.ts';

/** Kysely's transaction, as `db.transaction().execute(async (trx) => …)` gives it. */
export interface KyselyTransaction {
  readonly isTransaction: boolean;
  readonly executeQuery: unknown;
  readonly getExecutor: unknown;
}

/** The parts of it that are used. */
interface UsedKysely {
  readonly isTransaction: boolean;
  /** Only of a transaction that the host ends itself. */
  readonly isCommitted?: boolean;
  readonly isRolledBack?: boolean;
  getExecutor(): { readonly adapter: object };
  withoutPlugins(): UsedKysely;
  executeQuery(statement: CompiledStatement): Promise<{
    readonly rows: readonly object[];
    readonly numAffectedRows?: bigint;
  }>;
}

/** Kysely, inside a transaction or outside. */
export const kysely: Recognise = (handle) => {
  const isOne =
    hasMethods(handle, 'executeQuery', 'getExecutor', 'withoutPlugins') &&
    typeof propertyOf(handle, 'isTransaction') === 'boolean';
  if (!isOne) return undefined;
  const trx = handle as UsedKysely;
  const database = databaseOf(trx);
  return database === null ? undefined : { ...lenderOver(lendingOf(trx)), database, refusal: refusalOf(trx) };
};

function refusalOf(trx: UsedKysely): Lender['refusal'] {
  if (!trx.isTransaction) {
    return 'within(trx) was given a Kysely instance outside a transaction: call it inside db.transaction().execute(async (trx) => …), with that trx';
  }
  return trx.isCommitted || trx.isRolledBack
    ? 'within(trx) was given a Kysely transaction that has ended already'
    : null;
}

function databaseOf(trx: UsedKysely): Lender['database'] | null {
  const { name } = trx.getExecutor().adapter.constructor;
  if (/sqlite/i.test(name)) return 'sqlite';
  return /postgres/i.test(name) ? 'postgresql' : null;
}

const lendingOf = kept((trx: UsedKysely): SqlTransaction => {
  // A plugin of the host would rename our columns.
  const plain = trx.withoutPlugins();
  return {
    dialect: databaseOf(trx) ?? 'postgresql',
    query: async (text, values) => {
      const { rows, numAffectedRows } = await plain.executeQuery(compiled(text, values));
      return { rows, rowCount: numAffectedRows };
    },
  };
});
