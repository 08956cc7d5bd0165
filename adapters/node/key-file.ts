import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

const keyBytes = 32;
const ownerOnly = 0o600;
const othersMay = 0o077;

export interface KeyFile {
  readonly key: string;
  /** Whether others than the owner may use the file. */
  readonly isOpenToOthers: boolean;
}

/** The key that the file holds; null if there is no such file. */
export function readKeyFile(path: string): KeyFile | null {
  try {
    const key = readFileSync(path, 'utf8').trim();
    // On Windows the mode says nothing about other users.
    const isOpenToOthers = process.platform !== 'win32' && (statSync(path).mode & othersMay) !== 0;
    return { key, isOpenToOthers };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The key in the file, which is created with a new key for its owner only if it does not exist. If several processes
 * create it at once, one succeeds and the others take its key.
 */
export function ensureKeyFile(path: string): KeyFile {
  return readKeyFile(path) ?? makeKeyFile(path);
}

function makeKeyFile(path: string): KeyFile {
  const key = randomBytes(keyBytes).toString('base64');
  // Written under another name first, so that nobody finds it half written.
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${key}\n`, { mode: ownerOnly, flush: true });
  try {
    linkSync(unfinished, path);
    return { key, isOpenToOthers: false };
  } catch (error) {
    const made = readKeyFile(path);
    if (made === null) throw error;
    return made;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
