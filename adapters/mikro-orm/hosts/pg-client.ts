import type { CompiledStatement, Transaction } from '../sql/connection.ts';
import { cacheByKey, hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';

/** A client of the driver `pg` whose transaction the host has opened with `await client.query('begin')`. */
export interface PgClient {
  readonly query: unknown;
  escapeIdentifier(text: string): string;
}

interface UsedClient {
  query(statement: {
    readonly text: string;
    readonly values: readonly unknown[];
    readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
  }): Promise<{
    readonly command: string;
    readonly rowCount: number | null;
    readonly rows: readonly unknown[];
  }>;
  getTypeParser(oid: number, format?: string): (text: string) => unknown;
  /**
   * Returns the state of the transaction: I = idle, T = in a transaction, E = in a failed transaction. Older drivers do
   * not have this function.
   */
  getTransactionStatus?(): string | null;
}

export const pgClient: Recognise = (handle) =>
  hasMethods(handle, 'query', 'escapeIdentifier', 'getTypeParser')
    ? lenderForPool(handle as object & UsedClient)
    : undefined;

/**
 * Recognizes a pool. Passing a pool is a likely mistake, because the pool may run each statement on a different
 * connection.
 */
export function isPgPool(handle: unknown): boolean {
  return hasMethods(handle, 'query', 'connect') && typeof propertyOf(handle, 'totalCount') === 'number';
}

function lenderForPool(client: UsedClient): Lender {
  return {
    database: 'postgresql',
    refusal: refusalOf(client.getTransactionStatus?.() ?? null),
    lend: async () => ({
      transaction: transactionOn(client),
      connection: client,
      isOpen: client.getTransactionStatus ? () => client.getTransactionStatus?.() !== 'I' : null,
    }),
    onCommit: null,
  };
}

function refusalOf(status: string | null): string | null {
  if (status === 'I') {
    return "within(client) needs a pg client with an open transaction: run await client.query('begin') first, and commit or roll back afterward";
  }
  if (status === 'E') {
    return 'within(client) received a pg client whose transaction has already failed: PostgreSQL only allows a rollback';
  }
  return null;
}

const transactionOn = cacheByKey((client: UsedClient): Transaction => {
  const types = { getTypeParser: parsersOf(client) };
  return {
    executeQuery: async ({ sql: text, parameters: values }: CompiledStatement) => {
      const { command, rowCount, rows } = await client.query({ text, values, types });
      return { rows, numAffectedRows: command === 'SELECT' ? undefined : BigInt(rowCount ?? 0) };
    },
  };
});

/**
 * Ids of types whose values are parsed from text, because the host's driver may be configured to return doubles or
 * instants.
 */
const asText = new Set([20, 1082, 1114, 1184, 1186, 1700]);
const booleanType = 16;

function parsersOf(client: UsedClient): UsedClient['getTypeParser'] {
  return (oid, format) => {
    if (format === 'binary') return client.getTypeParser(oid, format);
    if (asText.has(oid)) return String;
    if (oid === booleanType) return (text) => text === 't';
    return client.getTypeParser(oid, format);
  };
}
