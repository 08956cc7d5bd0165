import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };
import { basesOf, type Declaration, Declarations, membersOf } from './declarations.ts';
import { blocksOf, DOCUMENTS, importingFrom } from './readme-examples.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

describe('published declarations', () => {
  let home: string;
  let directory: string;
  let declarations: Declarations;
  let front: ReadonlyMap<string, Declaration>;
  let storage: ReadonlyMap<string, Declaration>;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'billwright-declarations-'));
    directory = join(home, 'dist');
    const flags = ['-p', 'tsconfig.build.json', '--outDir', directory, '--noCheck'];
    await run(process.execPath, [tsc, ...flags], { cwd: root });
    declarations = new Declarations();
    front = exportsOf('.');
    storage = exportsOf('./storage');
  });
  after(() => rm(home, { recursive: true, force: true }));

  const exportsOf = (entry: '.' | './storage') =>
    declarations.exportsOf(join(directory, relative('dist', manifest.exports[entry].types)));
  const shown = ({ file, name }: Declaration) => `${name} (${relative(directory, file)})`;
  const named = (name: string): Declaration => {
    const found = front.get(name);
    if (found === undefined) throw new Error(`${name} is not exported`);
    return found;
  };

  it('compile in every code block of the user documentation', async () => {
    await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
    await writeFile(join(home, 'package.json'), JSON.stringify({ type: 'module' }));
    const blocks = (
      await Promise.all(
        [...Object.keys(DOCUMENTS), 'lib/ports/TAXES.md'].map((document) => blocksOf(document, 'ts')),
      )
    ).flat();
    const files = blocks.map((_, index) => `readme-${index}.ts`);
    for (const [index, block] of blocks.entries())
      await writeFile(join(home, `readme-${index}.ts`), importingFrom(directory, block, '.js'));
    const compilerOptions = { types: ['node'], rewriteRelativeImportExtensions: false };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
    await writeFile(join(home, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = await run(process.execPath, [tsc, '-p', home]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).to.equal('');
  });

  it('need types of other packages only for MikroORM and Koa, even with skipLibCheck: false', async () => {
    const names = ['.', './client', './testing', './pdf', './e-invoice', './server'] as const;
    const files = names.map((name) => join(directory, relative('dist', manifest.exports[name].types)));
    const flags = ['--noEmit', '--listFiles', '--skipLibCheck', 'false', '--strict', '--ignoreConfig'];
    const target = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'esnext,dom,dom.iterable'];
    const args = [tsc, ...flags, '--types', 'node', ...target, ...files];
    const { stdout } = await run(process.execPath, args, { cwd: home });
    expect(stdout).not.to.match(/error TS/);
    const packages = [...stdout.matchAll(/node_modules\/@types\/([^/]+)\//g)].map(([, name]) => name);
    expect([...new Set(packages)]).to.eql(['node']);
  });

  it('describe every operation', () => {
    const silent: string[] = [];
    const seen = new Set<Declaration>();
    let operations = 0;
    const visit = (each: Declaration, path: string): void => {
      if (seen.has(each)) return;
      seen.add(each);
      const isAlias = each.text.includes(`type ${each.name}`);
      const alike = isAlias
        ? declarations.namedBy(each).filter(({ name }) => /(Billing|Operations)$/.test(name))
        : basesOf(each).flatMap((base) => declarations.resolve(each.file, base) ?? []);
      for (const other of alike) visit(other, path);
      for (const { name, doc, text } of membersOf(each)) {
        operations += 1;
        if (doc === null || !/^\/\*\*\s+(?:\* )?[A-Z`]/.test(doc)) silent.push(`${path}.${name}`);
        const [, group = ''] = /^: (\w*(?:Operations|Billing))\b/.exec(text) ?? [];
        const found = declarations.resolve(each.file, group);
        if (found) visit(found, `${path}.${name}`);
      }
    };
    visit(named('Billing'), 'billing');
    visit(named('TenantBilling'), 'acme');
    visit(named('CallerBilling'), 'acme');
    expect(silent).to.eql([]);
    expect(operations).to.be.greaterThan(150);
  });

  it('export every type used in an operation, with storage types in their own entry point', () => {
    const open = new Set([...front.values(), ...storage.values()].map(shown));
    // The entry point narrows these.
    const own = new Set(
      [...front.values()].filter(({ file }) => file.includes('adapters')).map(({ name }) => name),
    );
    const missing = new Set<string>();
    const seen = new Set<Declaration>();
    const visit = (each: Declaration): void => {
      if (seen.has(each)) return;
      seen.add(each);
      if (!open.has(shown(each)) && !own.has(each.name)) missing.add(shown(each));
      for (const next of declarations.namedBy(each)) visit(next);
    };
    for (const name of ['Billing', 'TenantBilling', 'BillingOptions', 'Caller']) visit(named(name));
    expect([...missing].sort()).to.eql([]);
    expect(seen.size).to.be.greaterThan(200);
  });

  it('use plain type names without the suffix Json', () => {
    const types = [...front.values(), ...storage.values()].filter(({ text, name }) =>
      new RegExp(`\\b(interface|type) ${name}\\b`).test(text),
    );
    expect(types.length).to.be.greaterThan(200);
    expect(types.filter(({ name }) => name.endsWith('Json')).map(shown)).to.eql([]);
  });

  it('keep storage ports out of the main entry point', () => {
    const ports = [...front.values()].filter(({ file }) =>
      relative(directory, file).startsWith('lib/ports/storage/'),
    );
    expect(ports.map(shown)).to.eql([]);
    expect([...storage.keys()]).to.include.members(['Storage', 'ReadSession', 'WriteSession']);
  });

  it('cite only documents that the package contains', async () => {
    const files = await readdir(directory, { recursive: true });
    const cited = new Set<string>();
    for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
      const text = await readFile(join(directory, file), 'utf8');
      for (const [document] of text.matchAll(/[\w/-]+[.]md\b/g)) cited.add(document);
    }
    const held = new Set((await packedFiles()).flatMap((path) => [path, path.split('/').at(-1) ?? '']));
    expect([...cited].filter((document) => !held.has(document))).to.eql([]);
  });
});

async function packedFiles(): Promise<readonly string[]> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: root });
  const [report] = JSON.parse(stdout) as readonly { readonly files: readonly { readonly path: string }[] }[];
  return report?.files.map(({ path }) => path) ?? [];
}
