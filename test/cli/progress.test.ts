import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { anyDatabase } from '../support/databases.ts';
import { migrated, storageOf } from '../support/storage.ts';
import { run, runOnTerminal } from './program.ts';

/** `script` from util-linux provides the pseudo-terminal. Other versions of `script` have different options. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';

anyDatabase.describe('command progress', (open, kind) => {
  let directory: string;
  let where: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-progress-'));
    const database = await open(migrated);
    where = database.kind === 'sqlite' ? database.path : database.url;
    const billing = await Billing.open({ storage: storageOf(database) });
    const tenant = await billing.tenants.create({ userName: 'test' }, { apiKey: 'bob', apiSecret: 'lazar' });
    await billing.as({ tenant, user: 'test' }).createAccount({ currency: 'USD' });
    await billing.close();
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const commands: readonly (readonly [
    command: string,
    options: readonly string[],
    progress: RegExp,
    output: RegExp,
  ])[] = [
    ['check', [], /Checking \S+ \(accounts: 1\)/, /^No inconsistencies found\.\n$/],
    ['migrate', [], /Migrating \S+/, /^The schema is up to date\.\n$/],
    [
      'archive-usage',
      ['--tenant', 'bob', '--before', '2026-01-01'],
      /Archiving usage of \S+/,
      /^0 points of 0 days were archived\.\n$/,
    ],
    ['backup', [], /Copying \S+/, /^Copied \S+ to \S+ \(\d+\.\d MiB\)\.\nAlso keep .+\nTo restore it, .+\n$/],
  ];
  for (const [command, options, progress, expected] of commands) {
    if (command === 'backup' && kind !== 'sqlite') continue;
    const argsFor = (name: string) => {
      const file = command === 'backup' ? ['--to', join(directory, name)] : [];
      return [command, '--database', where, ...options, ...file];
    };

    it(`appears on a terminal, separate from the output of ${command}`, async function () {
      if (!hasTerminal) {
        process.stderr.write('    NOT CHECKED: `script` of util-linux is not installed\n');
        this.skip();
      }
      const file = join(directory, `${command}.txt`);
      const terminal = await runOnTerminal(argsFor('terminal.db'), file);
      expect(terminal).to.match(progress);
      expect(terminal).to.contain(HIDE_CURSOR);
      expect(terminal.lastIndexOf(SHOW_CURSOR)).to.be.above(terminal.lastIndexOf(HIDE_CURSOR));
      expect(terminal).to.not.match(/:[^@/]+@/, 'the password');
      expect(await readFile(file, 'utf8')).to.match(expected);
    });

    it(`does not appear in a pipe, so that the pipe receives only the output of ${command}`, async () => {
      const { code, output, errors } = await run(argsFor('pipe.db'));
      expect({ code, errors }).to.eql({ code: 0, errors: '' });
      expect(output).to.match(expected);
    });
  }

  it('is not shown if the CI variable is set', async function () {
    if (!hasTerminal) this.skip();
    const file = join(directory, 'ci.txt');
    expect(await runOnTerminal(['check', '--database', where], file, { CI: 'true' })).to.equal('');
    expect(await readFile(file, 'utf8')).to.equal('No inconsistencies found.\n');
  });
});
