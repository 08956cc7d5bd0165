import { betterSqlite3 } from './better-sqlite3.ts';
import { hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';
import { pgClient } from './pg-client.ts';

/** Drizzle's transaction over `pg`, as `db.transaction(async (tx) => …)` gives it. */
export interface DrizzleTransaction {
  readonly _: { readonly session: unknown };
  rollback(): never;
}

/**
 * Drizzle, inside a transaction over `pg` or outside. Its transactions over `better-sqlite3` end before anything can be
 * awaited: there a host begins one on the handle, `db.$client`.
 */
export const drizzle: Recognise = (handle) => {
  const session = propertyOf(propertyOf(handle, '_'), 'session') ?? propertyOf(handle, 'session');
  if (session === undefined || !hasMethods(handle, 'select', 'insert')) return undefined;
  const client = propertyOf(session, 'client');
  const lender = pgClient(client) ?? betterSqlite3(client);
  if (lender !== undefined) return lender;
  return { ...refusing, refusal: refusalOf(handle) };
};

const refusing: Omit<Lender, 'refusal'> = {
  database: 'postgresql',
  lend: () => Promise.reject(new TypeError('This handle lends no transaction')),
  onCommit: null,
};

function refusalOf(handle: object): string {
  return hasMethods(handle, 'rollback')
    ? 'within(tx) can join transactions of Drizzle over the drivers pg and better-sqlite3; this one is over another driver'
    : 'within(tx) was given Drizzle outside a transaction: call it inside db.transaction(async (tx) => …), with that tx';
}
