import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLongRun } from './long-run.ts';

/** More than all databases take that one run of every commit has at a time. */
const ROOM = 4 * 2 ** 30;
const MEMORY = '/dev/shm';

/**
 * A new directory for databases: in memory where the machine has plenty, which makes the copy of a PostgreSQL database ten
 * times cheaper than on a disk. Nothing in it can be executed everywhere.
 */
export async function memoryDirectory(prefix: string): Promise<string> {
  return mkdtemp(join((await hasRoom()) ? MEMORY : tmpdir(), prefix));
}

async function hasRoom(): Promise<boolean> {
  if (isLongRun || process.availableMemory() < ROOM) return false;
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
