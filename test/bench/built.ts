import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bench = 'test/bench';

/** The package built by `npm run build` in its own directory, and the benchmark processes built against it. */
export interface Built {
  readonly program: string;
  script(source: URL): URL;
  remove(): Promise<void>;
}

/** Builds the package, because users run it: loading TypeScript sources would add about 45 MiB and compile time. */
export async function buildPackage(): Promise<Built> {
  const directory = await mkdtemp(join(tmpdir(), 'billwright-package-'));
  const dist = join(directory, 'dist');
  const processes = (await readdir(join(root, bench))).filter((name) => name.endsWith('-process.ts'));
  const build = ['run', '--silent', 'build:code', '--', `--outdir=${dist}`];
  execFileSync('npm', [...build, ...processes.map((name) => `${bench}/${name}`)], { cwd: root });
  for (const part of ['node_modules', 'examples']) await symlink(join(root, part), join(directory, part));
  // The processes find the examples at the same relative path as in the sources.
  await symlink(join(root, 'examples'), join(dist, 'examples'));
  await copyFile(join(root, 'package.json'), join(directory, 'package.json'));
  return {
    program: join(dist, 'adapters', 'cli', 'billwright.js'),
    script: (source) => pathToFileURL(join(dist, bench, `${basename(fileURLToPath(source), '.ts')}.js`)),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
