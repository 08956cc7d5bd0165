import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { fieldedResources } from '../../adapters/koa/routing/objects.ts';
import type { Route } from '../../adapters/koa/routing/route.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { ErrorCode } from '../../lib/values/errors/index.ts';
import { expect, onPostgresql, populateOnce, storageOf } from '../support/http/index.ts';
import { pathOf, samples, withQuery } from '../support/http/route-samples.ts';
import { configure, expectStatus, type Reply } from '../support/http/serving.ts';
import { author } from '../support/storage/stored-records.ts';

/** Areas whose operations lock no account. Usage is recorded without a lock (usage §10). */
const otherAreas: readonly string[] = ['tenants', 'catalog', 'catalogEntries', 'tags', 'overdue', 'usages'];
/**
 * Calls that create an account or only read one, that change only the tenant, a quota counter or the queue, or that
 * return a result for each account separately.
 */
const goOn: readonly string[] = [
  'createAccount',
  'createCoupon',
  'createCouponCustomFields',
  'deleteCouponCustomFields',
  'modifyCouponCustomFields',
  'updateCoupon',
  'consumeFeature',
  'releaseFeature',
  'createComboPayment',
  'queryOperation',
  'callOperation',
  'generateDryRunInvoice',
  'buildFormDescriptor',
  'buildComboFormDescriptor',
  'processNotification',
  'uploadInvoiceTranslation',
  'uploadSeller',
  'resendEInvoice',
  'uploadCatalogTranslation',
  'uploadInvoiceTemplate',
  'uploadInvoiceMPTemplate',
  'triggerInvoiceGenerationForParkedAccounts',
  'cancelScheduledPaymentTransactionById',
  'cancelScheduledPaymentTransactionByExternalKey',
  'invalidatesCache',
  'invalidatesCacheByAccount',
  'invalidatesCacheByTenant',
  'putInRotation',
  'putOutOfRotation',
];

/** Payment calls, where 503 would mean that the outcome is unknown (http-api §11 rule 5). */
const pays = ({ area, fails }: Route): boolean =>
  area !== 'admin' && fails.includes(ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS);
/** Tags and custom fields that the same code changes as those of accounts and transactions. */
const alike = fieldedResources
  .map(({ noun }) => noun)
  .filter((noun) => noun !== 'Account' && noun !== 'Transaction')
  .flatMap((noun) => [`${noun}Tags`, `${noun}CustomFields`]);

function writesToAccount({ credentials, method, area, operationId }: Route): boolean {
  if (credentials !== 'TENANT' || method === 'GET' || otherAreas.includes(area)) return false;
  return !goOn.includes(operationId) && !alike.some((name) => operationId.endsWith(name));
}

// From the route table, so that new routes are tested automatically. SQLite has one writer at a time.
onPostgresql.describe('calls during another operation on the account, on PostgreSQL', (open) => {
  const world = populateOnce(open);
  let elsewhere: Storage<never>;
  before(async () => {
    elsewhere = storageOf(world.serving.database);
    const body = {
      'org.service.invoice.globalLock.retries': '0',
      'org.service.payment.globalLock.retries': '0',
    };
    expectStatus(await configure(world.serving, body), 201);
  });
  after(() => elsewhere.close());

  /** Runs the work while another node holds the locks of all accounts. */
  async function whileHeld<T>(work: () => Promise<T>): Promise<T> {
    const tenant = await world.serving.billing.tenants.getByApiKey('bob');
    return elsewhere.write(tenant, author(), async (session) => {
      const { rows } = await session.accounts.page({ offset: 0, limit: 1_000 });
      await session.lockAccounts(rows.map(({ id }) => id));
      return work();
    });
  }

  async function answerOf(route: Route): Promise<Reply> {
    const { query, segments, ...sample } = (await samples[route.operationId]?.(world)) ?? {};
    const path = withQuery(pathOf(route.path, world, segments), query);
    return whileHeld(() => world.serving.call(route.method, path, sample));
  }

  const routes = routeTable({ testMode: false }).filter(writesToAccount);
  for (const route of routes.filter(pays))
    it(`get 409 because nothing was attempted (${route.method} ${route.path}, http-api §11)`, async () => {
      const reply = await answerOf(route);
      expect([reply.status, reply.json]).to.deep.include(409).and.to.have.nested.property('[1].code', 7019);
    });

  for (const route of routes.filter((each) => !pays(each)))
    it(`get 503 with Retry-After (${route.method} ${route.path}, accounts §17)`, async () => {
      const reply = await answerOf(route);
      expect([reply.status, reply.json]).to.deep.include(503).and.to.have.nested.property('[1].code', 60018);
      expect(Number(reply.headers.get('retry-after'))).to.be.greaterThan(0);
    });

  it('take effect when they are repeated with the same Idempotency-Key (http-api §11)', async () => {
    const path = `/1.0/kb/accounts/${world.accountId}/emails`;
    const body = { accountId: world.accountId, email: 'again@example.com' };
    const request = { body, headers: { 'idempotency-key': 'busy-1' } };
    const refused = await whileHeld(() => world.serving.call('POST', path, request));
    const done = await world.serving.call('POST', path, request);
    expect([refused.status, done.status]).to.eql([503, 201]);
    expect(done.headers.get('idempotency-replayed')).to.equal(null);
  });

  it('do not wait if they only read (accounts §17)', async () => {
    const path = `/1.0/kb/accounts/${world.accountId}`;
    const paths = ['?accountWithBalanceAndCBA=true&audit=FULL', '/timeline', '/allTags', '/auditLogs'];
    const replies = await whileHeld(() =>
      Promise.all(paths.map((each) => world.serving.call('GET', path + each))),
    );
    expect(replies.map(({ status }) => status)).to.eql(paths.map(() => 200));
  });
});
