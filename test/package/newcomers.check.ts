import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { sellFromTable } from '../../examples/catalog-plugin.ts';
import { sendInvoice } from '../../examples/e-invoice-sender.ts';
import { payThroughLedger } from '../../examples/payment-gateway.ts';
import { sellWithTax } from '../../examples/tax-plugin.ts';
import { billLoggedCalls } from '../../examples/usage-source.ts';
import { startPostgresql } from '../support/postgresql-server.ts';
import { cloneInto, Newcomer } from './newcomers.ts';
import { packed } from './packed.ts';
import { blocksOf, DOCUMENTS } from './readme-examples.ts';

const root = resolve(import.meta.dirname, '../..');

/** Runs the README line by line, like a user who has only npm. */
describe('newcomers', function () {
  this.timeout(300_000);

  let directory: string;
  let newcomer: Newcomer | undefined;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-newcomers-'));
  });
  afterEach(async () => {
    await newcomer?.stop();
    newcomer = undefined;
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('who try Billwright get a demo, a server, and a customer who is billed and pays', async () => {
    const [install, start, ...walk] = await shellBlocks('Try it');
    expect(walk).to.have.length(1);
    const home = join(directory, 'clone');
    await cloneInto(home, root);
    // This checkout already ran the first line; .ci/run runs it in a new clone.
    expect(install).to.match(/^npm ci\n/);
    await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
    newcomer = new Newcomer(home, undefined);
    expect(await newcomer.play(install?.replace('npm ci\n', '') ?? '')).to.match(/invoices/i);
    expect(newcomer.output).to.match(/password/i);
    await newcomer.play(start ?? '');
    const printed = await newcomer.play(walk.join('\n'));
    const invoices = JSON.parse(printed.slice(printed.lastIndexOf('[{'))) as readonly Record<
      string,
      unknown
    >[];
    expect(invoices.map(({ amount, balance }) => [amount, balance])).to.eql([
      [11, 0],
      [11, 0],
    ]);
  });

  it('who embed Billwright can install it and run all examples', async () => {
    const home = await emptyDirectory('app');
    newcomer = new Newcomer(home, process.execPath);
    for (const block of await shellBlocks('Embed it')) await newcomer.play(await withTarball(block));
    for (const document of Object.keys(DOCUMENTS)) {
      const [examples, texts] = await Promise.all([blocksOf(document, 'ts'), blocksOf(document, 'text')]);
      for (const [index, example] of examples.entries()) {
        await writeFile(join(home, 'app.mts'), example);
        const printed = await newcomer.play('node app.mts');
        expect(printed, document).to.equal(texts[index]);
        if (example.includes('tenants.ensure'))
          expect(await newcomer.play('node app.mts'), document).to.equal(printed);
      }
    }
    const examples = { 'payment-gateway': payThroughLedger, 'tax-plugin': sellWithTax };
    const others = {
      'usage-source': billLoggedCalls,
      'catalog-plugin': sellFromTable,
      'e-invoice-sender': sendInvoice,
    };
    for (const [name, play] of Object.entries({ ...examples, ...others })) {
      const copied = `cp node_modules/billwright/dist/examples/${name}.ts app.mts && node app.mts`;
      expect(await newcomer.play(copied), name).to.equal(`${(await play()).join('\n')}\n`);
    }
  });

  it('who operate Billwright can serve either database with Kill Bill headers', async () => {
    const postgresql = await startPostgresql();
    try {
      newcomer = new Newcomer(await emptyDirectory('server'), process.execPath);
      const [onSqlite, onPostgresql] = await shellBlocks('Run it');
      await newcomer.play(await withTarball(onSqlite ?? ''));
      await isServing(newcomer);
      const output = await newcomer.play('npx billwright backup --to backup.db\nnpx billwright check');
      expect(output)
        .to.match(/^Copied billwright\.db to backup\.db/)
        .and.to.match(/no inconsistencies found/i);
      // The test server already has a role named billwright.
      const [makeRole = ''] = await blocksOfSection('In production', 'sql');
      for (const statement of makeRole.replaceAll('billwright', 'newcomer').split(';'))
        if (statement.trim() !== '') await postgresql.administer(statement);
      const { host } = new URL(postgresql.url('newcomer'));
      const url = (onPostgresql ?? '').replaceAll('billwright:', 'newcomer:');
      await newcomer.play(url.replace('localhost/billwright', `${host}/newcomer --require-rls`));
      await isServing(newcomer);
      await newcomer.stop();
    } finally {
      await postgresql.stop();
    }
  });

  /** Returns the block with the packed file instead of the package name, which is not in the registry yet. */
  async function withTarball(block: string): Promise<string> {
    const { tarball } = await packed();
    return block.replace('npm install billwright', `npm install --no-audit --no-fund ${tarball}`);
  }

  async function emptyDirectory(name: string): Promise<string> {
    const home = join(directory, name);
    await mkdir(home);
    return home;
  }
});

/** Creates a tenant and reads its accounts, like a Kill Bill client. */
async function isServing({ output }: Newcomer): Promise<void> {
  const [, url] = /is ready at (\S+)/.exec(output) ?? [];
  const [, password] = /password (\S{24}) /.exec(output) ?? [];
  const headers = {
    authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    'content-type': 'application/json',
    'x-killbill-createdby': 'newcomer',
    'x-killbill-apikey': 'acme',
    'x-killbill-apisecret': 'acme-secret',
  };
  const body = JSON.stringify({ apiKey: 'acme', apiSecret: 'acme-secret' });
  const made = await fetch(`${url}/1.0/kb/tenants`, { method: 'POST', headers, body });
  expect(made.status, await made.text()).to.equal(201);
  expect(await (await fetch(`${url}/1.0/kb/accounts/pagination`, { headers })).json()).to.eql([]);
}

const shellBlocks = (section: string) => blocksOfSection(section, 'sh');

async function blocksOfSection(section: string, language: string): Promise<readonly string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const text = readme.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? '';
  const blocks = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return [...text.matchAll(blocks)].map((match) => match[1] ?? '');
}
