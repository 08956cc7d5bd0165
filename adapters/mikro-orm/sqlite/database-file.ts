import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { MikroORM } from '@mikro-orm/sqlite';

/** Releases the lock. */
export type Release = () => Promise<void>;

/**
 * Makes this process the only node on the database (platform §15 rule 6): an exclusive lock on the file `<path>.lock`,
 * held by SQLite's own means. The operating system drops it when the process ends in any way, so the lock of a dead
 * process cannot stay behind, even if its process id is used again. The file itself stays: removing it would let two
 * other processes lock two files of that name.
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

function inUse(path: string): string {
  return (
    `${path} is in use by another node: SQLite serves one at a time. ` +
    `End the process that holds ${path}.lock, or use PostgreSQL`
  );
}

/** SQLite's own message for a lock that another process holds; anything else concerns the path or the file. */
function isHeld(error: unknown): boolean {
  return (
    error instanceof Error &&
    /SQLITE_BUSY|database is locked/.test(`${Reflect.get(error, 'code')} ${error.message}`)
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const OWNER_ONLY = 0o600;

/**
 * Creates the file, for its owner only, if it does not exist. SQLite would create it for everybody, and gives its WAL and
 * the other files beside it the mode of this one. An empty file is an empty database.
 */
export function makePrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', OWNER_ONLY));
  } catch {
    // It exists, or cannot be created; SQLite, which opens it next, says why.
  }
}

/** The part of a better-sqlite3 database that copies it. */
interface Copying {
  backup(to: string, options: { progress(): number }): Promise<unknown>;
}

/** All that there are: the copy is then made in one read transaction, which no writer can make begin anew. */
const everyPage = 0x7fffffff;

/** Copies a database into a file that must not be there; the file has its name when it is whole and on the disk. */
export async function copyOnline(database: Copying, to: string): Promise<void> {
  const unfinished = `${to}.unfinished`;
  // Takes the name, so that nobody else does meanwhile.
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

function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The parts of a better-sqlite3 database that are used, and of the class that opens another one. */
interface Opened {
  prepare(text: string): { pluck(): { get(): unknown } };
  exec(text: string): unknown;
  close(): unknown;
}

const mainFile = "select file from pragma_database_list where name = 'main'";

/**
 * Whether another connection of this process finds the database locked for writing, as it has to while a host's transaction
 * writes. It does not where the host has come by another copy of SQLite: what locks a file counts for a process as a whole, so
 * two copies in one process write at once, and lose each other's commits.
 */
export function seesLock(database: Pick<Opened, 'prepare'>): boolean {
  // Its own name may be relative to a directory that the process has left.
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
