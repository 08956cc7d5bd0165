import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';

/** The part of a better-sqlite3 database that copies it. */
interface Copying {
  backup(to: string, options: { progress(): number }): Promise<unknown>;
}

const ownerOnly = 0o600;
/** All that there are: the copy is then made in one read transaction, which no writer can make begin anew. */
const everyPage = 0x7fffffff;

/** Copies a database into a file that must not be there; the file has its name when it is whole and on the disk. */
export async function copyOnline(database: Copying, to: string): Promise<void> {
  const unfinished = `${to}.unfinished`;
  // Takes the name, so that nobody else does meanwhile.
  closeSync(openSync(to, 'wx', ownerOnly));
  try {
    closeSync(openSync(unfinished, 'w', ownerOnly));
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
