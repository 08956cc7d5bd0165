import type { Transaction } from '../sql/connection.ts';
import { cacheByKey, hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';

/** A `better-sqlite3` handle whose transaction the host has opened with `handle.exec('begin immediate')`. */
export interface SqliteHandle {
  readonly inTransaction: boolean;
  readonly open: boolean;
  readonly prepare: unknown;
}

interface UsedHandle extends SqliteHandle {
  prepare(text: string): {
    readonly reader: boolean;
    safeIntegers(isOn: boolean): unknown;
    all(parameters: readonly unknown[]): readonly unknown[];
    run(parameters: readonly unknown[]): { readonly changes: number };
  };
}

export const betterSqlite3: Recognise = (handle) => {
  const isOne =
    hasMethods(handle, 'prepare', 'exec') && typeof propertyOf(handle, 'inTransaction') === 'boolean';
  return isOne ? lenderForPool(handle as UsedHandle) : undefined;
};

function lenderForPool(handle: UsedHandle): Lender {
  return {
    database: 'sqlite',
    refusal: handle.inTransaction
      ? null
      : "within(handle) needs a better-sqlite3 handle with an open transaction: call handle.exec('begin immediate') first, and commit or roll back afterward (handle.transaction(…) ends before awaited work completes)",
    lend: async () => ({
      transaction: transactionOn(handle),
      connection: handle,
      isOpen: () => handle.open && handle.inTransaction,
    }),
    onCommit: null,
  };
}

const transactionOn = cacheByKey(
  (handle: UsedHandle): Transaction => ({
    executeQuery: async ({ sql: text, parameters }) => {
      const statement = handle.prepare(text);
      statement.safeIntegers(false);
      if (statement.reader) return { rows: statement.all(parameters) };
      return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
    },
  }),
);
