import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { expectBelow } from '../support/assertions.ts';
import { connectedAs, eachDatabase, freshDatabase } from '../support/databases.ts';
import { specCatalog } from '../support/engine.ts';
import { example } from '../support/files.ts';
import { isLongRun } from '../support/long-run.ts';
import { exampleJson, exampleXml } from '../support/overdue/example-config.ts';
import { rowsOf } from '../support/queue-rows.ts';
import { migrated } from '../support/storage.ts';
import { login, run, serve, serving, start } from './program.ts';
import { speak } from './spoken.ts';

async function statusAs(url: string, password: string): Promise<number> {
  return (await fetch(`${url}/1.0/kb/tenants?apiKey=none`, { headers: login('admin', password) })).status;
}

async function makeAccount(url: string, password: string): Promise<void> {
  const headers = {
    ...login('admin', password),
    'x-service-createdby': 'test',
    'x-service-apikey': 'bob',
    'x-service-apisecret': 'lazar',
    'content-type': 'application/json',
  };
  for (const [path, body] of [
    ['tenants', { apiKey: 'bob', apiSecret: 'lazar' }],
    ['accounts', { currency: 'USD' }],
  ] as const) {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    expect((await fetch(`${url}/1.0/kb/${path}`, init)).status).to.equal(201);
  }
}

describe('billwright command', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-cli-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('completes its work if the reader of its output closes the pipe', async () => {
    for (const args of [['serve', '--help'], ['openapi']]) {
      const child = start(args);
      child.stdout.destroy();
      const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      expect({ code, errors }, args.join(' ')).to.eql({ code: 0, errors: '' });
    }
  });

  it('prints the OpenAPI document', async () => {
    const { code, output } = await run(['openapi']);
    expect(code).to.equal(0);
    expect(JSON.parse(output)).to.have.nested.property(
      'paths./1\\.0/kb/accounts.post.operationId',
      'createAccount',
    );
  });

  it('uses properties from the environment, the default catalog and the default overdue configuration', async () => {
    const database = join(directory, 'configured.db');
    const meadow = fileURLToPath(example('catalogs/meadow.xml'));
    const overdue = join(directory, 'overdue.xml');
    await writeFile(overdue, exampleXml);
    const running = await serve(['--database', database, '--test-mode', '--default-catalog', meadow], {
      SERVICE_notifications_allowPrivateNetworks: 'true',
      SERVICE_overdue_uri: overdue,
    });
    try {
      const headers = {
        ...login('admin', 'password'),
        'x-service-createdby': 'test',
        'x-service-apikey': 'bob',
        'x-service-apisecret': 'lazar',
        'content-type': 'application/json',
      };
      const core = `${running.url}/1.0/kb`;
      const body = JSON.stringify({ apiKey: 'bob', apiSecret: 'lazar' });
      await fetch(`${core}/tenants?useGlobalDefault=true`, { method: 'POST', headers, body });
      const catalogs = (await (await fetch(`${core}/catalog`, { headers })).json()) as { name: string }[];
      expect(catalogs.map(({ name }) => name)).to.eql(['Meadow']);
      expect(await (await fetch(`${core}/overdue`, { headers })).json()).to.eql(exampleJson);
      const register = `${core}/tenants/registerNotificationCallback?cb=`;
      const statusOf = async (url: string) =>
        (await fetch(register + encodeURIComponent(url), { method: 'POST', headers })).status;
      expect(await statusOf('http://10.0.0.1/events')).to.equal(201);
      expect(await statusOf('https://example.com/events')).to.equal(201);
    } finally {
      await running.stop();
    }
  });

  it('responds immediately to a waiting request when the server stops', async () => {
    const running = await serve(['--database', join(directory, 'waiting.db'), '--test-mode'], {
      SERVICE_persistent_bus_main_off: 'true',
      SERVICE_notificationq_main_notification_off: 'true',
    });
    await makeAccount(running.url, 'password');
    const headers = {
      ...login('admin', 'password'),
      'x-service-createdby': 'test',
      'x-service-apikey': 'bob',
      'x-service-apisecret': 'lazar',
    };
    const core = `${running.url}/1.0/kb`;
    const meadow = await readFile(example('catalogs/meadow.xml'));
    const post = async (path: string, type: string, body: string | Buffer) =>
      fetch(`${core}${path}`, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
    await post('/catalog', 'text/xml', meadow);
    const [account] = (await (await fetch(`${core}/accounts/pagination`, { headers })).json()) as {
      accountId: string;
    }[];
    const subscription = JSON.stringify({ accountId: account?.accountId, planName: 'canopy-monthly' });
    expect((await post('/subscriptions', 'application/json', subscription)).status).to.equal(201);
    const waiting = fetch(`${core}/test/queues?timeoutSec=60`, { headers });
    await setTimeout(1_000);
    const startedMs = Date.now();
    const ended = running.stop();
    expect((await waiting).status).to.equal(412);
    const { code, log } = await ended;
    expect(code, log).to.equal(0);
    expectBelow(10_000, Date.now() - startedMs, 'milliseconds until the server has ended');
    expect(log).to.contain('"msg":"stopped"');
  });

  it('logs the path and client address of each request only with --access-log', async () => {
    const database = join(directory, 'logged.db');
    const requestsOf = async (...options: readonly string[]) => {
      const server = await serve(['--database', database, '--trusted-proxies', '127.0.0.1', ...options]);
      const headers = { 'x-forwarded-for': '192.0.2.7' };
      await fetch(`${server.url}/1.0/healthcheck/live?token=hidden`, { headers });
      const { log } = await server.stop();
      expect(log).not.to.include('hidden');
      const lines = log.split('\n').filter((line) => line.includes('"msg":"request"'));
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    expect(await requestsOf()).to.eql([]);
    const [line, ...others] = await requestsOf('--access-log');
    expect(others).to.eql([]);
    expect(line).to.include({
      method: 'GET',
      path: '/1.0/healthcheck/live',
      status: 200,
      address: '192.0.2.7',
    });
  });

  it('generates and shows a random password only at the first start', async () => {
    const database = join(directory, 'first.db');
    const first = await serve(['--database', database]);
    const password = /password (\S{24}) /.exec(first.greeting)?.[1] ?? '';
    expect(first.greeting).to.match(/as "admin"/);
    expect(await statusAs(first.url, password)).to.equal(404);
    expect(await statusAs(first.url, 'password')).to.equal(401);
    const stopped = await first.stop();
    expect(stopped.code).to.equal(0);
    expect(stopped.log).to.not.include(password);
    const second = await serve(['--database', database]);
    expect(second.greeting).to.match(/with the password of the first start/);
    expect(await statusAs(second.url, password)).to.equal(404);
    expect(
      (await fetch(`${second.url}/1.0/kb/test/clock`, { headers: login('admin', password) })).status,
    ).to.equal(404);
    expect((await second.stop('SIGINT')).code).to.equal(0);
  });

  it('keeps the generated password for the next start if the port is in use', async () => {
    const database = join(directory, 'taken.db');
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const failed = await run(['serve', '--port', String(port), '--database', database]);
    other.close();
    expect(failed.code).to.equal(1);
    expect(failed.errors).to.match(/Port \d+ of 127\.0\.0\.1 is in use: .*--port.*EADDRINUSE/);
    const server = await serve(['--database', database]);
    const password = /password (\S{24}) /.exec(failed.output + server.greeting)?.[1] ?? '';
    expect(await statusAs(server.url, password)).to.equal(404);
    await server.stop();
  });

  it('sets a new password', async () => {
    const database = join(directory, 'forgotten.db');
    await (await serve(['--database', database])).stop();
    const made = await run(['password', '--database', database]);
    const password = /password (\S{24}) /.exec(made.output)?.[1] ?? '';
    const server = await serve(['--database', database]);
    expect(await statusAs(server.url, password)).to.equal(404);
    await server.stop();
    const given = { BILLWRIGHT_ADMIN_PASSWORD: 'another secret' };
    expect((await run(['password', '--database', database], given)).output).to.not.include('another secret');
    const next = await serve(['--database', database]);
    expect(await statusAs(next.url, password)).to.equal(401);
    expect(await statusAs(next.url, 'another secret')).to.equal(404);
    await next.stop();
    const unknown = await run(['password', '--user', 'nobody', '--database', database]);
    expect(unknown.code).to.equal(1);
    expect(unknown.errors).to.match(/no user "nobody"/);
  });

  it('uses an initial password from the environment only if the password is long enough', async () => {
    const environment = { BILLWRIGHT_ADMIN_PASSWORD: 'long enough' };
    const server = await serve(['--database', join(directory, 'given.db')], environment);
    expect(server.greeting).to.match(/BILLWRIGHT_ADMIN_PASSWORD/);
    expect(server.greeting).to.not.include('long enough');
    expect(await statusAs(server.url, 'long enough')).to.equal(404);
    await server.stop();
    const short = await run(['serve', '--database', join(directory, 'short.db')], {
      BILLWRIGHT_ADMIN_PASSWORD: 'short',
    });
    expect(short.code).to.equal(2);
    expect(short.errors).to.match(/at least 8 characters/);
  });

  it('takes the initial administrator from the security.admin.* properties', async () => {
    const database = join(directory, 'named.db');
    const environment = {
      SERVICE_security_admin_user: 'root',
      SERVICE_org_killbill_security_admin_password: 'long enough',
    };
    const server = await serve(['--database', database], environment);
    expect(server.greeting).to.match(
      /"root" with the password of SERVICE_org_killbill_security_admin_password/,
    );
    const statusOf = async (user: string) =>
      (await fetch(`${server.url}/1.0/kb/nothing`, { headers: login(user, 'long enough') })).status;
    expect(await statusOf('root')).to.equal(404);
    expect(await statusOf('admin')).to.equal(401);
    await server.stop();
    const short = await run(['serve', '--database', join(directory, 'short.db')], {
      SERVICE_security_admin_password: 'short',
    });
    expect(short.code).to.equal(2);
    expect(short.errors).to.match(/SERVICE_security_admin_password needs at least 8 characters/);
  });

  it('rejects the test-mode administrator even under another name', async () => {
    const database = join(directory, 'renamed.db');
    await (await serve(['--database', database, '--test-mode'])).stop();
    const renamed = { SERVICE_security_admin_user: 'root', BILLWRIGHT_ADMIN_PASSWORD: 'long enough' };
    const refused = await run(['serve', '--port', '0', '--database', database], renamed);
    expect(refused.code).to.equal(1);
    expect(refused.errors).to.match(/administrator "admin" .* password --user/);
  });

  it('warns about test mode and rejects it in production', async () => {
    const args = ['--database', join(directory, 'test.db'), '--test-mode'];
    const server = await serve(args);
    expect(server.greeting).to.match(/TEST MODE/);
    expect(await statusAs(server.url, 'password')).to.equal(404);
    const { log } = await server.stop();
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(lines.find((line) => line.level === 40)?.msg).to.match(/^TEST MODE/);
    const refused = await run(['serve', ...args], { NODE_ENV: 'production' });
    expect(refused.code).to.equal(2);
    expect(refused.errors).to.match(/NODE_ENV/);
    expect((await run(['serve', ...args], { NODE_ENV: 'Production' })).code).to.equal(2);
  });

  it('uses server properties from options and the environment', async () => {
    const options = [
      '--base-path',
      '/billing',
      '--trusted-proxies',
      '127.0.0.1, 10.0.0.0/8',
      '--limit-json',
      '1KiB',
    ];
    const environment = {
      BILLWRIGHT_ADMIN_PASSWORD: 'long enough',
      SERVICE_jaxrs_location_host: 'api.example.com',
      SERVICE_server_basePath: '/ignored',
      SERVICE_server_limits_rate_principal: '2',
      SERVICE_server_limits_rate_tenant: 'off',
      SERVICE_server_limits_rate_gateways: '1',
      SERVICE_server_limits_text: '11MiB',
      SERVICE_org_killbill_server_defaultDialect: 'K',
      SERVICE_server_nodeName: 'node-7',
    };
    const server = await serve(['--database', join(directory, 'settings.db'), ...options], environment);
    expect(server.greeting).to.include('/billing/openapi.json');
    const create = (apiSecret: string, createdBy = 'x-service-createdby') =>
      fetch(`${server.url}/billing/1.0/kb/tenants`, {
        method: 'POST',
        headers: {
          ...login('admin', 'long enough'),
          'x-forwarded-proto': 'https',
          'content-type': 'application/json',
          [createdBy]: 'demo',
        },
        body: JSON.stringify({ apiKey: 'bob', apiSecret }),
      });
    const made = await create('lazar');
    expect(made.headers.get('location')).to.match(
      /^https:\/\/api\.example\.com\/billing\/1\.0\/kb\/tenants\//,
    );
    expect((await create('x'.repeat(1_024))).status).to.equal(413);
    expect(await (await create('lazar', 'x-other')).text()).to.include('X-Killbill-CreatedBy');
    const uploaded = await fetch(`${server.url}/billing/1.0/kb/catalog/xml`, {
      method: 'POST',
      headers: {
        ...login('admin', 'long enough'),
        'x-service-apikey': 'bob',
        'x-service-apisecret': 'lazar',
        'x-service-createdby': 'demo',
        'content-type': 'text/xml',
      },
      body: (await readFile(specCatalog, 'utf8')) + ' '.repeat(10 * 2 ** 20),
    });
    expect(uploaded.status).to.equal(201);
    const burst = await Promise.all(Array.from({ length: 8 }, () => create('x'.repeat(1_024))));
    expect(burst.map(({ status }) => status)).to.include.members([413, 429]);
    const notify = () =>
      fetch(`${server.url}/billing/gateways/bob/nothing`, { method: 'POST', body: 'paid' });
    const notified = await Promise.all(Array.from({ length: 8 }, notify));
    expect(notified.map(({ status }) => status)).to.include.members([404, 429]);
    expect((await server.stop()).log).to.include('"node":"node-7"');
    const refused = await run(['serve', '--port', '0'], { SERVICE_server_trustedProxies: 'nowhere' });
    expect(refused.code).to.equal(2);
    expect(refused.errors).to.match(/SERVICE_server_trustedProxies "nowhere"/);
  });

  it('keeps the sandbox ledger in a file even on PostgreSQL', async () => {
    const database = await freshDatabase('postgresql', migrated);
    if (database.kind !== 'postgresql') throw new Error('not the database asked for');
    const args = ['serve', '--port', '0', '--test-mode', '--database', database.url];
    const name = new URL(database.url).pathname.slice(1);
    for (const [more, file] of [
      [[], `billwright-${name}-[0-9a-f]{8}\\.sandbox`],
      [['--sandbox-ledger', join(directory, 'of-all-nodes')], 'of-all-nodes'],
    ] as const) {
      const server = await serving(start([...args, ...more], {}, directory));
      const found = new RegExp(`"file":"([^"]*/${file})"`).exec((await server.stop()).log);
      expect(existsSync(found?.[1] ?? '')).to.equal(true);
    }
  });

  it('rejects a database with the test-mode administrator password outside test mode', async () => {
    const database = join(directory, 'tested.db');
    await (await serve(['--database', database, '--test-mode'])).stop();
    const refused = await run(['serve', '--port', '0', '--database', database]);
    expect(refused.code).to.equal(1);
    expect(refused.errors).to.match(/billwright password/);
    if (!isLongRun) return;
    const known = { BILLWRIGHT_ADMIN_PASSWORD: 'password' };
    expect((await run(['password', '--database', database], known)).code).to.equal(2);
    await run(['password', '--database', database], { BILLWRIGHT_ADMIN_PASSWORD: 'a better one' });
    const server = await serve(['--database', database]);
    expect(await statusAs(server.url, 'a better one')).to.equal(404);
    await server.stop();
    const test = await serve(['--database', database, '--test-mode']);
    expect(await statusAs(test.url, 'password')).to.equal(401);
    expect(test.greeting).to.not.match(/password password/);
    expect(test.greeting).to.match(/already in use .*Without --database/);
    expect((await test.stop()).log).to.match(/keeps its existing password/);
  });

  it('rejects a superuser with --require-rls, but only warns in the log and in /healthcheck without the option', async () => {
    const database = await connectedAs('superuser', await freshDatabase('postgresql', migrated));
    if (database.kind !== 'postgresql') throw new Error('not the database asked for');
    const where = ['--database', database.url];
    const refused = await run(['serve', '--port', '0', '--require-rls', ...where]);
    expect(refused.code).to.equal(1);
    expect(refused.errors).to.match(/^billwright: Row-level security is required .* the role "postgres"/m);
    const server = await serve(where);
    const health = await (await fetch(`${server.url}/1.0/healthcheck`)).json();
    const { log } = await server.stop();
    expect(health).to.have.nested.property('database.healthy', true);
    expect(health).to.have.nested.property('database.message').that.contains('Row-level security');
    expect(log).to.match(/"role":"postgres","msg":"row-level security does not apply to the database role/);
  });

  it('explains why it cannot reach a missing database', async () => {
    const { status, errors } = await speak(['migrate', '--database', 'postgresql://x:y@127.0.0.1:9/none']);
    expect(status).to.equal(1);
    expect(errors).to.match(
      /billwright: The database postgresql:\/\/x@127\.0\.0\.1:9\/none cannot be reached.* Start PostgreSQL.*\(connect ECONNREFUSED 127\.0\.0\.1:9\)/,
    );
  });

  it('rejects a missing PostgreSQL schema and names the command that creates it', async () => {
    const database = await freshDatabase('postgresql');
    if (database.kind !== 'postgresql') throw new Error('not the database asked for');
    const refused = await speak(['check', '--database', database.url]);
    expect(refused.status).to.equal(1);
    expect(refused.errors).to.match(/The database postgresql:\S+ lacks .* run "billwright migrate"/);
    const other = await speak(['check', '--database', database.url.replace(/[^/]+$/, 'nobodys')]);
    expect(other.errors).to.match(/nobodys does not exist: create it with createdb --owner=\S+ nobodys, /);
  });
});

// The tests above already create many SQLite databases.
eachDatabase((kind, open) => {
  if (kind === 'sqlite' && !isLongRun) return;
  it(`migrates, serves, checks and archives a ${kind} database`, async () => {
    const database = await open();
    const where = database.kind === 'sqlite' ? database.path : database.url;
    const first = await run(['migrate', '--database', where]);
    expect(first.code, first.errors).to.equal(0);
    expect(first.output).to.match(/^applied /);
    expect((await run(['migrate', '--database', where])).output).to.equal('The schema is up to date.\n');
    const server = await serve(['--database', where], { BILLWRIGHT_ADMIN_PASSWORD: 'long enough' });
    expect(await statusAs(server.url, 'long enough')).to.equal(404);
    await makeAccount(server.url, 'long enough');
    const checked = await run(['check', '--database', where]);
    expect(checked, 'beside the server').to.include({ code: 0, output: 'No inconsistencies found.\n' });
    const { code, log } = await server.stop();
    expect(code).to.equal(0);
    const archiving = ['archive-usage', '--database', where, '--tenant', 'bob', '--before'];
    const archived = await run([...archiving, '2026-01-01']);
    expect(archived, archived.errors).to.include({ code: 0, output: '0 points of 0 days were archived.\n' });
    expect(await run([...archiving, '2026-01-02'])).to.include({ code: 1, output: '' });
    await rowsOf(database, 'delete from bw_audit_log');
    const damaged = await run(['check', '--database', where, '--tenant', 'bob', '--json']);
    expect(damaged.code).to.equal(3);
    const [breach, end] = damaged.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(breach).to.include({ invariant: 'AUDIT' });
    expect(end).to.eql({ breaches: 1 });
    if (database.kind === 'postgresql') expect(log).to.not.include(new URL(where).password);
  });
});
