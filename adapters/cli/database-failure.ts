import { isPostgresqlUrl, shownDatabase, urlForm } from './database.ts';
import { missingPackages, packagesOf } from './missing-packages.ts';
import { UsageError } from './usage-error.ts';

/** What a command needs of what is outside: a database, and packages beside those of the database. */
export interface Reached {
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  readonly needed?: readonly string[];
}

/** What is missing outside of this program, in words that say all. */
export class MissingError extends Error {
  override readonly name = 'MissingError';
}

/** Does what needs a database. @throws MissingError that names it, with the way out, where it cannot be used. */
export async function reachingDatabase<T>(
  { database, needed = [] }: Reached,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const drivers = isPostgresqlUrl(database) ? packagesOf.postgresql : packagesOf.sqlite;
    const message =
      missingPackages(error, [...drivers, ...packagesOf.log, ...needed]) ?? databaseFailure(error, database);
    throw message === null ? error : new MissingError(message, { cause: error });
  }
}

/** A sentence for what a database or its driver refuses at the start, and the way out; null for any other error. */
export function databaseFailure(error: unknown, database: string): string | null {
  const shown = shownDatabase(database);
  if (isPostgresqlUrl(database) && URL.parse(database) === null) return `The database ${urlForm}`;
  for (const each of causesOf(error)) {
    // A port that cannot be had is no fault of the database, nor is the address of the server.
    if (Reflect.get(each, 'syscall') === 'listen' || isOfAnotherHost(each, database)) return null;
    const code = String(Reflect.get(each, 'code') ?? '');
    const wayOut = isPostgresqlUrl(database)
      ? postgresqlFault(code, each, database)
      : sqliteFault(code, each);
    if (wayOut !== null) return `The database ${shown} ${wayOut} (${each.message})`;
  }
  return error instanceof Error && error.message.startsWith('The database ')
    ? error.message.replace('The database', `The database ${shown}`)
    : null;
}

function isOfAnotherHost(error: Error, database: string): boolean {
  const name: unknown = Reflect.get(error, 'hostname');
  return Reflect.get(error, 'syscall') === 'getaddrinfo' && name !== URL.parse(database)?.hostname;
}

/** What went wrong with a server, by its SQLSTATE or the code of the connection. */
function postgresqlFault(code: string, error: Error, database: string): string | null {
  const { pathname = '', username = '' } = URL.parse(database) ?? {};
  const [name, user] = [pathname.slice(1), username].map(decodeURIComponent);
  switch (code) {
    case 'ECONNREFUSED':
      return 'cannot be reached: nothing listens there. Start PostgreSQL, or correct host and port';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'cannot be reached: no host has that name. Correct the host';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ECONNRESET':
      return 'cannot be reached: correct host and port, or let the network reach it';
    case '28P01':
      return 'refuses the password: correct user and password in the URL';
    case 'ENOENT':
      return 'cannot be reached: a socket or file that its URL names is not there. Correct the URL';
    case '28000':
      if (error.message.includes('no encryption'))
        return 'takes no connections without TLS: add ?sslmode=verify-full to its URL';
      return 'refuses the user: correct the user, or pg_hba.conf of the server';
    case '3D000':
      return `is not there: create it, createdb ${user === '' ? '' : `--owner=${user} `}${name}, or correct the name`;
    case '42501':
      return 'does not let its user do this: connect as the role that owns the tables, or grant it the right';
    case '53300':
      return 'has no connection left: raise max_connections, or end others';
    case '57P03':
      return 'is starting or stopping: try again in a moment';
    default:
      if (/certificate|altnames/.test(error.message))
        return 'shows a certificate that is not trusted: name the file of its authority, &sslrootcert=…, or correct the host in its URL';
      return /SSL|SASL/.test(error.message)
        ? 'cannot be reached as the URL says: look at its password and sslmode'
        : null;
  }
}

/** What went wrong with a file, by the code of SQLite or of the file system. */
function sqliteFault(code: string, { message }: Error): string | null {
  if (code === 'SQLITE_NOTADB') return 'is no SQLite file: name another with --database';
  if (code.startsWith('SQLITE_CORRUPT')) return 'is damaged: put a backup in its place';
  if (code.startsWith('SQLITE_READONLY') || code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return 'cannot be written: let the user of this process write the file and its directory';
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED')
    return 'is locked by another process: end it, or try again in a moment';
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return 'cannot grow: make room on its disk';
  if (code.startsWith('SQLITE_CANTOPEN') || /directory does not exist/.test(message))
    return 'cannot be opened: its directory and file have to be there, for the user of this process to read and write; name another with --database';
  return null;
}

/** The error, what caused it, and of several attempts to connect each one. */
function causesOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(causesOf) : [];
  return [...(error.message === '' ? [] : [error]), ...inner, ...causesOf(error.cause)];
}
