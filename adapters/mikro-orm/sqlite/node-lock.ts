import { MikroORM } from '@mikro-orm/sqlite';
import { makePrivately } from './private-file.ts';

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
