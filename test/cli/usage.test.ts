import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { httpSettings } from '../../adapters/cli/serve-options.ts';
import manifest from '../../package.json' with { type: 'json' };
import { speak } from './spoken.ts';

const commands = [
  'serve',
  'init',
  'migrate',
  'backup',
  'password',
  'rotate-key',
  'check',
  'queues',
  'archive-usage',
  'openapi',
];

const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
  [[], 'billwright: specify a command: serve, init,'],
  [['nonsense'], `billwright: unknown command 'nonsense'. See "billwright --help"`],
  [['toString'], `billwright: unknown command 'toString'. See "billwright --help"`],
  [['help', 'nonsense'], `billwright: there is no command nonsense to describe. See "billwright --help"`],
  [['sirve'], `billwright: unknown command 'sirve' (Did you mean serve?). See "billwright --help"`],
  [
    ['--versoin'],
    `billwright: unknown option '--versoin' (Did you mean --version?). See "billwright --help"`,
  ],
  [
    ['serve', '--tset-mode'],
    `billwright serve: unknown option '--tset-mode' (Did you mean --test-mode?). See "billwright serve --help"`,
  ],
  [
    ['serve', '--port'],
    `billwright serve: option '--port <n>' argument missing. See "billwright serve --help"`,
  ],
  [['serve', '8080'], "too many arguments for 'serve'"],
  [['archive-usage', '--tenant', 'bob'], "required option '--before <date>' not specified"],
  [
    ['queues', 'early'],
    'Allowed choices are late, busy, failed, put-back, free. See "billwright queues --help"',
  ],
  [['queues', 'put-back', '--kind', 'bus'], 'put-back needs --kind and at least one --record'],
  [['queues', 'free', '--record', '7'], 'free needs --kind and at least one --record'],
  [['queues', 'free', '--kind', 'bus', '--record', '0'], '--record 0 is not a positive whole number'],
  [['serve', '--port', 'http'], '--port http is not a port'],
  [['serve', '--host', ''], '--host is empty: specify an address'],
  [
    ['serve', '--trusted-proxies', '10.0.0.0/33'],
    '--trusted-proxies "10.0.0.0/33" is not a list of addresses',
  ],
  [['serve', '--base-path', 'billing'], '--base-path "billing" is not a path'],
  [['serve', '--location-full-url', 'no'], 'true or false'],
  [['serve', '--default-dialect', 'X'], 'is not D or K'],
  [['serve', '--limit-json', 'much'], '--limit-json "much" is not a size'],
  [['serve', '--limit-rate-tenant', '1.5'], '--limit-rate-tenant "1.5" is not a whole number'],
  [['serve', '--sandbox-ledger', 'ledger'], 'needs --test-mode'],
  [['serve', '--require-rls'], 'needs a PostgreSQL database'],
  [['serve', '--workers', '2'], '--workers needs a PostgreSQL database: only one process can serve a SQLite'],
  [['serve', '--workers', '0'], '--workers "0" is not a number from 1 to 256 or auto'],
  [['serve', '--workers', 'all'], '--workers "all" is not a number from 1 to 256 or auto'],
  [['serve', '--workers', '2', '--test-mode'], '--workers cannot be combined with test mode'],
  [['serve', '--default-catalog', 'nowhere.xml'], '--default-catalog: '],
  [['serve', '--default-overdue', 'nowhere.xml'], '--default-overdue: '],
  [['serve', '--config', 'nowhere.json'], 'nowhere.json: ENOENT'],
  ...[
    '',
    'postgress://ada:secret@db.example/shop',
    'postgresql:shop',
    'mysql://ada:secret@db.example/shop',
    'host=db.example dbname=shop',
    'file:shop.db',
  ].map(
    (name) => [['serve', '--database', name], '--database is neither the path of a SQLite file'] as const,
  ),
  [['serve', '--database', 'postgresql://ada:secret@db.example'], '--database does not name a database'],
  [['migrate', '--database', 'Postgresql://ada:%secret@db.example/shop'], '--database is not a URL such as'],
  [
    ['serve', '--database', 'postgresql://one,two/shop?target_session_attrs=standby'],
    '--database has an invalid target_session_attrs',
  ],
  ...[['check'], ['password'], ['queues'], ['queues', 'free', '--kind', 'bus', '--record', '7']].map(
    (args) => [[...args, '--database', 'nowhere.db'], 'the database nowhere.db does not exist'] as const,
  ),
  [
    ['migrate', '--database', '/nowhere/a.db'],
    'the directory /nowhere of the database /nowhere/a.db does not exist',
  ],
  [['backup', '--database', 'a.db'], "required option '--to <file>' not specified"],
];

describe('command line help', () => {
  for (const [args, message] of wrong)
    it(`is replaced by a one-line error and status 2 for billwright ${args.join(' ')}`, async () => {
      const { status, output, errors } = await speak(args);
      expect(status).to.equal(2);
      expect(output).to.equal('');
      expect(errors).to.include(message);
      expect(errors.trimEnd().split('\n')).to.have.length(1);
      expect(errors).to.not.include('secret');
    });

  it('describes all commands together, and each command with its own options', async () => {
    const { status, output } = await speak(['--help']);
    expect(status).to.equal(0);
    expect(output).to.match(/^Usage: billwright/);
    for (const name of commands) {
      expect(output).to.match(new RegExp(`^  ${name} `, 'm'));
      const help = await speak([name, '--help']);
      expect(help.status).to.equal(0);
      expect(help.output).to.match(new RegExp(`^Usage: billwright ${name} `));
      expect((await speak(['help', name])).output).to.equal(help.output);
      expect(help.output.includes('--base-path'), name).to.equal(name === 'serve');
    }
  });

  it('includes every documented command and option', async () => {
    const helps = await Promise.all(commands.map(async (name) => (await speak([name, '--help'])).output));
    const known = new Set(helps.join('\n').match(/--[a-z][\w-]+/g));
    const missing: string[] = [];
    for (const document of ['README.md', 'adapters/cli/README.md', 'SECURITY.md']) {
      const text = await readFile(new URL(`../../${document}`, import.meta.url), 'utf8');
      const quotedCommands = [
        ...text.matchAll(/`(--[\w-]+(?![\w:-])[^`\n]*|(?:npx )?billwright [^`\n]+)`/g),
      ].map(([, code = '']) => code);
      const lines = text.split('\n').filter((line) => /^ *npx billwright /.test(line));
      for (const code of [...quotedCommands, ...lines]) {
        const [, command = ''] = /\bbillwright ([a-z][\w-]*)/.exec(code) ?? [];
        if (command !== '' && !commands.includes(command)) missing.push(`${document}: ${command}`);
        const options = code.match(/--[a-z][\w-]+/g) ?? [];
        missing.push(...options.filter((each) => !known.has(each)).map((each) => `${document}: ${each}`));
      }
    }
    expect(missing).to.eql([]);
  });

  it('is replaced by the version if --version is given', async () =>
    expect(await speak(['--version'])).to.eql({ status: 0, output: `${manifest.version}\n`, errors: '' }));

  it('lists every option with a value for the serve command', async () => {
    const { output } = await speak(['serve', '--help']);
    const names = [...output.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name = '']) => name);
    const readNames: string[] = [];
    const given = new Proxy<Record<string, undefined>>(
      {},
      {
        get: (_target, name) => {
          readNames.push(String(name));
          return undefined;
        },
      },
    );
    httpSettings(given, {});
    expect(readNames).to.have.length.greaterThan(20);
    expect(names).to.include.members(readNames);
  });
});
