import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { MikroORM } from '@mikro-orm/sqlite';

export type Release = () => Promise<void>;

/**
 * Makes this process the only node on the database (platform §15 rule 6). Takes an exclusive SQLite lock on the file
 * `<path>.lock`, which the operating system releases when the process ends. The file is never removed. Otherwise two
 * other processes could lock two different files with that name.
 */
export async function lockNode(path: string): Promise<Release> {
  const lock = `${path}.lock`;
  makePrivately(lock);
  const orm = new MikroORM({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    dbName: lock,
    driverOptions: { timeout: 0 },
  });
  try {
    await orm.connect();
    await orm.em.getConnection().execute('begin exclusive');
  } catch (cause) {
    await orm.close(true);
    throw new Error(isHeld(cause) ? inUse(path) : `${path} cannot be opened: ${reasonOf(cause)}`, { cause });
  }
  return () => orm.close(true);
}

function inUse(path: string) {
  return (
    `${path} is in use by another node, and SQLite supports only one node at a time. ` +
    `Stop the process that holds ${path}.lock, or use PostgreSQL`
  );
}

/** Returns true if SQLite reports a lock that another process holds. Other errors concern the path or the file. */
function isHeld(error: unknown) {
  return (
    error instanceof Error &&
    /SQLITE_BUSY|database is locked/.test(`${Reflect.get(error, 'code')} ${error.message}`)
  );
}

function reasonOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

const OWNER_ONLY = 0o600;

/**
 * Creates an empty file that only its owner can read. An empty file is a valid empty database. SQLite itself would
 * create a file that everyone can read. SQLite gives its WAL and other files the same mode.
 */
export function makePrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', OWNER_ONLY));
  } catch {
    // The file exists or cannot be created.
    // In the second case, SQLite reports the reason when it opens the file.
  }
}

interface Copying {
  backup(to: string, options: { progress(): number }): Promise<unknown>;
}

/**
 * Number of pages per step. It covers all pages, so that one read transaction copies them and no writer can restart the
 * copy.
 */
const everyPage = 0x7fffffff;

/** Copies a database to a new file. The file gets its final name only after it is complete and written to disk. */
export async function copyOnline(database: Copying, to: string): Promise<void> {
  const unfinished = `${to}.unfinished`;
  closeSync(openSync(to, 'wx', OWNER_ONLY));
  try {
    closeSync(openSync(unfinished, 'w', OWNER_ONLY));
    await database.backup(unfinished, { progress: () => everyPage });
    flush(unfinished);
    renameSync(unfinished, to);
  } catch (error) {
    rmSync(unfinished, { force: true });
    rmSync(to, { force: true });
    throw error;
  }
}

function flush(path: string) {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

interface Opened {
  prepare(text: string): { pluck(): { get(): unknown } };
  exec(text: string): unknown;
  close(): unknown;
}

const mainFile = "select file from pragma_database_list where name = 'main'";

/**
 * Returns true if another connection of this process finds the database locked, as it must while a host's transaction
 * writes. The result is false if the host uses another copy of SQLite. File locks count per process, so two copies
 * would write at the same time and lose each other's commits.
 */
export function seesLock(database: Pick<Opened, 'prepare'>): boolean {
  // Use the absolute path, because the working directory may have changed.
  const path = String(database.prepare(mainFile).pluck().get());
  const Database = database.constructor as new (
    path: string,
    options: { readonly timeout: number; readonly fileMustExist: boolean },
  ) => Opened;
  const other = new Database(path, { timeout: 0, fileMustExist: true });
  try {
    other.exec('begin immediate');
    other.exec('rollback');
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY'))
      return true;
    throw error;
  } finally {
    other.close();
  }
}
