import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Row } from '../sql/columns.ts';
import { cacheByKey, hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';
import { lenderForPool, type SqlTransaction } from './sql-transaction.ts';

/** Prisma's transaction with a driver adapter, from `prisma.$transaction(async (tx) => …)`. */
export interface PrismaTransaction {
  readonly $queryRawUnsafe: unknown;
  readonly $executeRawUnsafe: unknown;
  /** Always absent. Prisma's client has a method with this name, but its transactions do not. */
  readonly $connect?: undefined;
}

interface UsedPrisma {
  readonly _activeProvider?: string;
  $queryRawUnsafe(text: string, ...values: readonly unknown[]): Promise<readonly object[]>;
  $executeRawUnsafe(text: string, ...values: readonly unknown[]): Promise<number>;
}

export const prisma: Recognise = (handle) => {
  if (!hasMethods(handle, '$queryRawUnsafe', '$executeRawUnsafe')) return undefined;
  const tx = handle as UsedPrisma;
  const database = databaseOf(tx);
  const lender = lenderForPool(lendingOf(tx));
  return {
    ...lender,
    database: database ?? 'sqlite',
    refusal: refusalOf(tx, database),
    lend: async () => ({ ...(await lender.lend()), refusesAfterEnd: true }),
  };
};

function refusalOf(tx: UsedPrisma, database: Lender['database'] | null): string | null {
  if (hasMethods(tx, '$connect')) {
    return 'within(tx) received a Prisma client outside of a transaction: call it inside prisma.$transaction(async (tx) => …), with that tx';
  }
  return database === null
    ? `within(tx) supports Prisma transactions on PostgreSQL and SQLite; this one is on ${propertyOf(tx, '_activeProvider') ?? 'another database'}`
    : null;
}

function databaseOf({ _activeProvider: provider }: UsedPrisma): Lender['database'] | null {
  return provider === 'sqlite' || provider === 'postgresql' ? provider : null;
}

const lendingOf = cacheByKey((tx: UsedPrisma): SqlTransaction => {
  const dialect = databaseOf(tx) ?? 'postgresql';
  const run: SqlTransaction['query'] = async (text, values) => {
    try {
      if (!returnsRows(text)) return { rows: [], rowCount: await tx.$executeRawUnsafe(text, ...values) };
      const rows = await tx.$queryRawUnsafe(text, ...values);
      return { rows: rows.map((row) => plainRow(row, dialect)) };
    } catch (error) {
      throw translatePrismaError(error);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    dialect,
    // Prisma batches concurrent statements and rolls back the transaction if one of them fails.
    query: (text, values) => {
      const result = last.then(() => run(text, values));
      last = result.catch(() => undefined);
      return result;
    },
  };
});

function plainRow(row: object, dialect: Lender['database']): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value, dialect)]));
}

/** Returns the value in the form that the driver returns. Large integers, amounts and days are text. */
function plain(value: unknown, dialect: Lender['database']): unknown {
  if (typeof value === 'bigint') return dialect === 'sqlite' ? numberIfSafe(value) : String(value);
  // Prisma returns days as instants at midnight UTC. Our tables have no other native instants.
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (Array.isArray(value)) return value.map((each) => plain(each, dialect));
  return isDecimal(value) ? value.toFixed() : value;
}

function numberIfSafe(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function isDecimal(value: unknown): value is { toFixed(): string } {
  return typeof value === 'object' && hasMethods(value, 'toFixed', 'decimalPlaces');
}

/** Prisma's error code for a transaction that has ended, for example because it exceeded its time limit. */
const ended = 'P2028';
const lostConnection = new Set(['ConnectionClosed', 'DatabaseNotReachable']);

/** Returns the database error inside Prisma's error, with its code. */
function translatePrismaError(error: unknown): unknown {
  if (propertyOf(error, 'code') === ended) {
    return new BillingError({
      code: ErrorCode.MISSING_OR_INVALID_FIELD,
      message: `within(tx) received a Prisma transaction that has already ended or timed out (${lastLineOf(error)}). To allow more time, use prisma.$transaction(work, { timeout })`,
      facts: { field: 'host' },
      cause: error,
    });
  }
  const cause = propertyOf(propertyOf(propertyOf(error, 'meta'), 'driverAdapterError'), 'cause');
  if (lostConnection.has(String(propertyOf(cause, 'kind')))) {
    return Object.assign(new Error('The connection to the database was lost', { cause: error }), {
      code: 'ECONNRESET',
    });
  }
  const message = propertyOf(cause, 'originalMessage');
  if (typeof message !== 'string') return error;
  return Object.assign(new Error(message, { cause: error }), {
    code: propertyOf(cause, 'originalCode'),
    constraint: propertyOf(propertyOf(cause, 'constraint'), 'index'),
  });
}

function lastLineOf(error: unknown) {
  return String(propertyOf(error, 'message')).trim().split('\n').at(-1) ?? '';
}

/** Maximum number of cached statements. Billwright has few different statements, and their texts do not vary. */
const MOST_REMEMBERED = 1_000;
const remembered = new Map<string, boolean>();

/**
 * Returns true if a statement returns rows. Some libraries have different functions for statements with and without
 * rows.
 */
export function returnsRows(text: string): boolean {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const returns = readsRows(text);
  if (remembered.size < MOST_REMEMBERED) remembered.set(text, returns);
  return returns;
}

function readsRows(text: string) {
  const statement = withoutParentheses(text.replaceAll(/'[^']*'/g, ''));
  const [verb = ''] = /\b(?:select|values|pragma|insert|update|delete)\b/i.exec(statement) ?? [];
  return /^(?:select|values|pragma)$/i.test(verb) || /\breturning\b/i.test(statement);
}

/** Returns the text outside parentheses. A subquery that returns rows does not mean that the statement returns rows. */
function withoutParentheses(text: string) {
  const inner = /\([^()]*\)/g;
  let left = text;
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replaceAll(inner, '');
  }
  return left;
}
