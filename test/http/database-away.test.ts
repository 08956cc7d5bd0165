import { setTimeout } from 'node:timers/promises';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { bearer, populate, type Reply, serveInTestMode, type World } from '../support/http/index.ts';
import { expect, expectBelow, migrated, onPostgresql } from '../support/index.ts';
import { proxied, type TcpProxy } from '../support/tcp-proxy.ts';

const anonymous = { authorization: undefined, 'x-service-apikey': undefined };
const ofTheDatabase = routeTable({ testMode: true }).filter(({ credentials }) => credentials !== 'NONE');

onPostgresql.describe('server in test mode with an unavailable database', (open) => {
  let world: World;
  let proxy: TcpProxy;
  let token: string;
  before(async () => {
    const database = await open(migrated);
    if (database.kind !== 'postgresql') throw new Error('no server');
    const through = await proxied(database.url);
    proxy = through.proxy;
    const storage = postgresql({ url: through.url });
    // On two cells, the directory would still check credentials.
    world = await populate(await serveInTestMode(database, { storage, areCells: false }));
    token = await bearer(world.serving, 'admin');
  });
  after(async () => {
    await world.serving.close();
    await proxy.close();
  });

  async function timed(call: () => Promise<Reply>): Promise<{ readonly reply: Reply; readonly ms: number }> {
    const startedMs = performance.now();
    const reply = await call();
    return { reply, ms: performance.now() - startedMs };
  }

  const get = (path: string, accept = '*/*') =>
    timed(() => world.serving.call('GET', path, { headers: { ...anonymous, accept } }));

  async function healthIsTold(withinMs: number): Promise<void> {
    const live = await get('/1.0/healthcheck/live');
    expect(live.reply.status).to.equal(200);
    expectBelow(1_000, live.ms, 'milliseconds');
    const health = await get('/1.0/healthcheck');
    expect(health.reply.status).to.equal(503);
    expect(health.reply.json).to.have.nested.property('database.healthy', false);
    expectBelow(withinMs, health.ms, 'milliseconds');
    const metrics = await get('/metrics', 'text/plain');
    expect(metrics.reply.status).to.equal(200);
    for (const known of [
      'billwright_http_requests_total{',
      'billwright_invoice_runs_total{',
      'billwright_push_attempts_total{',
      'billwright_database_connections{',
      'process_resident_memory_bytes ',
    ])
      expect(metrics.reply.text).to.contain(`\n${known}`);
    expect(metrics.reply.text).to.not.match(/queue_due|queue_topic|push_due/);
    expectBelow(withinMs, metrics.ms, 'milliseconds');
    const asJson = await get('/1.0/metrics', 'application/json');
    expect(asJson.reply.status).to.equal(200);
    expect(asJson.reply.json)
      .to.have.nested.property('gauges')
      .that.includes.keys('nodejs_heap_size_used_bytes');
  }

  describe('that refuses connections', () => {
    before(() => proxy.refuse());
    after(() => proxy.restore());

    for (const route of ofTheDatabase)
      it(`immediately returns 503 with Retry-After for ${route.method} ${route.path}`, async () => {
        const headers = route.credentials === 'PLUGIN' ? { authorization: token } : {};
        const path = route.path.replaceAll(/\{\w+\}/g, world.accountId);
        const { reply, ms } = await timed(() => world.serving.call(route.method, path, { headers }));
        expect([reply.status, reply.text.includes('60018')], reply.text).to.eql([503, true]);
        expect(Number(reply.headers.get('retry-after'))).to.be.greaterThan(0);
        expectBelow(2_000, ms, 'milliseconds');
      });

    it('reports the failure in the health check and metrics', () => healthIsTold(2_000));
  });

  describe('that does not respond', () => {
    before(() => proxy.freeze());
    after(() => proxy.restore());

    it('returns 503 with Retry-After within five seconds', async () => {
      const path = `/1.0/kb/accounts/${world.accountId}`;
      const body = { name: 'new' };
      const calls = await Promise.all([
        timed(() => world.serving.call('GET', path)),
        timed(() => world.serving.call('PUT', path, { body })),
        timed(() => world.serving.post('/accounts', {}, { 'idempotency-key': 'k' })),
        timed(() => world.serving.get('/test/queues')),
        timed(() => world.serving.get('/nonsense')),
      ]);
      for (const { reply, ms } of calls) {
        expect([reply.status, reply.json]).to.deep.include(503).and.have.nested.property('[1].code', 60018);
        expect(Number(reply.headers.get('retry-after'))).to.be.greaterThan(0);
        expectBelow(5_000, ms, 'milliseconds');
      }
    });

    it('reports the failure in the health check and metrics', () => healthIsTold(5_000));
  });

  describe('that recovers', () => {
    it('serves requests again once the database is available', async () => {
      for (let attempt = 0; attempt < 200; attempt += 1) {
        if ((await get('/1.0/healthcheck')).reply.status === 200) break;
        await setTimeout(100);
      }
      const { reply } = await timed(() => world.serving.put(`/accounts/${world.accountId}`, { name: 'new' }));
      expect(reply.status, reply.text).to.equal(204);
    });
  });
});
