import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, type OutputFile } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Below the installed packages, which a bundle imports. */
const bundles = join(root, 'node_modules/.cache/bundles');
const made = new Map<string, string>();

export interface BundledOptions {
  /** Folders of the repository that the first finds beside itself. */
  readonly beside?: readonly string[];
}

/** A program of the tests, made as `bundledTogether` makes them: its file. */
export function bundled(program: URL, options?: BundledOptions): string {
  const source = relative(root, fileURLToPath(program));
  return join(bundledTogether([source], options), source.replace(/\.ts$/, '.js'));
}

/**
 * Source files of the repository, made as the package is made: a process starts in half the time that it takes to load a
 * thousand files of source. Once per process of the tests, and kept for the next run under the hash of their text.
 *
 * @returns a folder that has them, as `.js`, where the repository has them.
 */
export function bundledTogether(sources: readonly string[], { beside = [] }: BundledOptions = {}): string {
  const key = sources.join();
  const known = made.get(key);
  if (known !== undefined) return known;
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [...sources],
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    charset: 'utf8',
    sourcemap: 'inline',
    sourcesContent: false,
    outbase: root,
    outdir: bundles,
    write: false,
  });
  const hash = createHash('sha256');
  for (const { hash: ofFile } of outputFiles) hash.update(ofFile);
  const directory = join(bundles, hash.digest('hex'));
  if (!existsSync(directory)) {
    const draft = join(bundles, randomUUID());
    write(draft, outputFiles);
    for (const folder of beside)
      symlinkSync(join(root, folder), join(draft, dirname(sources[0] ?? ''), basename(folder)));
    keep(draft, directory);
  }
  made.set(key, directory);
  return directory;
}

/** With what the package has beside its code. */
function write(directory: string, files: readonly OutputFile[]): void {
  for (const { path, contents } of files) {
    const place = join(directory, relative(bundles, path));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, contents);
  }
  copyFileSync(join(root, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(root, 'examples'), join(directory, 'examples'));
}

/** Whole or not at all: another process may make the same at the same time. */
function keep(draft: string, directory: string): void {
  try {
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(directory)) throw error;
  }
}
