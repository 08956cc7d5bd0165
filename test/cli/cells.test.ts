import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandLine } from '../../adapters/cli/commands/command-line.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import {
  expect,
  migrated,
  onPostgresql,
  plainHasher,
  storageOf,
  type TestDatabase,
} from '../support/index.ts';
import { memoryDirectory } from '../support/memory-directory.ts';
import { serve } from './program.ts';

const urlOf = (database: TestDatabase) => (database.kind === 'postgresql' ? database.url : database.path);

onPostgresql.describe('commands on a server with cells', (open) => {
  it('migrate, list, check and repair each cell, and print its name', async () => {
    const [west, east] = [await open(), await open()];
    const config = join(await memoryDirectory('billwright-cells-'), 'billwright.config.mjs');
    const cells = { west: urlOf(west), east: urlOf(east) };
    await writeFile(config, `export default ${JSON.stringify({ cells })};`);
    const run = async (...args: readonly string[]) => {
      const lines: string[] = [];
      const print = (text: string) => lines.push(...text.trimEnd().split('\n'));
      const status = await runCommandLine([...args, '--config', config], { out: print, error: print });
      return { status, lines: lines.filter((line) => !line.startsWith('applied ')) };
    };
    expect((await run('migrate')).lines).to.eql([
      'The schema of the directory is now up to date.',
      'The schema of cell east is now up to date.',
    ]);
    const directory = storageOf(west);
    const billing = await Billing.cells<never>({
      directory,
      cells: { west: directory, east: storageOf(east) },
      hasher: plainHasher(),
    });
    for (const cell of ['west', 'east', 'east'])
      await billing.tenants.create(
        { userName: 'test' },
        { apiKey: `${cell}-${Math.random()}`, apiSecret: 's', cell },
      );
    await billing.tenants.create({ userName: 'test' }, { apiKey: 'known', apiSecret: 's', cell: 'east' });
    const { id } = await billing.tenants.getByApiKey('known');
    await billing.as({ tenant: id, user: 'test' }).createAccount({});
    const { tenant } = await billing.context({ tenant: id, user: 'test' });
    await directory.cells.beginMove(tenant.recordId, 'west');
    await billing.close();
    expect((await run('cells')).lines).to.eql([
      'west: 1 tenants, 0 accounts, 0 late entries',
      `  tenant ${id} is moving here`,
      'east: 3 tenants, 1 accounts, 0 late entries',
    ]);
    const [json = ''] = (await run('cells', '--json')).lines;
    expect(JSON.parse(json)).to.deep.include({
      name: 'west',
      number: 0,
      unfinishedMoves: [{ tenantId: id, isInterrupted: false }],
    });
    expect((await run('check')).lines).to.eql(['Cell west:', 'Cell east:', 'No inconsistencies found.']);
    expect((await run('check', '--tenant', 'known')).lines).to.eql([
      'Cell east:',
      'No inconsistencies found.',
    ]);
    expect((await run('queues', 'failed')).lines).to.eql(['No entries found.']);
    const freed = await run('queues', 'free', '--kind', 'bus', '--record', '1');
    expect(freed).to.eql({ status: 0, lines: ['0 freed.'] });
  }).timeout(120_000);

  it('reject a configuration without cells or with invalid cell databases', async () => {
    const printed = async (definition: object, ...args: readonly string[]) => {
      // Node loads a module with the same name only once.
      const config = join(await memoryDirectory('billwright-cells-'), 'billwright.config.mjs');
      await writeFile(config, `export default ${JSON.stringify(definition)};`);
      let text = '';
      const status = await runCommandLine([...args, '--config', config], {
        out: () => undefined,
        error: (line) => {
          text += line;
        },
      });
      expect(status).to.equal(2);
      return text;
    };
    expect(await printed({}, 'cells')).to.include('has no cells');
    expect(await printed({ cells: { west: 'west.db' } }, 'cells')).to.include('cells need PostgreSQL');
    expect(await printed({ cells: { west: 1 } }, 'cells')).to.include('cells must be an object');
  });

  it('serve all cells, but process only the queues of the specified cells', async () => {
    const [west, east] = [await open(migrated), await open(migrated)];
    const config = join(await memoryDirectory('billwright-cells-'), 'billwright.config.mjs');
    await writeFile(
      config,
      `export default ${JSON.stringify({ cells: { west: urlOf(west), east: urlOf(east) } })};`,
    );
    const server = await serve(['--config', config, '--work', 'east']);
    try {
      const health = await (await fetch(`${server.url}/1.0/healthcheck`)).json();
      expect(health).to.have.nested.property('database.healthy', true);
      expect(health).to.have.nested.property('queues.message', 'west: This node does not process the queues');
      const metrics = await fetch(`${server.url}/1.0/metrics`, { headers: { accept: 'text/plain' } });
      expect(await metrics.text()).to.match(/cell_reachable\{[^}]*cell="east"[^}]*\} 1/);
    } finally {
      expect((await server.stop()).code).to.equal(0);
    }
  }).timeout(120_000);
});
