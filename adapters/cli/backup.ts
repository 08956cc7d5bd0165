import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isPostgresqlUrl, pathBesideDatabase, shownDatabase } from './database.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

const bytesOfMebibyte = 1_048_576;

/**
 * Copies a SQLite database to a new file while the server runs. Returns the lines to print.
 * @throws UsageError for a PostgreSQL database, or Error if the copy fails.
 */
export async function backupDatabase(
  database: string,
  to: string,
  environment: Environment,
): Promise<readonly string[]> {
  if (isPostgresqlUrl(database))
    throw new UsageError(
      `Back up PostgreSQL with its own tool: pg_dump --format=custom --file='${to}' '${shownDatabase(database, 'postgres')}', as a superuser or a role ` +
        `with BYPASSRLS; if the superuser has no password, as its operating system user (sudo -u postgres pg_dump …). ${ofKey(database, environment)}`,
    );
  if (database === ':memory:') throw new UsageError('an in-memory database cannot be copied: specify a file');
  const { backup } = await import('../mikro-orm/sqlite.ts');
  await backup({ path: database, to }).catch((error: unknown) => {
    throw copyFailure(error, to);
  });
  const mebibytes = ((await stat(to)).size / bytesOfMebibyte).toFixed(1);
  return [
    `Copied ${database} to ${to} (${mebibytes} MiB).`,
    ofKey(database, environment),
    `To restore it, stop the server, remove ${database}-wal and ${database}-shm, and copy ${to} over ${database}.`,
  ];
}

/** Returns a note about the encryption key. The copy does not contain the key but cannot be used without it. */
function ofKey(database: string, environment: Environment): string {
  const file = pathBesideDatabase(database, 'key');
  if (environment.BILLWRIGHT_SERVER_KEY)
    return 'Also keep BILLWRIGHT_SERVER_KEY in a separate place: encrypted data cannot be read without it.';
  return file !== null && existsSync(file)
    ? `Also keep ${file} in a separate place: encrypted data cannot be read without it.`
    : 'Also keep the server key (BILLWRIGHT_SERVER_KEY, or its .key file): encrypted data cannot be read without it.';
}

/** Returns a clearer error if the target path caused the error. Returns other errors unchanged. */
function copyFailure(error: unknown, to: string): unknown {
  if (!(error instanceof Error) || !String(Reflect.get(error, 'path')).startsWith(to)) return error;
  return Reflect.get(error, 'code') === 'EEXIST'
    ? new UsageError(`${to} already exists and is not overwritten: specify a different file with --to`)
    : new UsageError(`${to} cannot be written: specify a different file with --to (${error.message})`);
}
