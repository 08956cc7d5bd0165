// Writes what users of the package need besides its code: the examples to dist/examples, with the entry points of the
// package in place of the sources, the generated pages, and the documentation as llms.txt and llms-full.txt.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openApi } from '../adapters/koa/index.ts';
import { allPages, documentationPages, pageIndex, rulesContents } from '../adapters/koa/pages/documentation.ts';
import { referencePages } from '../adapters/koa/pages/reference.ts';
import { routeTable } from '../adapters/koa/routes/route-table.ts';

const root = new URL('../', import.meta.url);
const application = globSync('saas/*.ts', { cwd: new URL('examples/', root) }).map((file) => file.slice(0, -'.ts'.length));
const names = ['catalog-plugin', 'e-invoice-sender', 'payment-gateway', 'tax-plugin', 'usage-source', 'catalogs/lantern', ...application];
const textOf = (file) => readFileSync(new URL(file, root), 'utf8');

/** The entry point that a source file is. */
const entryPoints = new Map(
  Object.entries(JSON.parse(textOf('package.json')).exports).map(([name, { default: file = '' }]) => [
    file.replace('./dist/', '').replace('.js', '.ts'),
    name.replace('.', 'billwright'),
  ]),
);

mkdirSync(new URL('dist/examples/catalogs/', root), { recursive: true });
cpSync(new URL('examples/saas/public/', root), new URL('dist/examples/saas/public/', root), { recursive: true });
for (const name of names) {
  const text = textOf(`examples/${name}.ts`)
    .replaceAll(/from '(?:[.][.]\/)+(.+)'/g, (_, source) => {
      const entryPoint = entryPoints.get(source);
      if (entryPoint === undefined) throw new Error(`examples/${name}.ts imports ${source}, which is no entry point`);
      return `from '${entryPoint}'`;
    })
    .replace(`node examples/${name}.ts`, `node ${name}.ts`);
  writeFileSync(new URL(`dist/examples/${name}.ts`, root), text);
}

const written = await documentationPages();
const generated = [rulesContents(written), ...referencePages(routeTable({ testMode: true }), await openApi())];
mkdirSync(new URL('dist/reference/', root), { recursive: true });
for (const { path, text } of generated) writeFileSync(new URL(`dist/${path}`, root), text);
const pages = [...written, ...generated];
writeFileSync(new URL('dist/llms.txt', root), pageIndex(pages, (page) => (generated.includes(page) ? page.path : `../${page.path}`)));
writeFileSync(new URL('dist/llms-full.txt', root), allPages(pages));
