import { setTimeout } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { BillingError, ErrorCode } from '../../adapters/node/billwright.ts';

export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly company: string;
  readonly password_hash: string;
  readonly account_id: string;
  readonly subscription_id: string;
}

export interface Session {
  readonly token_hash: string;
  readonly customer_id: string;
  readonly expires_at: string;
}

export interface BillingEvent {
  readonly id: string;
  readonly account_id: string;
  readonly type: string;
  readonly received_at: string;
}

export const isPostgresql = (place: string): boolean => place.startsWith('postgres');

/** Opens the application's own connection to the database that it shares with Billwright, and creates its tables. */
export async function openDatabase(place: string): Promise<Knex> {
  const db = isPostgresql(place)
    ? knex({ client: 'pg', connection: place })
    : knex({
        client: 'better-sqlite3',
        connection: { filename: place },
        useNullAsDefault: true,
        pool: { afterCreate: failWhenLocked },
      });
  if (await db.schema.hasTable('customers')) return db;
  await db.schema
    .createTable('customers', (table) => {
      table.string('id').primary();
      table.string('email').notNullable().unique();
      for (const name of ['company', 'password_hash', 'account_id', 'subscription_id'])
        table.string(name).notNullable();
    })
    .createTable('sessions', (table) => {
      table.string('token_hash').primary();
      table.string('customer_id').notNullable();
      table.string('expires_at').notNullable();
    })
    .createTable('billing_events', (table) => {
      table.string('id').primary();
      table.string('account_id').notNullable().index();
      table.string('type').notNullable();
      table.string('received_at').notNullable();
    });
  return db;
}

interface Sqlite {
  pragma(text: string): unknown;
}

/** SQLite would block the whole process, and Billwright with it; `unlocked` waits instead. */
function failWhenLocked(connection: Sqlite, done: (error: null, connection: Sqlite) => void): void {
  connection.pragma('busy_timeout = 0');
  done(null, connection);
}

const RETRY_AFTER_MS = 10;
const MOST_TRIES = 500;

/** Runs a write of the application. On SQLite, repeats it while Billwright writes to the same file. */
export async function unlocked<T>(write: () => PromiseLike<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries === MOST_TRIES || !isBusy(error)) throw error;
      await setTimeout(RETRY_AFTER_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  if (error instanceof BillingError) return error.code === ErrorCode.BUSY;
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
}
