import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { besideDatabase, isPostgresqlUrl, shownDatabase } from './database.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

const bytesOfMebibyte = 1_048_576;

/**
 * Copies a SQLite database during operation to a new file; returns lines for people.
 * @throws UsageError for PostgreSQL; Error on failure.
 */
export async function backupDatabase(
  database: string,
  to: string,
  environment: Environment,
): Promise<readonly string[]> {
  if (isPostgresqlUrl(database))
    throw new UsageError(
      `PostgreSQL has a backup of its own: pg_dump --format=custom --file='${to}' '${asSuperuser(database)}', as a superuser or a role ` +
        `with BYPASSRLS; where the superuser has no password, as its user of the system (sudo -u postgres pg_dump …). ${ofKey(database, environment)}`,
    );
  if (database === ':memory:') throw new UsageError('a database in memory cannot be copied: name a file');
  const { backup } = await import('../mikro-orm/sqlite.ts');
  await backup({ path: database, to }).catch((error: unknown) => {
    throw copyFailure(error, to);
  });
  const mebibytes = ((await stat(to)).size / bytesOfMebibyte).toFixed(1);
  return [
    `Copied ${database} to ${to} (${mebibytes} MiB).`,
    ofKey(database, environment),
    `To put it back, stop the server, remove ${database}-wal and ${database}-shm, and copy ${to} over ${database}.`,
  ];
}

/** The key, which the copy needs but does not contain. */
function ofKey(database: string, environment: Environment): string {
  const file = besideDatabase(database, 'key');
  if (environment.BILLWRIGHT_SERVER_KEY)
    return 'Keep BILLWRIGHT_SERVER_KEY too, in another place: what is encrypted with it cannot be read without it.';
  return file !== null && existsSync(file)
    ? `Keep ${file} too, in another place: what is encrypted with it cannot be read without it.`
    : 'Keep the key of the server too (BILLWRIGHT_SERVER_KEY, or its .key file): what is encrypted cannot be read without it.';
}

/** Explains a problem with the target path; returns other errors unchanged. */
function copyFailure(error: unknown, to: string): unknown {
  if (!(error instanceof Error) || !String(Reflect.get(error, 'path')).startsWith(to)) return error;
  return Reflect.get(error, 'code') === 'EEXIST'
    ? new UsageError(`${to} is there already and is not overwritten: name another file with --to`)
    : new UsageError(`${to} cannot be written: name another file with --to (${error.message})`);
}

/** pg_dump refuses roles that row-level security applies to. */
function asSuperuser(database: string): string {
  const url = URL.parse(database);
  if (url === null) return shownDatabase(database);
  url.username = 'postgres';
  return shownDatabase(url.href);
}
