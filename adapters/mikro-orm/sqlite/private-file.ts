import { closeSync, openSync } from 'node:fs';

const ownerOnly = 0o600;

/**
 * Creates the file, for its owner only, if it does not exist. SQLite would create it for everybody, and gives its WAL and
 * the other files beside it the mode of this one. An empty file is an empty database.
 */
export function makePrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', ownerOnly));
  } catch {
    // It exists, or cannot be created; SQLite, which opens it next, says why.
  }
}
