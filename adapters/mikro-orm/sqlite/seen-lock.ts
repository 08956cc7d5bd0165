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
