import { type CellsBilling, ErrorCode } from '../../lib/index.ts';
import { createAccount, createdId, eve, type Served, serve } from '../support/http/serving.ts';
import { expect, migrated, onPostgresql } from '../support/index.ts';
import { proxied, type TcpProxy } from '../support/tcp-proxy.ts';

onPostgresql.describe('server with one available and one unavailable cell', (open) => {
  let serving: Served;
  let proxy: TcpProxy;

  before(async () => {
    const database = await open(migrated);
    if (database.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    const through = await proxied(database.url);
    proxy = through.proxy;
    serving = await serve({ ...database, url: through.url }, { areCells: true });
    await createAccount(serving);
    await proxy.refuse();
  });
  after(async () => {
    await serving.close();
    await proxy.close();
  });

  it('returns 503 with Retry-After and the cell’s name to tenants of the unavailable cell', async () => {
    for (const reply of [
      await serving.get('/accounts/pagination'),
      await serving.post('/accounts', { currency: 'USD' }),
    ]) {
      expect(reply.status).to.equal(503);
      expect(Number(reply.headers.get('retry-after'))).to.be.greaterThan(0);
      expect(reply.json)
        .to.have.property('message')
        .that.matches(/^Cell "near": /);
    }
  });

  it('still serves the tenants of the available cell, users and tenant lookups', async () => {
    const id = await createAccount(serving, { currency: 'USD' }, eve);
    expect((await serving.get(`/accounts/${id}`, eve)).status).to.equal(200);
    expect((await serving.get('/security/users')).status).to.equal(200);
    expect((await serving.get('/tenants?apiKey=bob')).status).to.equal(200);
  });

  it('creates a tenant in the requested cell, and rejects an unknown cell', async () => {
    const create = (apiKey: string, cell: string) =>
      serving.post(`/tenants?cell=${cell}`, { apiKey, apiSecret: 'secret' });
    const created = await create('in-far', 'far');
    expect(created.status).to.equal(201);
    const { cells } = serving.billing as CellsBilling;
    expect(await cells.of(createdId(created))).to.deep.include({ cell: 'far', state: 'SETTLED' });
    const refused = await create('in-north', 'north');
    expect(refused.status).to.equal(400);
    expect(refused.json).to.deep.include({
      code: ErrorCode.MISSING_OR_INVALID_FIELD,
      message: 'There is no cell "north". The cells are: far, near',
    });
  });

  it('stays in service, and names the unavailable cell in its health check and metrics', async () => {
    const health = await serving.call('GET', '/1.0/healthcheck');
    expect(health.status).to.equal(200);
    expect(health.text).to.match(/near: The database does not answer/);
    const metrics = await serving.call('GET', '/1.0/metrics', { headers: { accept: 'text/plain' } });
    expect(metrics.text).to.match(/cell_reachable\{[^}]*cell="near"[^}]*\} 0/);
    expect(metrics.text).to.match(/cell_reachable\{[^}]*cell="far"[^}]*\} 1/);
  });

  it('serves the tenants of the unavailable cell again once that cell has recovered', async () => {
    await proxy.restore();
    let reply = await serving.get('/accounts/pagination');
    for (let attempt = 0; reply.status === 503 && attempt < 50; attempt += 1)
      reply = await serving.get('/accounts/pagination');
    expect(reply.status).to.equal(200);
  });
});
