import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const VERSION = '7.10.0';
const kinds = ['sqlite', 'postgresql'] as const;

/**
 * Installed only for this check, because Prisma needs 300 MB. Generation needs neither scripts nor the schema engine.
 */
describe('Prisma transactions', function () {
  this.timeout(600_000);

  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-prisma-'));
    const project = {
      type: 'module',
      private: true,
      // The engine's own version, because both must use the same copy in a host's project.
      overrides: { 'better-sqlite3': manifest.devDependencies['better-sqlite3'] },
    };
    await writeFile(join(directory, 'package.json'), JSON.stringify(project));
    const packages = ['prisma', '@prisma/client', '@prisma/adapter-pg', '@prisma/adapter-better-sqlite3'];
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    const named = packages.map((name) => `${name}@${VERSION}`);
    await run('npm', ['install', ...flags, ...named], { cwd: directory });
    const installed = join(directory, 'node_modules', 'better-sqlite3');
    await rm(installed, { recursive: true });
    await symlink(join(root, 'node_modules', 'better-sqlite3'), installed);
    for (const kind of kinds) await generate(kind);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function generate(kind: (typeof kinds)[number]): Promise<void> {
    const home = join(directory, kind);
    await mkdir(home);
    const schema = join(home, 'schema.prisma');
    await writeFile(
      schema,
      `generator client {
        provider = "prisma-client"
        output = "./client"
      }
      datasource db {
        provider = "${kind}"
      }
      model Order {
        id Int @id
      }`,
    );
    const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
    const command = join('node_modules', 'prisma', 'build', 'index.js');
    await run(process.execPath, [command, 'generate', '--schema', schema], { cwd: directory, env });
  }

  it('commit and roll back engine changes on both databases, like transactions of other libraries', async () => {
    const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
    const files = ['test/storage/host-libraries.test.ts', '--grep', 'Prisma', '--reporter', 'json'];
    const env = { ...process.env, BILLWRIGHT_TEST_PRISMA: directory };
    const { stdout } = await run(process.execPath, [mocha, ...files], { cwd: root, env }).catch(
      (error: { readonly stdout: string }) => error,
    );
    const { stats, failures } = JSON.parse(stdout) as {
      readonly stats: { readonly passes: number };
      readonly failures: readonly {
        readonly fullTitle: string;
        readonly err: { readonly message: string };
      }[];
    };
    expect(failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`)).to.eql([]);
    expect(stats.passes).to.equal(3 * kinds.length);
  });

  it('are accepted by the compiler, unlike a client outside a transaction', async () => {
    await writeFile(join(directory, 'host.ts'), host);
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const typeRoots = [join(root, 'node_modules', '@types')];
    const compilerOptions = { types: ['node'], typeRoots, rewriteRelativeImportExtensions: false };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, files: ['host.ts'], include: [] };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = await run(process.execPath, [tsc, '-p', directory]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).to.equal('');
  });

  const place = (...path: readonly string[]) => JSON.stringify(join(root, 'adapters', ...path));
  const host = `
    import { PrismaPg } from '@prisma/adapter-pg';
    import { Billing } from ${place('node', 'billwright.ts')};
    import { postgresql } from ${place('mikro-orm', 'postgresql.ts')};
    import { sqlite } from ${place('mikro-orm', 'sqlite.ts')};
    import { PrismaClient } from './postgresql/client/client.ts';
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: 'postgresql://localhost' }) });
    const billing = await Billing.open({ storage: postgresql('postgresql://localhost') });
    const onFile = await Billing.open({ storage: sqlite('billing.db') });
    await prisma.$transaction(async (tx) => {
      await tx.order.create({ data: { id: 1 } });
      await billing.as({ tenant: 't', user: 'u' }).within(tx).createAccount({ currency: 'EUR' });
      await onFile.as({ tenant: 't', user: 'u' }).within(tx).createAccount({ currency: 'EUR' });
    });
    // @ts-expect-error the client itself is not a transaction
    billing.as({ tenant: 't', user: 'u' }).within(prisma);`;
});
