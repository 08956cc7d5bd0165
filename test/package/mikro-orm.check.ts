import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };
import { freshDatabase } from '../support/databases.ts';
import { packed } from './packed.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const packages = ['core', 'sql', 'migrations', 'sqlite', 'postgresql'].map((name) => `@mikro-orm/${name}`);
const peers = packages.filter((name) => Object.hasOwn(manifest.peerDependencies, name));

/** Bills a month. Prints the same result everywhere. */
const walk = `
  import { readFile } from 'node:fs/promises';
  import { Billing } from 'billwright';
  import { fakeClock, sandboxGateway } from 'billwright/testing';
  const [kind, place] = process.argv.slice(2);
  const storage =
    kind === 'sqlite'
      ? (await import('billwright/sqlite')).sqlite(place)
      : (await import('billwright/postgresql')).postgresql({ url: place, migrate: true });
  const clock = fakeClock('2024-01-31');
  const billing = await Billing.open({ storage, clock, gateways: [sandboxGateway()] });
  const tenant = await billing.tenants.create({ userName: 'setup' }, { apiKey: 'acme', apiSecret: 'acme-secret' });
  const acme = billing.as({ tenant: tenant.id, user: 'sign-up' });
  await acme.uploadCatalog(await readFile('meadow.xml'));
  const { id } = await acme.createAccount({ currency: 'EUR', timeZone: 'Europe/Berlin' });
  await acme.addPaymentMethod({ accountId: id, pluginName: 'sandbox', isDefault: true });
  await acme.createSubscription({ accountId: id, planName: 'sprout-monthly-direct' });
  await billing.settle();
  clock.advance({ months: 1 });
  await billing.settle();
  for (const { invoiceDate, amount, balance } of await acme.invoices.ofAccount({ accountId: id }))
    console.log(invoiceDate, String(amount), String(balance));
  await billing.close();`;

/** Installs the package like a host does, with the oldest and newest MikroORM versions in its range. */
describe('supported MikroORM versions', function () {
  this.timeout(300_000);

  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-mikro-orm-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('bill a month on both databases, in the oldest and in the newest allowed version', async () => {
    const { oldest, newest } = await endsOfRange();
    const { tarball } = await packed();
    for (const version of new Set([oldest, newest])) {
      const project = await projectWith(version, tarball);
      for (const kind of ['sqlite', 'postgresql'] as const) {
        const database = await freshDatabase(kind);
        const place = database.kind === 'sqlite' ? database.path : database.url;
        const { stdout } = await run(process.execPath, ['walk.mjs', kind, place], { cwd: project });
        expect([version, kind, stdout]).to.eql([version, kind, '2024-01-31 11 0\n2024-02-29 11 0\n']);
      }
    }
  });

  async function projectWith(version: string, tarball: string): Promise<string> {
    const project = join(directory, version);
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    await writeFile(join(project, 'walk.mjs'), walk);
    await copyFile(join(root, 'examples/catalogs/meadow.xml'), join(project, 'meadow.xml'));
    const names = peers.map((name) => `${name}@${version}`);
    // npm fails here if the version is outside the range.
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...names], {
      cwd: project,
    });
    return project;
  }
});

/** Returns the ends of the range. All MikroORM packages must have the same version, so only common versions count. */
async function endsOfRange(): Promise<{ readonly oldest: string; readonly newest: string }> {
  const [, oldest = ''] = /^\^(\d+\.\d+\.\d+)$/.exec(manifest.peerDependencies['@mikro-orm/core']) ?? [];
  const lists = await Promise.all(packages.map(versionsOf));
  const common = (lists[0] ?? []).filter((version) => lists.every((list) => list.includes(version)));
  const major = `${oldest.split('.', 1)[0]}.`;
  const inRange = common.filter((version) => /^[\d.]+$/.test(version) && version.startsWith(major));
  const newest = inRange.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  if (newest === undefined || !inRange.includes(oldest)) throw new Error(`The registry has no ${oldest}`);
  return { oldest, newest };
}

async function versionsOf(name: string): Promise<readonly string[]> {
  const { stdout } = await run('npm', ['view', name, 'versions', '--json']);
  return JSON.parse(stdout);
}
