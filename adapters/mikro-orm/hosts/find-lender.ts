import { betterSqlite3 } from './better-sqlite3.ts';
import { entityManager } from './entity-manager.ts';
import type { Lender, Recognise } from './lender.ts';
import { isPgPool, pgClient } from './pg-client.ts';
import { prisma } from './prisma.ts';
import { drizzle, knex, kysely } from './query-builders.ts';
import { sqlTransaction } from './sql-transaction.ts';

const libraries: readonly Recognise[] = [
  entityManager,
  pgClient,
  betterSqlite3,
  kysely,
  knex,
  drizzle,
  prisma,
  sqlTransaction,
];

/** Returns the lender for a handle. If the handle is unknown, returns an error message. */
export function findLender(handle: unknown): Lender | string {
  for (const recognise of libraries) {
    const lender = recognise(handle);
    if (lender !== undefined) return lender;
  }
  const taken =
    "a transaction begun by the host application: MikroORM's entity manager inside em.transactional(async (em) => …), a pg client after BEGIN, a better-sqlite3 handle after BEGIN, the trx of Kysely or Knex, the tx of Drizzle or Prisma, or an object with dialect and query";
  const given = isPgPool(handle)
    ? 'a pg pool, which may use a different connection for each statement: get a client with await pool.connect()'
    : describeHandle(handle);
  return `within(handle) accepts ${taken}; it received ${given}`;
}

function describeHandle(value: unknown) {
  if (value === null || typeof value !== 'object')
    return `a value of type ${value === null ? 'null' : typeof value}`;
  return `a ${value.constructor?.name ?? 'object without a class'}`;
}
