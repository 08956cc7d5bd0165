import { closeSync, openSync } from 'node:fs';

const ownerOnly = 0o600;

/**
 * Makes the file, for its owner alone, if it is not there. SQLite would make it for everybody, and gives its WAL and the
 * other files beside it the mode of this one. An empty file is an empty database.
 */
export function makePrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', ownerOnly));
  } catch {
    // It is there, or cannot be made: SQLite, which opens it next, says why.
  }
}
