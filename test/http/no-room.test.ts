import { type FillableStorage, fillable } from '../support/full-database.ts';
import { createAccount, exampleCatalog } from '../support/http/index.ts';
import { expectStatus, type Reply, type Serving, serve, xmlType } from '../support/http/serving.ts';
import { eachDatabase, expect, migrated, rowsOf } from '../support/index.ts';

eachDatabase.describe('server without disk space for its database', (open) => {
  let full: FillableStorage;
  let serving: Serving;
  let accountId: string;
  let database: Awaited<ReturnType<typeof open>>;
  before(async () => {
    database = await open(migrated);
    full = await fillable(database);
    serving = await serve(database, { storage: full.storage });
    const { call, post } = serving;
    await post('/catalog', await exampleCatalog(), xmlType);
    accountId = await createAccount({ call });
    await serving.billing.settle();
  });
  after(async () => {
    await serving.close();
    await full.end();
  });

  const rows = async (table: string): Promise<number> =>
    Number((await rowsOf(database, `select count(*) as n from ${table}`))[0]?.n);

  async function refusedAccount(): Promise<Reply> {
    const notes = 'x'.repeat(4_000);
    for (;;) {
      const reply = await serving.post('/accounts', { currency: 'USD', notes });
      if (reply.status !== 201) return reply;
    }
  }

  it('rejects writes with 503 and Retry-After until there is space again, but serves reads', async () => {
    const { call, post } = serving;
    await full.fill();
    const refused = expectStatus(await refusedAccount(), 503);
    expect(refused.json).to.include({ code: 60_019, className: 'RequestError' });
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    const before = await rows('bw_accounts');
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await refusedAccount()).status).to.equal(503);
    for (const path of [`/1.0/kb/accounts/${accountId}`, '/1.0/kb/accounts/pagination', '/1.0/healthcheck'])
      expect((await call('GET', path)).status, path).to.equal(200);
    expect(await rows('bw_accounts')).to.be.greaterThanOrEqual(before);
    await full.makeRoom();
    expect((await post('/accounts', { currency: 'USD' })).status).to.equal(201);
  });

  it('runs due work when there is space again, even after many failures', async () => {
    const { billing, log, post, get } = serving;
    await full.makeRoom();
    const body = { accountId, planName: 'canopy-monthly' };
    expect((await post('/subscriptions', body)).status).to.equal(201);
    await full.fill();
    const before = log.lines.length;
    await billing.settle({ timeoutMs: 1_000 }).catch((error: unknown) => log.error({ err: error }, 'settle'));
    expect(log.lines.slice(before)).to.not.deep.equal([]);
    await full.makeRoom();
    expect(await billing.settle({ timeoutMs: 60_000 })).to.equal(true);
    const failed = "select count(*) as n from bw_queue_history where processing_state = 'FAILED'";
    expect((await rowsOf(database, failed))[0]?.n).to.satisfy((n: unknown) => Number(n) === 0);
    expect((await get(`/accounts/${accountId}/invoices`)).json).to.have.length(1);
  });
});
