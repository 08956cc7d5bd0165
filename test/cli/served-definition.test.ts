import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, rowsOf } from '../support/index.ts';
import { login, type RunningServer, run, serving, start } from './program.ts';
import { speak } from './spoken.ts';

const headers = {
  ...login('admin', 'password'),
  'x-service-createdby': 'test',
  'x-service-apikey': 'bob',
  'x-service-apisecret': 'lazar',
  'content-type': 'application/json',
};

const definition = `
export default {
  gateways: [{ name: 'till', async purchase() { throw new Error('never'); }, async getPaymentInfo() { return []; } }],
  configuration: { 'org.service.server.basePath': '/billing' },
  opened: (billing) => console.log('opened', typeof billing.settle),
  nodeCommands: {
    FORGET: () => void Promise.reject(Object.defineProperty(new Error(), 'message', { get() { throw 1; } })),
  },
  closed: () => console.error('closed'),
};
`;

describe('server defined by a file in its directory', () => {
  let directory: string;
  let server: RunningServer;
  let log: string;
  const at = (name: string) => join(directory, name);
  const post = async (path: string, body: object, status = 201) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    expect((await fetch(`${server.url}/billing/1.0/kb/${path}`, init)).status).to.equal(status);
  };
  const countIn = async (path: string) =>
    Number(
      (await rowsOf({ kind: 'sqlite', path }, 'select count(*) as accounts from bw_accounts'))[0]?.accounts,
    );

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'billwright-defined-'));
    writeFileSync(at('billwright.config.mjs'), definition);
    const child = start(
      ['serve', '--port', '0', '--test-mode'],
      { SERVICE_server_limits_jsn: '1MiB' },
      directory,
    );
    server = await serving(child);
    await post('tenants', { apiKey: 'bob', apiSecret: 'lazar' });
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('uses the file’s plugins and properties, and a separate database in test mode', async () => {
    expect(server.greeting)
      .to.match(/^opened function$/m)
      .and.to.include('/billing/openapi.json');
    const nodes = await (await fetch(`${server.url}/billing/1.0/kb/nodesInfo`, { headers })).text();
    expect(nodes).to.include('"till"');
    expect(existsSync(at('billwright-test.db'))).to.equal(true);
    expect(existsSync(at('billwright.db'))).to.equal(false);
  });

  it('keeps running if a plugin does not await a rejected promise', async () => {
    const command = { nodeCommandType: 'FORGET', nodeCommandProperties: [], isSystemCommandType: false };
    await post('nodesInfo', command, 202);
    expect((await fetch(`${server.url}/billing/1.0/healthcheck`)).status).to.equal(200);
  });

  it('is backed up consistently during writes, to a file that only its owner can read', async () => {
    const copying = ['backup', '--database', at('billwright-test.db'), '--to', at('copy.db')];
    let isCopied = false;
    let written = 0;
    const writing = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isCopied) {
          await post('accounts', { currency: 'USD' });
          written += 1;
        }
      }),
    );
    while (written < 20) await setImmediate();
    const before = written;
    const { status, output, errors } = await speak(copying);
    const after = written;
    isCopied = true;
    await writing;
    expect(status, errors).to.equal(0);
    expect(output).to.match(/^Copied .*\nAlso keep the server key.*\nTo restore it, stop the server/);
    expect(statSync(at('copy.db')).mode & 0o077).to.equal(0);
    expect(existsSync(at('copy.db.unfinished'))).to.equal(false);
    // Up to four more writes may be stored whose responses have not arrived yet.
    expect(await countIn(at('copy.db'))).to.be.within(before, after + 4);
    expect(await speak(['check', '--database', at('copy.db')])).to.eql({
      status: 0,
      output: 'No inconsistencies found.\n',
      errors: '',
    });
    const again = await speak(copying);
    expect(again).to.include({ status: 2, output: '' });
    expect(again.errors).to.match(/copy\.db already exists and is not overwritten/);
    const nowhere = await speak([...copying.slice(0, -1), at('nowhere/copy.db')]);
    expect(nowhere.errors).to.match(/nowhere\/copy\.db cannot be written/);
    const server = await speak([
      'backup',
      '--database',
      'postgresql://ada:secret@h/shop',
      '--to',
      'shop.dump',
    ]);
    expect(server.status).to.equal(2);
    expect(server.errors).to.include(
      "pg_dump --format=custom --file='shop.dump' 'postgresql://postgres@h/shop', as a superuser",
    );
  });

  it('refuses to start, and leaves its database unchanged, if the program is older than the schema', async () => {
    const newer = "insert into bw_migrations (name) values ('99990101000000-newer')";
    await rowsOf({ kind: 'sqlite', path: at('copy.db') }, newer);
    for (const command of ['migrate', 'check']) {
      const { status, errors } = await speak([command, '--database', at('copy.db')]);
      expect(status).to.equal(1);
      expect(errors).to.match(
        /^billwright: The database \S+copy\.db was migrated by a newer version of billwright \(99990101000000-newer\); update/,
      );
    }
  });

  it('reports invalid gateways even in test mode, which uses its own gateway', async () => {
    writeFileSync(at('wrong.mjs'), 'export default { gateways: [undefined] };');
    const args = [
      'serve',
      '--port',
      '0',
      '--test-mode',
      '--config',
      at('wrong.mjs'),
      '--database',
      at('wrong.db'),
    ];
    const { code, errors } = await run(args);
    expect(code).to.equal(1);
    expect(errors.split('\n')).to.include('billwright: The payment gateway gateways[0] has no name');
  });

  it('reports its configuration source and ineffective variables, and lets the file close its resources', async () => {
    ({ log } = await server.stop());
    expect(log).to.match(/"file":"[^"]*billwright\.config\.mjs","msg":"configured by this file"/);
    expect(log).to.include('SERVICE_server_limits_jsn has no effect');
    expect(log).to.include('unhandled promise rejection');
    expect(log).to.match(/^closed\n/m);
  });
});
