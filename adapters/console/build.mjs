// Builds the console into dist/console, or into the folder that the first argument names.
import { cp, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('.', import.meta.url));
const target = process.argv[2] ?? fileURLToPath(new URL('../../dist/console', import.meta.url));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await build({
  entryPoints: [`${source}main.tsx`, `${source}main.css`],
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'utf8',
  legalComments: 'none',
  // Not in the package. A check reads them to list the bundled packages.
  sourcemap: 'external',
  sourcesContent: false,
  outdir: target,
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
});
for (const file of ['index.html', 'icon.svg']) await cp(`${source}${file}`, `${target}/${file}`);
