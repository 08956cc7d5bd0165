import { execFile, spawn } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, posix, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };
import { packed, runReporting } from './packed.ts';
import { SOURCES } from './readme-examples.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

interface EntryPoint {
  readonly name: string;
  /** Packages that a host installs with Billwright to use this entry point. */
  readonly peers: readonly string[];
  /** Packages that must not be installed, because this entry point does not need them. */
  readonly absent: readonly string[];
}

const entryPoints: readonly EntryPoint[] = [
  {
    name: 'billwright',
    peers: [],
    absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3', 'zod', 'pino', 'jose', 'pdfkit', 'stripe'],
  },
  { name: 'billwright/storage', peers: [], absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3'] },
  { name: 'billwright/testing', peers: [], absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3'] },
  {
    name: 'billwright/sqlite',
    peers: ['@mikro-orm/core', '@mikro-orm/migrations', '@mikro-orm/sqlite'],
    absent: ['pg', 'koa'],
  },
  {
    name: 'billwright/postgresql',
    peers: ['@mikro-orm/core', '@mikro-orm/migrations', '@mikro-orm/postgresql'],
    absent: ['better-sqlite3', 'koa'],
  },
  {
    name: 'billwright/koa',
    peers: ['koa', '@koa/router', '@koa/cors', 'koa-body', 'zod', 'jose', 'prom-client'],
    absent: ['@mikro-orm', 'pg', 'better-sqlite3', 'swagger-ui-dist'],
  },
  {
    name: 'billwright/server',
    peers: [],
    absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3', 'commander'],
  },
  {
    name: 'billwright/pdf',
    peers: ['pdfkit', 'fontkit', 'bidi-js', '@expo-google-fonts/noto-sans'],
    absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3'],
  },
  {
    name: 'billwright/e-invoice',
    peers: [],
    absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3', 'pdfkit'],
  },
  {
    name: 'billwright/stripe',
    peers: ['stripe'],
    absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3', 'pdfkit'],
  },
  {
    name: 'billwright/opentelemetry',
    peers: ['@opentelemetry/api'],
    absent: ['@mikro-orm', 'koa', 'pg', 'better-sqlite3', '@opentelemetry/sdk-trace-base'],
  },
];

const command = join('node_modules', 'billwright', 'dist', 'adapters', 'cli', 'billwright.js');

/** Packs the package as for a release, and uses it like a host that has nothing else of this repository. */
describe('published package', function () {
  this.timeout(180_000);

  let directory: string;
  let tarball: string;
  let files: readonly string[];
  let sizes: readonly [number, number];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-package-'));
    ({ tarball, files, sizes } = await packed());
  });

  after(() => rm(directory, { recursive: true, force: true }));

  it('contains the files that its entry points specify', async () => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    );
    const named = [...targets, ...Object.values(manifest.bin)].map((file) => file.replace(/^[.][/]/, ''));
    expect(files).to.include.members(named);
    expect(files).to.include.members([
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'NOTICE',
      'lib/README.md',
      'lib/invoicing/RULES.md',
      'lib/runtime/RULES.md',
      'adapters/koa/HTTP-API.md',
      'adapters/koa/JSON-MODELS.md',
      'adapters/koa/KILL-BILL.md',
      'adapters/cli/CELLS.md',
      'adapters/cli/PRODUCTION.md',
      'lib/push/EVENTS.md',
      'lib/ports/TAXES.md',
      'dist/reference/SECTIONS.md',
      'dist/reference/ENDPOINTS.md',
      'dist/reference/MODELS.md',
      'dist/reference/ERRORS.md',
      'dist/reference/PROPERTIES.md',
      'dist/llms.txt',
      'dist/llms-full.txt',
      'examples/catalogs/orchard-demo.xml',
      'dist/examples/payment-gateway.ts',
      'dist/examples/catalogs/lantern.ts',
      'dist/examples/saas/server.ts',
      'dist/examples/saas/public/style.css',
    ]);
  });

  it('stays within its size limits', () => {
    const [packedBytes, unpackedBytes] = sizes;
    expect(packedBytes).to.be.within(1e6, 3.5e6);
    expect(unpackedBytes).to.be.within(5e6, 16e6);
  });

  it('contains every file to which its documents link', async () => {
    const documents = files.filter((file) => file.endsWith('.md') && file !== 'CONTRIBUTING.md');
    const missing: string[] = [];
    for (const document of documents) {
      const text = await readFile(join(root, document), 'utf8');
      const linked = [...text.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(([, link = '']) => link);
      const led = linked.map((link) => posix.join(posix.dirname(document), link));
      missing.push(
        ...led.filter((file) => !files.some((each) => each === file || each.startsWith(`${file}/`))),
      );
    }
    expect(missing).to.eql([]);
  });

  it('contains no tests, and no sources except examples', () => {
    const sources = files.filter(
      (file) => /(?<![.]d)[.]ts$/.test(file) && !file.startsWith('dist/examples/'),
    );
    expect([...sources, ...files.filter((file) => file.startsWith('dist/test/'))]).to.eql([]);
  });

  it('lists bundled packages and their licenses in NOTICE', async () => {
    const notice = await readFile(join(root, 'NOTICE'), 'utf8');
    const listed = [...notice.matchAll(/^== (\S+) (\S+) ==$/gm)].map(
      ([, name, version]) => `${name} ${version}`,
    );
    const contained: string[] = [];
    for (const name of await builtIn()) {
      const from = join(root, 'node_modules', name);
      const { version } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
      contained.push(`${name} ${version}`);
      const [licence = ''] = (await readdir(from)).filter((file) => /^licen[cs]e/i.test(file));
      expect(notice).to.contain((await readFile(join(from, licence), 'utf8')).trim());
    }
    expect(listed).to.eql(contained);
  });

  for (const entryPoint of entryPoints)
    it(`allows importing ${entryPoint.name} with ${entryPoint.peers.join(', ') || 'no peers'}`, async () => {
      const project = await createProject(entryPoint.name);
      await npmInstall(project, [tarball, ...pinned(entryPoint.peers)]);
      for (const name of entryPoint.absent)
        expect(await exists(join(project, 'node_modules', name)), `${name} was installed`).to.equal(false);
      expect(await exportedNames(project, entryPoint.name)).to.not.be.empty;
      if (entryPoint.name === 'billwright') await expectMissingPeersToBeNamed(project);
    });

  it('compiles in a TypeScript host, and starts its command with the required packages', async () => {
    const project = await createProject('all');
    const peers = new Set(entryPoints.flatMap((entryPoint) => entryPoint.peers));
    await npmInstall(project, [
      tarball,
      ...pinned([...peers, 'pino', 'swagger-ui-dist', 'typescript', '@types/node', '@types/koa']),
      ...pinned(['express', '@types/express', 'knex', 'chai', '@types/chai', 'mocha', '@types/mocha']),
    ]);
    expect(await exists(join(project, 'node_modules', '@scarf')), 'telemetry was installed').to.equal(false);
    const imports = entryPoints.map(({ name }, index) => `export * as entry${index} from '${name}';\n`);
    await writeFile(join(project, 'host.ts'), imports.join(''));
    await writeFile(join(project, 'public-types.ts'), await publicTypes());
    await cp(join(project, 'node_modules/billwright/dist/examples'), join(project, 'examples'), {
      recursive: true,
    });
    const examples = files.filter((file) => file.startsWith('dist/examples/') && file.endsWith('.ts'));
    const language = ['--target', 'es2024', '--module', 'nodenext', '--types', 'node,mocha'];
    const flags = ['--noEmit', '--allowImportingTsExtensions', '--strict', '--skipLibCheck', ...language];
    await runReporting(
      process.execPath,
      [
        join('node_modules', 'typescript', 'bin', 'tsc'),
        ...flags,
        'host.ts',
        'public-types.ts',
        ...examples.map((file) => file.slice('dist/'.length)),
      ],
      project,
    );
    const application = ['--timeout', '60000', 'examples/saas/app.test.ts'];
    await runReporting(
      process.execPath,
      [join('node_modules', 'mocha', 'bin', 'mocha.js'), ...application],
      project,
    );
    const { stdout } = await runReporting(process.execPath, [command, '--help'], project);
    expect(stdout).to.contain('billwright');
    expect(await oneErrorClass(project)).to.equal(true);
    // In a CommonJS project, such as one created by an old `npm init`.
    const served = join(project, 'served');
    await mkdir(served);
    await writeFile(join(served, 'package.json'), '{ "type": "commonjs" }');
    await runReporting(process.execPath, [join(project, command), 'init'], served);
    const started = await loadedByServe(project, served);
    expect(started.errors).to.contain('billwright.config.ts","msg":"configured by this file"');
    expect(started.errors).to.not.contain('MODULE_TYPELESS');
    const { own, packages, builtin } = await loadedByServe(project, project);
    expect(own, 'files of the package that a start loads').to.be.within(1, 60);
    expect([...packages]).to.include.members(['@mikro-orm/sqlite', 'koa', 'zod']);
    expect([...packages]).to.not.include.members([
      ...['jose', 'koa-body', 'prom-client', 'swagger-ui-dist', 'pdfkit', 'pg', 'stripe'],
    ]);
    expect(builtin.filter((name) => name.includes('undici'))).to.eql([]);
  });

  it('reports the required Node version under an older Node instead of crashing', async function () {
    const older = await olderNode();
    if (older === null) {
      process.stderr.write(
        'no Node before 22 is installed (BILLWRIGHT_TEST_OLD_NODE names one): nobody has looked\n',
      );
      this.skip();
    }
    const project = await createProject('older-node');
    const peers = ['@mikro-orm/core', '@mikro-orm/migrations', '@mikro-orm/sqlite'];
    await npmInstall(project, [tarball, ...pinned(peers)]);
    const command = join('node_modules', 'billwright', 'dist', 'adapters', 'cli', 'billwright.js');
    const opens = `import { sqlite } from 'billwright/sqlite'; await sqlite(':memory:').prepare();`;
    const uses = [
      [command, '--version'],
      [command, 'serve'],
      ['--input-type=module', '--eval', opens],
      ['--input-type=module', '--eval', `import 'billwright';`],
      ['--input-type=module', '--eval', `import 'billwright/testing';`],
    ];
    for (const args of uses) {
      const failed = await run(older, args, { cwd: project }).then(
        () => expect.fail(`${args.join(' ')} goes on`),
        (error: { readonly code: unknown; readonly signal: unknown; readonly stderr: string }) => error,
      );
      expect(failed).to.include({ code: 1, signal: null });
      expect(failed.stderr).to.match(/Billwright needs Node 22[.]18 or newer; this is v/);
      if (args[0] === command) expect(failed.stderr.trimEnd().split('\n')).to.have.length(1);
    }
  });

  async function createProject(name: string): Promise<string> {
    const project = join(directory, name.replaceAll('/', '-'));
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    return project;
  }
});

async function publicTypes(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, 'public-types.ts'), 'utf8');
  const entryPointOf = new Map(Object.entries(SOURCES).map(([name, source]) => [source, name]));
  return text.replaceAll(/'[.][.]\/[.][.]\/([\w/-]+[.]ts)'/g, (_, source: string) => {
    const name = entryPointOf.get(source);
    if (name === undefined) throw new Error(`${source} is not an entry point`);
    return `'${name}'`;
  });
}

/** Returns the packages whose code is part of the build, by their names in the source maps. */
async function builtIn(): Promise<readonly string[]> {
  const dist = join(root, 'dist');
  const names = new Set<string>();
  for (const file of await readdir(dist, { recursive: true })) {
    if (!file.endsWith('.js.map')) continue;
    const { sources } = JSON.parse(await readFile(join(dist, file), 'utf8')) as {
      readonly sources: readonly string[];
    };
    for (const source of sources) {
      const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
      if (name !== undefined) names.add(name);
    }
  }
  return [...names].sort();
}

/** Returns the versions pinned by the development dependencies, which the other tests use. */
function pinned(names: readonly string[]): readonly string[] {
  const versions: Readonly<Record<string, string>> = manifest.devDependencies;
  return names.map((name) => `${name}@${versions[name]}`);
}

/** Returns a Node version that is too old, or null if none is found. */
async function olderNode(): Promise<string | null> {
  const named = process.env.BILLWRIGHT_TEST_OLD_NODE;
  const found = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'node'));
  for (const node of named === undefined ? found : [named]) {
    const version = await run(node, ['--version']).then(
      ({ stdout }) => stdout,
      () => null,
    );
    if (version !== null && Number.parseInt(version.slice(1), 10) < 22) return node;
  }
  return null;
}

async function npmInstall(project: string, packages: readonly string[]): Promise<void> {
  await runReporting('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], project);
}

async function exportedNames(project: string, entryPoint: string): Promise<readonly string[]> {
  const program = `console.log(JSON.stringify(Object.keys(await import('${entryPoint}'))))`;
  const { stdout } = await runReporting(
    process.execPath,
    ['--input-type=module', '--eval', program],
    project,
  );
  return JSON.parse(stdout);
}

/** Returns whether a storage error is an instance of the class that hosts import. */
async function oneErrorClass(project: string): Promise<boolean> {
  const program = `
    import { Billing, BillingError } from 'billwright';
    import { sqlite } from 'billwright/sqlite';
    const billing = await Billing.open({ storage: sqlite(':memory:') });
    const tenant = { apiKey: 'acme', apiSecret: 'acme-secret' };
    await billing.tenants.create({ userName: 'setup' }, tenant);
    const refused = await billing.tenants.create({ userName: 'setup' }, tenant).catch((error) => error);
    await billing.close();
    console.log(refused instanceof BillingError);`;
  const { stdout } = await runReporting(
    process.execPath,
    ['--input-type=module', '--eval', program],
    project,
  );
  return stdout.trim() === 'true';
}

/** Expects each command to name the packages to install if only billwright is installed. */
async function expectMissingPeersToBeNamed(project: string): Promise<void> {
  for (const [args, needed] of [
    [['serve'], ['@mikro-orm/sqlite', 'pino', 'koa', 'zod']],
    [
      ['check', '--database', 'postgresql://ada@127.0.0.1:9/shop'],
      ['@mikro-orm/postgresql', 'pino'],
    ],
    [['openapi'], ['koa', 'zod']],
  ] as const) {
    const failed = await run(process.execPath, [command, ...args], { cwd: project }).catch(
      (error: { readonly code: number; readonly stderr: string }) => error,
    );
    expect(failed).to.have.property('code', 1);
    const lines = failed.stderr.trim().split('\n');
    expect(lines).to.have.length(1);
    const versions: Readonly<Record<string, string>> = manifest.peerDependencies;
    for (const name of needed)
      expect(lines[0])
        .to.match(/: npm install /)
        .and.contain(`${name}@${versions[name]}`);
  }
}

interface Loaded {
  readonly own: number;
  readonly packages: ReadonlySet<string>;
  readonly builtin: readonly string[];
  readonly errors: string;
}

/** Returns the modules that `billwright serve` of the project loads until it is ready, run in a directory. */
async function loadedByServe(project: string, directory: string): Promise<Loaded> {
  const recorder = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({
      load(url, context, next) {
        urls.push(url);
        return next(url, context);
      },
    });
    process.on('exit', () => console.log(JSON.stringify({ urls, builtin: process.moduleLoadList })));`;
  const server = spawn(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(recorder)}`],
      ...[join(project, command), 'serve'],
      ...['--port', '0', '--database', ':memory:'],
    ],
    { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const errors = text(server.stderr);
  let last = '';
  for await (const line of createInterface({ input: server.stdout })) {
    last = line;
    if (line.includes('is ready')) server.kill('SIGTERM');
  }
  const { urls, builtin } = JSON.parse(last) as {
    readonly urls: readonly string[];
    readonly builtin: readonly string[];
  };
  const names = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  const own = names.filter((name) => name === 'billwright').length;
  return { own, packages: new Set(names), builtin, errors: await errors };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
