import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import type { LogFile, LogFiles } from '../../lib/ports/index.ts';

/** Returns a reader of log files. It does not follow links that lead out of the allowed directories. */
export function logFiles(): LogFiles {
  return {
    async read({ allowed, directory, names, maxBytes }) {
      const roots = (await Promise.all(allowed.map((each) => realPath(resolve(each))))).filter(
        (root) => root !== null,
      );
      const asked = directory ?? allowed[0];
      const real = asked === undefined ? null : await realPath(resolve(asked));
      if (real === null || !roots.some((root) => isWithin(root, real))) return null;
      const chosen = names.length > 0 ? names : await lastWritten(real);
      const files = await Promise.all(
        [...new Set(chosen)].map((name) => readTail(real, name, { roots, maxBytes })),
      );
      return files.filter((file) => file !== null);
    },
  };
}

async function realPath(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

function isWithin(root: string, path: string): boolean {
  const between = relative(root, path);
  return (
    between === '' || (between !== '..' && !between.startsWith(`..${sep}`) && resolve(root, between) === path)
  );
}

/**
 * Returns a list that contains the name of the most recently written file. Returns an empty list if the directory has
 * no files.
 */
async function lastWritten(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ name }) => ({ name, writtenMs: (await stat(join(directory, name))).mtimeMs })),
  );
  return files
    .sort((one, other) => other.writtenMs - one.writtenMs || (one.name < other.name ? -1 : 1))
    .slice(0, 1)
    .map(({ name }) => name);
}

async function readTail(
  directory: string,
  name: string,
  { roots, maxBytes }: { readonly roots: readonly string[]; readonly maxBytes: number },
): Promise<LogFile | null> {
  if (name !== basename(name)) return null;
  const path = await realPath(join(directory, name));
  if (path === null || !roots.some((root) => isWithin(root, path))) return null;
  if (!(await stat(path)).isFile()) return null;
  const file = await open(path, 'r');
  try {
    return { name, text: await tailOf(file, maxBytes) };
  } finally {
    await file.close();
  }
}

async function tailOf(file: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const { size } = await file.stat();
  const from = Math.max(0, size - maxBytes);
  const text = new Uint8Array(size - from);
  const { bytesRead } = await file.read(text, 0, text.length, from);
  return text.subarray(0, bytesRead);
}
