import type { Row } from '../sql/columns.ts';
import type { Transaction } from '../sql/connection.ts';
import { cacheByKey, hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';

/**
 * A transaction that the host begins and ends, with any library. Always pass the same object for the same transaction.
 */
export interface SqlTransaction {
  readonly dialect: 'sqlite' | 'postgresql';
  /**
   * Runs one statement with the placeholders of the database: `?` on SQLite, `$1`, `$2` … on PostgreSQL. Amounts
   * (`numeric`) and large integers must be text or exact numbers, not doubles. Days must be text or a `Date` at local
   * midnight.
   */
  query(
    text: string,
    values: readonly unknown[],
  ): Promise<{
    readonly rows: readonly object[];
    /** Number of changed rows. If absent or null, the number of returned rows is used. */
    readonly rowCount?: number | bigint | null | undefined;
  }>;
}

/** Recognizes a transaction for which the host supplies its own query function. */
export const sqlTransaction: Recognise = (handle) => {
  const dialect = propertyOf(handle, 'dialect');
  const isOne = hasMethods(handle, 'query') && (dialect === 'sqlite' || dialect === 'postgresql');
  return isOne ? lenderForPool(handle as SqlTransaction) : undefined;
};

export function lenderForPool(lending: SqlTransaction): Lender {
  return {
    database: lending.dialect,
    refusal: null,
    lend: async () => ({ transaction: transactionOver(lending), connection: lending, isOpen: null }),
    onCommit: null,
  };
}

const transactionOver = cacheByKey(
  (lending: SqlTransaction): Transaction => ({
    executeQuery: async ({ sql: text, parameters }) => {
      const { rows, rowCount } = await lending.query(text, parameters);
      const read = lending.dialect === 'postgresql' ? rows.map(withDaysAsText) : rows;
      return {
        rows: read,
        numAffectedRows: typeof rowCount === 'number' ? BigInt(rowCount) : (rowCount ?? undefined),
      };
    },
  }),
);

/**
 * Returns the row with days as text. By default, drivers return days as `Date` at local midnight. No column has any
 * other native date type.
 */
function withDaysAsText(row: object): Row {
  const entries = Object.entries(row);
  if (!entries.some(([, value]) => value instanceof Date)) return row as Row;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Date ? localDay(value) : value]),
  );
}

function localDay(date: Date) {
  const digits = (value: number, length: number): string => String(value).padStart(length, '0');
  return [digits(date.getFullYear(), 4), digits(date.getMonth() + 1, 2), digits(date.getDate(), 2)].join('-');
}
