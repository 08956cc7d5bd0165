import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyDatabase, expect, freshDatabase, migrated, rowsOf, type TestDatabase } from '../support/index.ts';
import { login, run, serve, serving, start } from './program.ts';

const password = 'a good password';
const keyless = { BILLWRIGHT_SERVER_KEY: '' };
const environment = { ...keyless, BILLWRIGHT_ADMIN_PASSWORD: password };

describe('server files', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'billwright-files-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('are private to their owner during and after the run (database, WAL, lock, sandbox, key)', async () => {
    const server = await serve(['--database', join(directory, 'mine.db'), '--test-mode'], keyless);
    const running = readdirSync(directory).toSorted();
    expect(running).to.include.members([
      'mine.db',
      'mine.db-shm',
      'mine.db-wal',
      'mine.db.key',
      'mine.db.lock',
      'mine.db.sandbox',
    ]);
    expect(open(running)).to.eql([]);
    await server.stop();
    expect(open(readdirSync(directory))).to.eql([]);
  });

  it('belong to one database each, even if two databases share a folder or run on PostgreSQL', async () => {
    const databases = await Promise.all(['one', 'two'].map(() => freshDatabase('postgresql', migrated)));
    for (const database of databases) {
      const args = ['serve', '--port', '0', '--test-mode', '--database', where(database)];
      await (await serving(start(args, keyless, directory))).stop();
    }
    const kinds = readdirSync(directory).map((name) => name.split('.').at(-1));
    expect(kinds.toSorted()).to.eql(['key', 'key', 'sandbox', 'sandbox']);
    // Serves the first database again, which finds its existing files.
    const [first] = databases;
    if (first === undefined) throw new Error('there are two databases');
    const again = ['serve', '--port', '0', '--test-mode', '--database', where(first)];
    await (await serving(start(again, keyless, directory))).stop();
    expect(readdirSync(directory)).to.have.length(4);
  });

  it('cause a warning if other users can read a key, and an error if a key is too short', async () => {
    const database = join(directory, 'mine.db');
    await (await serve(['--database', database], environment)).stop();
    chmodSync(`${database}.key`, 0o644);
    const { log } = await (await serve(['--database', database], keyless)).stop();
    expect(log).to.match(/other users can read the key file/);
    const short = await run(['serve', '--port', '0', '--database', database], {
      BILLWRIGHT_SERVER_KEY: 'short',
    });
    expect(short.code).to.equal(2);
    expect(short.errors).to.match(/BILLWRIGHT_SERVER_KEY: .*32 characters/);
  });

  it('include an encryption key, whose creation for an existing database is logged', async () => {
    const database = join(directory, 'mine.db');
    const first = await (await serve(['--database', database], environment)).stop();
    const again = await (await serve(['--database', database], environment)).stop();
    rmSync(`${database}.key`);
    const lost = await (await serve(['--database', database], environment)).stop();
    expect([first, again, lost].map(({ log }) => /the server key is new/.test(log))).to.eql([
      false,
      false,
      true,
    ]);
  });

  it('include an encryption key that rotate-key replaces only if the given old key is correct', async () => {
    const database = join(directory, 'mine.db');
    const args = ['--database', database];
    const server = await serve(args, environment);
    const token = await tokenOf(server.url);
    await server.stop();
    const keys = { BILLWRIGHT_SERVER_KEY: 'n'.repeat(40) };
    const wrong = await run(['rotate-key', ...args], {
      ...keys,
      BILLWRIGHT_FORMER_SERVER_KEY: 'x'.repeat(40),
    });
    expect([wrong.code, wrong.errors]).to.satisfy(
      ([code, errors]: [number, string]) => code === 1 && /old server key decrypts none of 1/.test(errors),
    );
    const rotated = await run(['rotate-key', ...args], keys);
    expect([rotated.code, rotated.output]).to.eql([
      0,
      'Secrets encrypted with the new key: 1. Already encrypted with it: 0.\n',
    ]);
    rmSync(`${database}.key`);
    const again = await serve(args, { ...environment, ...keys });
    expect(keyOf(await tokenOf(again.url))).to.equal(keyOf(token));
    await again.stop();
    expect((await run(['rotate-key', ...args], keys)).errors).to.match(/set BILLWRIGHT_FORMER_SERVER_KEY/);
  });

  it('are removed after a failed start', async () => {
    const away = 'postgresql://ada:secret@127.0.0.1:1/shop';
    const failed = await run(['serve', '--port', '0', '--database', away], environment, directory);
    expect([failed.code, readdirSync(directory)]).to.eql([1, []]);
  });

  it('cause an error if a folder has the name of the key file', async () => {
    const database = join(directory, 'mine.db');
    mkdirSync(`${database}.key`);
    const refused = await run(['serve', '--port', '0', '--database', database], environment);
    expect(refused.code).to.equal(2);
    expect(refused.errors).to.match(/mine\.db\.key .*BILLWRIGHT_SERVER_KEY/);
  });

  function open(names: readonly string[]): readonly string[] {
    return names.filter((name) => (statSync(join(directory, name)).mode & 0o077) !== 0);
  }

  anyDatabase((kind, openDatabase) => {
    it(`include the encryption key, which no text in the database contains (${kind})`, async () => {
      const database = await openDatabase(migrated);
      const args = ['serve', '--port', '0', '--database', where(database)];
      const server = await serving(start(args, environment, directory));
      const token = await tokenOf(server.url);
      const { log } = await server.stop();
      const [stored] = await rowsOf(database, 'select private_key from bw_signing_keys');
      expect(String(stored?.private_key)).to.match(/^\$aes256gcm\$/);
      const [, file = ''] = /"file":"([^"]+\.key)"/.exec(log) ?? [];
      expect(existsSync(file), 'the file that is named at the start').to.equal(true);
      expect(readFileSync(file, 'utf8').trim()).to.have.length(44);
      // A second start reads the file again; a start with a key in the environment still reads data encrypted with the
      // key in the file.
      for (const more of [{}, { BILLWRIGHT_SERVER_KEY: 'k'.repeat(32) }]) {
        const again = await serving(start(args, { ...environment, ...more }, directory));
        expect(keyOf(await tokenOf(again.url))).to.equal(keyOf(token));
        const source = 'BILLWRIGHT_SERVER_KEY' in more ? 'with BILLWRIGHT_SERVER_KEY' : file;
        expect((await again.stop()).log).to.include(source);
      }
    });
  });
});

function where(database: TestDatabase): string {
  return database.kind === 'sqlite' ? database.path : database.url;
}

async function tokenOf(url: string): Promise<string> {
  const init = { method: 'POST', headers: login('admin', password) };
  const answer = await fetch(`${url}/plugins/catalog-plugin/v1/auth`, init);
  expect(answer.status).to.equal(200);
  return ((await answer.json()) as { readonly token: string }).token;
}

function keyOf(token: string): unknown {
  const [header = ''] = token.split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { readonly kid: unknown }).kid;
}
