import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { progressText } from '../../adapters/cli/cells.ts';
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

const urlOf = (database: TestDatabase) => (database.kind === 'postgresql' ? database.url : database.path);

onPostgresql.describe('tenant move command', (open) => {
  it('moves a tenant, undoes nothing if no move is in progress, and is rejected if incomplete or invalid', async () => {
    const [west, east] = [await open(migrated), await open(migrated)];
    const config = join(await memoryDirectory('billwright-cells-'), 'billwright.config.mjs');
    const urls = { west: urlOf(west), east: urlOf(east) };
    await writeFile(config, `export default ${JSON.stringify({ cells: urls })};`);
    const run = async (...args: readonly string[]) => {
      let text = '';
      const print = (line: string) => {
        text += line;
      };
      const given = ['tenants', 'move', ...args, '--config', config];
      return { status: await runCommandLine(given, { out: print, error: print }), text: text.trim() };
    };
    const opened = async () => {
      const directory = storageOf(west);
      const cells = { west: directory, east: storageOf(east) };
      return Billing.cells<never>({ directory, cells, hasher: plainHasher() });
    };
    const before = await opened();
    const secrets = { apiKey: 'acme', apiSecret: 'secret' };
    const { id } = await before.tenants.create({ userName: 'test' }, { ...secrets, cell: 'west' });
    const account = await before.as({ tenant: id, user: 'test' }).createAccount({});
    await before.close();

    const moved = await run('acme', '--to', 'east', '--clean-up-after', '0');
    expect(moved.text).to.match(
      /^The tenant acme is now in the cell east[.] Its writes were rejected for \d+[.]\d s[.]$/,
    );
    const after = await opened();
    expect((await after.cells.of(id)).cell).to.equal('east');
    expect((await after.as({ tenant: id, user: 'test' }).getAccount(account.id)).id).to.equal(account.id);
    await after.close();
    expect(await run('acme', '--to', 'east')).to.eql({
      status: 0,
      text: 'The tenant acme is in the cell east.',
    });
    expect(await run('acme', '--undo')).to.eql({
      status: 0,
      text: 'The tenant acme is not moving. It is in the cell east.',
    });
    for (const [args, printed] of [
      [['acme'], 'specify the new cell with --to'],
      [['acme', '--to', 'east', '--undo'], 'specify the new cell with --to'],
      [['nobody', '--to', 'east'], 'nobody is not the id or API key of a tenant'],
      [['acme', '--to', 'west', '--clean-up-after', 'soon'], 'must be a number of seconds'],
    ] as const) {
      const { status, text } = await run(...args);
      expect(status, text).to.equal(2);
      expect(text).to.contain(printed);
    }
    expect((await run('acme', '--to', 'north')).text).to.contain('The cells are west, east');
  }).timeout(120_000);

  it('shows the progress of the current step as a bar', () => {
    expect(progressText({ step: 'COPYING', tablesDone: 19, tables: 76, rows: 21_000 })).to.equal(
      'copying [#####---------------] 21,000 rows',
    );
  });
});
