import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, type OutputFile } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the project, so that bundles can import installed packages. */
const bundles = join(root, 'node_modules/.cache/bundles');
const made = new Map<string, string>();

export interface BundledOptions {
  /** Folders of the repository to copy next to the program. */
  readonly beside?: readonly string[];
}

export function bundled(program: URL, options?: BundledOptions): string {
  const source = relative(root, fileURLToPath(program));
  return join(bundledTogether([source], options), source.replace(/\.ts$/, '.js'));
}

/**
 * Bundles sources as the package does, cached by a hash of the text, and returns their folder. Processes start faster.
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

function write(directory: string, files: readonly OutputFile[]): void {
  for (const { path, contents } of files) {
    const place = join(directory, relative(bundles, path));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, contents);
  }
  copyFileSync(join(root, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(root, 'examples'), join(directory, 'examples'));
}

/** Atomic: another process may write the same bundle at the same time. */
function keep(draft: string, directory: string): void {
  try {
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(directory)) throw error;
  }
}
