import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { login, run } from '../cli/program.ts';
import { freshDatabase, type TestDatabase } from '../support/databases.ts';
import { example } from '../support/files.ts';
import { expect, rowsOf } from '../support/index.ts';
import { migrated } from '../support/storage.ts';
import { WorkerServer } from './worker-server.ts';

const PASSWORD = 'a password of the tests';
const WORKERS = 2;
const ACCOUNTS = 30;
/** Concurrent clients, each with one request at a time. */
const CLIENTS = 8;
const credentials = {
  ...login('admin', PASSWORD),
  'x-service-createdby': 'test',
  'x-service-apikey': 'bob',
  'x-service-apisecret': 'lazar',
  'content-type': 'application/json',
};

describe('server workers', function () {
  this.timeout(300_000);
  let directory: string;
  let database: TestDatabase & { readonly kind: 'postgresql' };
  let server: WorkerServer;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-workers-'));
    const found = await freshDatabase('postgresql', migrated);
    if (found.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    database = found;
    server = await serveWith('--workers', String(WORKERS), '--access-log');
    const body = JSON.stringify({ apiKey: 'bob', apiSecret: 'lazar' });
    expect((await post('/tenants?useGlobalDefault=true', body)).status).to.equal(201);
  });

  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const serveWith = (...args: readonly string[]): Promise<WorkerServer> => {
    const catalog = fileURLToPath(example('catalogs/meadow.xml'));
    const given = ['--database', database.url, '--default-catalog', catalog, ...args];
    return WorkerServer.start(given, { BILLWRIGHT_ADMIN_PASSWORD: PASSWORD });
  };

  const post = (path: string, body: string) =>
    server.send(`/1.0/kb${path}`, { method: 'POST', headers: credentials, body });

  it('share one login and one address, and are registered as nodes of the database', async () => {
    expect(server.greeting.filter((line) => line.startsWith('Log in'))).to.have.length(1);
    expect(server.greeting.filter((line) => line.includes('is ready at'))).to.have.length(1);
    const nodes: unknown = JSON.parse(
      (await server.send('/1.0/kb/nodesInfo', { headers: credentials })).body,
    );
    expect(nodes).to.have.length(WORKERS);
  });

  it('share requests and log the worker that handled each request', async () => {
    for (let count = 0; count < 2 * WORKERS; count += 1) await server.send('/1.0/ping');
    const workers = () =>
      new Set(server.log.filter(({ msg }) => msg === 'request').map(({ worker }) => worker));
    await server.until(() => workers().size === WORKERS);
  });

  it('share the work of the queue', async () => {
    await Promise.all(Array.from({ length: ACCOUNTS }, subscribe));
    await server.until(async () => (await invoices()) === ACCOUNTS);
    const [row] = await rowsOf(
      database,
      'select count(distinct processing_owner) as owners from bw_queue_history',
    );
    expect(Number(row?.owners)).to.equal(WORKERS);
  });

  it('report the sum of their metrics, even after a restart', async () => {
    const counted = async (): Promise<number> => {
      const { body } = await server.send('/metrics');
      const [, count = '0'] =
        /^billwright_http_requests_total\{route="\/1.0\/ping",.*,status="200".*\} (\d+)$/m.exec(body) ?? [];
      return Number(count);
    };
    const before = await counted();
    const pings = 10;
    for (let count = 0; count < pings; count += 1) await server.send('/1.0/ping');
    expect(await counted()).to.equal(before + pings);
    await restarted();
    expect(await counted()).to.equal(before + pings);
    const { gauges } = JSON.parse((await server.send('/1.0/metrics')).body);
    expect(gauges.billwright_workers).to.eql({ value: WORKERS });
  });

  it('leave and enter rotation together', async () => {
    const statuses = async () => {
      const all = await Promise.all(
        Array.from({ length: 2 * WORKERS }, () => server.send('/1.0/healthcheck')),
      );
      return [...new Set(all.map(({ status }) => status))];
    };
    const rotate = (method: string) =>
      server.send('/1.0/kb/admin/healthcheck', { method, headers: credentials });
    expect((await rotate('DELETE')).status).to.equal(204);
    expect(await statuses()).to.eql([503]);
    expect((await post('/accounts', '{"currency":"USD"}')).status).to.equal(503);
    await restarted();
    expect(await statuses(), 'after a restart').to.eql([503]);
    expect((await rotate('PUT')).status).to.equal(204);
    expect(await statuses()).to.eql([200]);
    const health = JSON.parse((await server.send('/1.0/healthcheck')).body);
    expect(health.workers).to.eql({ healthy: true, message: '2 of 2 workers are serving' });
  });

  it('are restarted by SIGHUP without a failed request', async () => {
    const former = [...server.workers.values()];
    const load = underLoad();
    await restarted();
    const { sent, failed } = await load.end();
    expect(failed).to.eql([]);
    expect(sent).to.be.above(CLIENTS);
    expect([...server.workers.values()])
      .to.have.length(WORKERS)
      .and.not.include.members(former);
  });

  it('are replaced after kill -9 and lose only the requests of the killed worker', async () => {
    const before = await invoices();
    const [[number = 0, victim = 0] = []] = server.workers;
    const load = underLoad();
    const work = Promise.allSettled(Array.from({ length: ACCOUNTS }, subscribe));
    await server.until(async () => (await invoices()) > before);
    process.kill(victim, 'SIGKILL');
    await server.until(() => {
      const pid = server.workers.get(number);
      return pid !== undefined && pid !== victim;
    });
    const { failed } = await load.end();
    expect(failed.length, failed.join()).to.be.at.most(CLIENTS);
    expect(failed.filter((each) => /abort/i.test(each))).to.eql([]);
    const made = (await work).filter(({ status }) => status === 'fulfilled').length;
    expect(made).to.be.at.least(ACCOUNTS / 2);
    await server.until(async () => (await invoices()) >= before + made);
    await server.until(async () => (await dueEntries()) === 0);
    expect(server.count('a worker ended unexpectedly')).to.equal(1);
    expect((await server.send('/metrics')).body).to.contain('\nbillwright_workers_replaced_total 1\n');
  });

  it('exit together on SIGTERM and release the port', async () => {
    const other = await serveWith('--workers', 'auto', '--node-name', 'north');
    const workers = [...other.workers.values()];
    const { body } = await other.send('/1.0/kb/nodesInfo', { headers: credentials });
    expect(await other.stop()).to.equal(0);
    expect(workers).to.have.length(availableParallelism());
    const names = (JSON.parse(body) as { readonly nodeName: string }[]).map(({ nodeName }) => nodeName);
    expect(names).to.include.members(workers.map((_pid, index) => `north.${index + 1}`));
    expect(other.count('stopped')).to.equal(workers.length + 1);
    for (const pid of workers) expect(() => process.kill(pid, 0), String(pid)).to.throw('ESRCH');
    await other.send('/1.0/ping').then(
      () => expect.fail('the port is open'),
      (error: unknown) => expect(error).to.have.property('code', 'ECONNREFUSED'),
    );
  });

  it('stop the server and report the reason if they fail to start', async () => {
    const config = join(directory, 'failing.config.mjs');
    await writeFile(config, 'export default { opened: () => process.exit(7) };');
    const { code, errors } = await run(
      ['serve', '--port', '0', '--database', database.url, '--config', config, '--workers', '2'],
      { BILLWRIGHT_ADMIN_PASSWORD: PASSWORD },
    );
    expect(code).to.equal(1);
    expect(errors).to.contain('Worker 1 ended with status 7 before it was ready');
  });

  it('keep serving requests if their replacements cannot start', async () => {
    const config = join(directory, 'changing.config.mjs');
    await writeFile(config, 'export default {};');
    const other = await serveWith('--workers', '1', '--config', config);
    try {
      const former = [...other.workers.values()];
      await writeFile(config, 'export default { opened: () => { throw new Error("not today"); } };');
      other.signal('SIGHUP');
      await other.until(() => other.count('the restart ends: the new worker is not healthy') === 1);
      expect([...other.workers.values()]).to.eql(former);
      expect((await other.send('/1.0/ping')).status).to.equal(200);
    } finally {
      await other.stop();
    }
  });

  async function restarted(): Promise<void> {
    const count = server.count('all workers are restarted');
    server.signal('SIGHUP');
    await server.until(() => server.count('all workers are restarted') > count);
  }

  /** Creates an account with a subscription, which the queue invoices. */
  async function subscribe(): Promise<void> {
    const { status, body, location } = await post('/accounts', '{"currency":"USD"}');
    if (status !== 201) throw new Error(body);
    const accountId = location.split('/').at(-1);
    const subscription = JSON.stringify({ accountId, planName: 'sprout-monthly-direct' });
    const created = await post('/subscriptions', subscription);
    if (created.status !== 201) throw new Error(created.body);
  }

  async function dueEntries(): Promise<number> {
    const [row] = await rowsOf(
      database,
      `select count(*) as due from bw_queue_entries where effective_date <= ${Date.now()}`,
    );
    return Number(row?.due);
  }

  async function invoices(): Promise<number> {
    const [row] = await rowsOf(database, 'select count(*) as found from bw_invoices');
    return Number(row?.found);
  }

  /** Creates through open connections and reads through new ones until it is ended. */
  function underLoad() {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const failed: string[] = [];
    let sent = 0;
    let isOver = false;
    const client = async (): Promise<void> => {
      while (!isOver) {
        sent += 1;
        const isRead = sent % 2 === 0;
        const options = isRead ? {} : { method: 'POST', body: '{"currency":"USD"}', agent };
        try {
          const path = isRead ? '/1.0/kb/tenants?apiKey=bob' : '/1.0/kb/accounts';
          const { status, body } = await server.send(path, { ...options, headers: credentials });
          if (status >= 300) failed.push(`${status} ${body}`);
        } catch (error) {
          failed.push(String(error));
        }
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    return {
      async end() {
        isOver = true;
        await clients;
        agent.destroy();
        return { sent, failed };
      },
    };
  }
});
