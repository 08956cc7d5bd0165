import { setTimeout } from 'node:timers/promises';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { sql } from '../sql/sql.ts';

/**
 * Milliseconds that a change waits for the lock of a table. While it waits, the change delays everything that writes to
 * the table. It therefore gives up early and tries again.
 */
const LOCK_WAIT_MS = 1_000;
const PAUSE_MS = 200;
const MOST_ATTEMPTS = 50;

/**
 * Configures the connection so that rows of the moving tenant may be written, and so that dates have the same text in
 * all databases.
 */
export async function becomeMover(runner: Runner): Promise<void> {
  await Promise.all([
    runner.run(sql`set local billwright.mover = 'on'`),
    runner.run(sql`set local datestyle = 'ISO, MDY'`),
  ]);
}

/**
 * Runs a transaction that locks a table. Repeats the transaction if other transactions lock the table for a long time.
 */
export async function patiently<T>(access: SystemAccess, work: (runner: Runner) => Promise<T>): Promise<T> {
  const wait = access.dialect.lockTimeout(LOCK_WAIT_MS);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await access.transact(async (runner) => {
        await becomeMover(runner);
        if (wait !== null) await runner.run(wait);
        return work(runner);
      });
    } catch (error) {
      if (access.dialect.failureOf(error).kind !== 'lock-timeout') throw error;
      if (attempt === MOST_ATTEMPTS) throw tablesAreBusy(error);
    }
    await setTimeout(PAUSE_MS);
  }
}

function tablesAreBusy(cause: unknown) {
  return new BillingError({
    code: ErrorCode.BUSY,
    message:
      'The move could not lock a table, because long-running transactions are writing to it. Run the move again; the move continues where it stopped',
    cause,
  });
}
