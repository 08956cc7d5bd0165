import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { isPostgresqlUrl } from '../mikro-orm/postgresql/connection-url.ts';
import type { Configured } from './configuration/configured.ts';
import { UsageError } from './usage-error.ts';

export { isPostgresqlUrl };

const productionFile = 'billwright.db';
/** Test mode makes users, clocks and payments that production must never meet, so it has a file of its own. */
const testFile = 'billwright-test.db';

/**
 * Where the database is: as `--database` says, else the variable BILLWRIGHT_DATABASE, which keeps a password out of the list of
 * processes, else the configuration file, else a SQLite file in the working directory.
 * @throws UsageError for what can be neither, such as a URL whose scheme is misspelt: it would be the name of a new SQLite file.
 */
export function databaseOf(
  option: string | undefined,
  { definition, environment }: Pick<Configured, 'definition' | 'environment'>,
  { testMode }: { readonly testMode: boolean },
): string {
  const given = option ?? (environment.BILLWRIGHT_DATABASE || definition.database);
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

export const urlForm =
  'is no URL such as postgresql://user:password@host:5432/name; a password needs its @, :, / and % as %40, %3A, %2F and %25';

/** What is wrong with the name of a database, without the name, which may hold a password; null: nothing. */
function faultOf(database: string): string | null {
  if (isPostgresqlUrl(database)) {
    const name = nameOfUrl(database);
    if (name === null) return urlForm;
    return name === '' ? 'names no database: postgresql://user:password@host:5432/name' : null;
  }
  const looksLikeUrl = /^(?:[a-z][\w+.-]*:\/\/|(?:postgres\w*|jdbc|sqlite|file):)/i.test(database);
  const looksLikeParameters = /(?:^|\s)(?:host|dbname|user)\s*=/.test(database);
  return database === '' || looksLikeUrl || looksLikeParameters
    ? 'is neither the path of a SQLite file nor a URL that begins with postgresql://'
    : null;
}

/** The name of the database that a URL of PostgreSQL leads to; null for a malformed one. */
function nameOfUrl(text: string): string | null {
  const url = URL.parse(text);
  try {
    if (url === null) return null;
    // Throws where a percent sign stands for itself.
    for (const part of [url.username, url.password]) decodeURIComponent(part);
    return decodeURIComponent(url.pathname).replace(/^\//, '');
  } catch {
    return null;
  }
}

/** The database for people: without the password that its URL may contain. */
export function shownDatabase(database: string): string {
  if (!isPostgresqlUrl(database)) return database;
  const url = URL.parse(database);
  if (url === null) return 'postgresql://…';
  return `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}${url.pathname}`;
}

const postgresqlPort = '5432';
const markCharacters = 8;

/**
 * The file of that kind that belongs to the database: beside a SQLite file, in the working directory for a PostgreSQL
 * database, named after it; null for a database in memory, which is gone with its process.
 */
export function besideDatabase(database: string, kind: 'key' | 'sandbox'): string | null {
  if (database === ':memory:') return null;
  return resolve(`${isPostgresqlUrl(database) ? postgresqlName(database) : database}.${kind}`);
}

/** The name of the database, and a mark that tells it from those of the same name on other servers. */
function postgresqlName(database: string): string {
  const url = new URL(database);
  const [host, port] = ['host', 'port'].map((name) => url.searchParams.get(name));
  const where = `${host ?? url.hostname}:${(port ?? url.port) || postgresqlPort}${url.pathname}`;
  const mark = createHash('sha256').update(where).digest('hex').slice(0, markCharacters);
  const name = decodeURIComponent(url.pathname)
    .replace(/^\//, '')
    .replaceAll(/[^\w.-]/g, '_');
  return `billwright-${name}-${mark}`;
}

/** The storage behind `--database`; only the driver that is needed is loaded. */
export async function openStorage(
  database: string,
  options: {
    readonly migrate: boolean;
    readonly requireRowSecurity?: boolean;
    readonly readOnly?: boolean;
    /** Whether a SQLite file has to be there already: else a misspelt name makes an empty database. */
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
    throw new UsageError(`the database ${database} is not there: name another file with --database`);
  const { sqlite } = await import('../mikro-orm/sqlite.ts');
  return sqlite({ path: database, readOnly: options.readOnly ?? false });
}

function checkDirectory(file: string): void {
  const directory = dirname(resolve(file));
  if (file !== ':memory:' && !existsSync(directory))
    throw new UsageError(
      `the directory ${directory} of the database ${file} is not there: make it, or name another file`,
    );
}

/** Brings the schema up to date; returns the names of the migrations that ran. */
export async function migrateDatabase(database: string): Promise<readonly string[]> {
  if (!isPostgresqlUrl(database)) checkDirectory(database);
  const adapter = isPostgresqlUrl(database)
    ? await import('../mikro-orm/postgresql.ts')
    : await import('../mikro-orm/sqlite.ts');
  return adapter.migrate(database);
}
