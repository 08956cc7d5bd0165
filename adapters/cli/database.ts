import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { isPostgresqlUrl, parseConnectionUrl, sessionFault } from '../mikro-orm/postgresql/connection-url.ts';
import type { ServerDefinition } from '../server/index.ts';
import type { Configured } from './configuration/configured.ts';
import { missingPackages, packagesOf } from './packages.ts';
import { UsageError } from './usage-error.ts';

export { isPostgresqlUrl };

const productionFile = 'billwright.db';
/** Database file of test mode. It is a separate file, so that test data never reaches production. */
const testFile = 'billwright-test.db';

/**
 * Returns the database from `--database`, otherwise from BILLWRIGHT_DATABASE (which hides passwords from process
 * lists), otherwise from the configuration file, otherwise a SQLite file in the working directory. If there are cells,
 * this is the database of the directory.
 * @throws UsageError for an invalid name, such as one with a misspelled URL scheme.
 */
export function databaseOf(
  option: string | undefined,
  { definition, environment }: Pick<Configured, 'definition' | 'environment'>,
  { testMode }: { readonly testMode: boolean },
): string {
  const [firstCell] = Object.values(definition.cells ?? {});
  const given = option ?? (environment.BILLWRIGHT_DATABASE || (definition.database ?? firstCell));
  const database = given ?? (testMode ? testFile : productionFile);
  const fault = faultOf(database);
  if (fault === null) return database;
  const source =
    option !== undefined
      ? '--database'
      : environment.BILLWRIGHT_DATABASE
        ? 'BILLWRIGHT_DATABASE'
        : 'the database of the configuration file';
  throw new UsageError(`${source} ${fault}`);
}

/** URLs of the cells by name. */
export type CellUrls = Readonly<Record<string, string>>;

/**
 * Returns the cells from the configuration file, or null.
 * @throws UsageError if the directory or a cell is not a PostgreSQL database.
 */
export function cellsOf({ cells }: ServerDefinition, directory: string): CellUrls | null {
  if (cells === undefined) return null;
  for (const [name, url] of Object.entries({ ...cells, directory }))
    if (!isPostgresqlUrl(url))
      throw new UsageError(`cells need PostgreSQL: the URL of ${name} must begin with postgresql://`);
  return cells;
}

const urlForm =
  'is not a URL such as postgresql://user:password@host:5432/name; encode @, :, / and % in a password as %40, %3A, %2F and %25';

/**
 * Returns a description of the problem with a database name, or null if the name is valid. The message does not contain
 * the name, which may include a password.
 */
function faultOf(database: string): string | null {
  if (isPostgresqlUrl(database)) {
    const name = nameOfUrl(database);
    if (name === null) return urlForm;
    if (parseConnectionUrl(database)?.requires === null) return sessionFault;
    return name === '' ? 'does not name a database: use postgresql://user:password@host:5432/name' : null;
  }
  const looksLikeUrl = /^(?:[a-z][\w+.-]*:\/\/|(?:postgres\w*|jdbc|sqlite|file):)/i.test(database);
  const looksLikeParameters = /(?:^|\s)(?:host|dbname|user)\s*=/.test(database);
  return database === '' || looksLikeUrl || looksLikeParameters
    ? 'is neither the path of a SQLite file nor a URL that begins with postgresql://'
    : null;
}

/** Returns the URL with only its first host, or null for a malformed URL. */
function firstUrlOf(database: string): URL | null {
  return parseConnectionUrl(database)?.ofHosts[0] ?? null;
}

/** Returns the database name of a PostgreSQL URL, or null for a malformed URL. */
function nameOfUrl(text: string): string | null {
  const url = firstUrlOf(text);
  try {
    if (url === null) return null;
    // `decodeURIComponent` throws for a literal percent sign.
    for (const part of [url.username, url.password]) decodeURIComponent(part);
    return decodeURIComponent(url.pathname).replace(/^\//, '');
  } catch {
    return null;
  }
}

/** Returns the database URL without the password. If `user` is given, the URL contains this user. */
export function shownDatabase(database: string, user?: string): string {
  if (!isPostgresqlUrl(database)) return database;
  const { ofHosts } = parseConnectionUrl(database) ?? {};
  if (ofHosts === undefined) return 'postgresql://…';
  const [{ protocol, username: own, pathname }] = ofHosts;
  const username = user ?? own;
  const hosts = [...new Set(ofHosts.map(({ host }) => host))].join(',');
  return `${protocol}//${username === '' ? '' : `${username}@`}${hosts}${pathname}`;
}

const postgresqlPort = '5432';
const markCharacters = 8;

/**
 * Returns the path of the key file or sandbox file. The file is next to the SQLite database or, for PostgreSQL, in the
 * working directory. Returns null for an in-memory database.
 */
export function pathBesideDatabase(database: string, kind: 'key' | 'sandbox'): string | null {
  if (database === ':memory:') return null;
  return resolve(`${isPostgresqlUrl(database) ? postgresqlName(database) : database}.${kind}`);
}

/**
 * Returns the name of a PostgreSQL database with a hash of its first host. A standby host can therefore be added later
 * without changing the name.
 */
function postgresqlName(database: string): string {
  const url = firstUrlOf(database) ?? new URL(database);
  const [host, port] = ['host', 'port'].map((name) => url.searchParams.get(name));
  const where = `${host ?? url.hostname}:${(port ?? url.port) || postgresqlPort}${url.pathname}`;
  const mark = createHash('sha256').update(where).digest('hex').slice(0, markCharacters);
  const name = decodeURIComponent(url.pathname)
    .replace(/^\//, '')
    .replaceAll(/[^\w.-]/g, '_');
  return `billwright-${name}-${mark}`;
}

/** Opens the storage. Loads only the driver that the database requires. */
export async function openStorage(
  database: string,
  options: {
    readonly migrate: boolean;
    readonly requireRowSecurity?: boolean;
    readonly readOnly?: boolean;
    /** True if the SQLite file must already exist, so that a misspelled path does not create a new database. */
    readonly mustExist?: boolean;
  },
): Promise<Storage<never>> {
  if (isPostgresqlUrl(database)) {
    const { postgresql } = await import('../mikro-orm/postgresql.ts');
    const { migrate, requireRowSecurity = false } = options;
    return postgresql({ url: database, migrate, requireRowSecurity });
  }
  checkDirectory(database);
  if (options.mustExist === true && !existsSync(database))
    throw new UsageError(`the database ${database} does not exist: specify a different file with --database`);
  const { sqlite } = await import('../mikro-orm/sqlite.ts');
  return sqlite({ path: database, readOnly: options.readOnly ?? false });
}

/** Opens the directory and the cells. A cell in the same database as the directory shares its storage. */
export async function openCellStorages(
  directory: string,
  cells: CellUrls,
  options: Parameters<typeof openStorage>[1],
): Promise<{ readonly directory: Storage<never>; readonly cells: Readonly<Record<string, Storage<never>>> }> {
  const storages = new Map<string, Storage<never>>();
  const openOnce = async (url: string): Promise<Storage<never>> => {
    const storage = storages.get(url) ?? (await openStorage(url, options));
    storages.set(url, storage);
    return storage;
  };
  const ofDirectory = await openOnce(directory);
  const ofCells: Record<string, Storage<never>> = {};
  for (const [name, url] of Object.entries(cells)) ofCells[name] = await openOnce(url);
  return { directory: ofDirectory, cells: ofCells };
}

/** Runs `work` on the directory, and on each cell that has its own database. Passes the name of the database. */
export async function onEachDatabase(
  directory: string,
  cells: CellUrls | null,
  work: (url: string, name: string | null) => Promise<void>,
): Promise<void> {
  await work(directory, cells === null ? null : 'the directory');
  for (const [name, url] of Object.entries(cells ?? {}))
    if (url !== directory) await work(url, `cell ${name}`);
}

function checkDirectory(file: string): void {
  const directory = dirname(resolve(file));
  if (file !== ':memory:' && !existsSync(directory))
    throw new UsageError(
      `the directory ${directory} of the database ${file} does not exist: create it, or specify a different file`,
    );
}

/** Returns the names of the migrations that were run. */
export async function migrateDatabase(database: string): Promise<readonly string[]> {
  if (!isPostgresqlUrl(database)) checkDirectory(database);
  const adapter = isPostgresqlUrl(database)
    ? await import('../mikro-orm/postgresql.ts')
    : await import('../mikro-orm/sqlite.ts');
  return adapter.migrate(database);
}

/** Thrown if something that the program needs is missing, such as a package or a server. */
class MissingError extends Error {
  override readonly name = 'MissingError';
}

/**
 * Runs `act` on a database. `needed` lists additional packages.
 * @throws MissingError with a suggested solution if the database is unavailable.
 */
export async function reachingDatabase<T>(
  { database, needed = [] }: { readonly database: string; readonly needed?: readonly string[] },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError || error instanceof MissingError) throw error;
    const drivers = isPostgresqlUrl(database) ? packagesOf.postgresql : packagesOf.sqlite;
    const message =
      missingPackages(error, [...drivers, ...packagesOf.log, ...needed]) ?? databaseFailure(error, database);
    throw message === null ? error : new MissingError(message, { cause: error });
  }
}

/** Returns an explanation of a database or driver error at startup, or null for other errors. */
export function databaseFailure(error: unknown, database: string): string | null {
  const shown = shownDatabase(database);
  if (isPostgresqlUrl(database) && firstUrlOf(database) === null) return `The database ${urlForm}`;
  for (const each of causesOf(error)) {
    // The error concerns the server's own port or address, not the database.
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
  return Reflect.get(error, 'syscall') === 'getaddrinfo' && name !== firstUrlOf(database)?.hostname;
}

const unreachable = 'cannot be reached: correct host and port, or check the network';
const unknownHost = 'cannot be reached: the host name is unknown. Correct the host';
const postgresqlFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached: the connection was refused. Start PostgreSQL, or correct host and port',
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ECONNRESET: unreachable,
  NO_HOST: 'cannot be reached: start the primary or promote a standby, or correct the hosts',
  ENOENT: 'cannot be reached: a socket or file in its URL does not exist. Correct the URL',
  28000: 'rejects the user: correct the user, or pg_hba.conf of the server',
  '28P01': 'rejects the password: correct user and password in the URL',
  42501: 'does not permit this operation: connect as the role that owns the tables, or grant the permission',
  53300: 'has no free connection: raise max_connections, or close other connections',
  '57P03': 'is starting or stopping: try again in a moment',
};

/** Returns an explanation of an SQLSTATE or connection error code, or null for an unknown code. */
function postgresqlFault(code: string, { message }: Error, database: string): string | null {
  if (code === '28000' && message.includes('no encryption'))
    return 'requires TLS: add ?sslmode=verify-full to its URL';
  if (code === '3D000') {
    const { pathname = '', username = '' } = firstUrlOf(database) ?? {};
    const owner = username === '' ? '' : `--owner=${decodeURIComponent(username)} `;
    return `does not exist: create it with createdb ${owner}${decodeURIComponent(pathname.slice(1))}, or correct the name`;
  }
  const known = postgresqlFaults[code];
  if (known !== undefined) return known;
  if (/certificate|altnames/.test(message))
    return 'has an untrusted certificate: specify the file of its certificate authority with &sslrootcert=…, or correct the host in its URL';
  return /SSL|SASL/.test(message) ? 'cannot be reached with this URL: check its password and sslmode' : null;
}

/** Returns an explanation of a SQLite or file system error code. */
function sqliteFault(code: string, { message }: Error): string | null {
  if (code === 'SQLITE_NOTADB') return 'is not a SQLite file: specify a different file with --database';
  if (code.startsWith('SQLITE_CORRUPT')) return 'is damaged: restore a backup';
  if (code.startsWith('SQLITE_READONLY') || code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return 'cannot be written: give the user of this process write permission for the file and its directory';
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED')
    return 'is locked by another process: stop that process, or try again in a moment';
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return 'cannot grow: free some disk space';
  if (code.startsWith('SQLITE_CANTOPEN') || /directory does not exist/.test(message))
    return 'cannot be opened: make sure that the user of this process can read and write the file and its directory, or specify a different file with --database';
  return null;
}

/** Returns the error, its causes, and the errors of all connection attempts. */
function causesOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(causesOf) : [];
  return [...(error.message === '' ? [] : [error]), ...inner, ...causesOf(error.cause)];
}
