import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { anyDatabase, exampleCatalog, expect, migrated, serve } from '../support/http/index.ts';
import { describeAccounts } from './account-steps.ts';
import { describeBilling } from './billing-steps.ts';
import { describeBlocking } from './blocking-steps.ts';
import { describeBundles } from './bundle-steps.ts';
import { describeTagsAndFields } from './carried-steps.ts';
import { describeCatalog } from './catalog-steps.ts';
import { describeCredit } from './credit-steps.ts';
import { describeDocuments } from './document-steps.ts';
import { describeGroups } from './group-steps.ts';
import { describeHistory } from './history-steps.ts';
import { BY, Ids, type Journey } from './journey.ts';
import { clientOperations, failureOf, killbillClient } from './killbill-client.ts';
import { describeNodes } from './node-steps.ts';
import { describeOverdueConfig, describeOverdueState } from './overdue-steps.ts';
import { describePaymentGateways } from './payment-gateway-steps.ts';
import { describePaymentMethods } from './payment-method-steps.ts';
import { describePayments } from './payment-steps.ts';
import { describeSecurity, describeTenants } from './tenant-steps.ts';
import { describeUsage } from './usage-steps.ts';

const login = { username: 'admin', password: 'password', tenant: ['bob', 'lazar'] } as const;

// One customer journey: each step builds on the previous ones. Only the long run also uses PostgreSQL.
anyDatabase.describe('unmodified npm package killbill', (open) => {
  let started: Journey | undefined;
  const journey = (): Journey => {
    if (started === undefined) throw new Error('The journey has not begun');
    return started;
  };

  before(async () => {
    const serving = await serve(await open(migrated));
    started = { serving, client: killbillClient({ ...login, url: serving.url }), ids: new Ids() };
  });
  after(() => started?.serving.close());

  it('is rejected in dialect K if the user or tenant is invalid or the author is missing', async () => {
    const { url } = journey().serving;
    const noUser = killbillClient({ ...login, url, password: 'wrong' });
    expect(await failureOf(noUser.account.getAccounts())).to.nested.include({
      status: 401,
      'body.code': 60004,
    });
    const noTenant = killbillClient({ ...login, url, tenant: ['bob', 'wrong'] });
    expect(await failureOf(noTenant.account.getAccounts())).to.nested.include({
      status: 401,
      'body.code': 60005,
    });
    const { account } = journey().client;
    expect(await failureOf(account.createAccount({}, ''))).to.nested.include({
      status: 400,
      'body.message': 'Header X-Killbill-CreatedBy needs to be set',
    });
  });

  describeTenants(journey);
  describeNodes(journey);
  describeSecurity(journey);
  describeCatalog(journey);
  describeOverdueConfig(journey);
  describeAccounts(journey);
  describeBilling(journey);
  describeOverdueState(journey);
  describeUsage(journey);
  describeBlocking(journey);
  describeBundles(journey);
  describeCredit(journey);
  describeDocuments(journey);
  describeTagsAndFields(journey);
  describeHistory(journey);
  describePaymentMethods(journey);
  describePayments(journey);
  describePaymentGateways(journey);
  describeGroups(journey);

  describe('in the final cleanup', () => {
    it('clears the cached data of an account on the nodes', async () => {
      const { client, ids } = journey();
      const { status } = await client.admin.invalidatesCacheByAccount(ids.get('accountId'));
      expect(status).to.equal(204);
    });

    it('deletes the catalog of a tenant without subscriptions', async () => {
      const { url } = journey().serving;
      const { successes } = journey().client;
      const other = killbillClient({ ...login, url, tenant: ['eve', 'other'], successes });
      await other.catalog.uploadCatalogXml((await exampleCatalog()).toString('utf8'), BY);
      expect((await other.catalog.deleteCatalog(BY)).status).to.equal(204);
      expect((await other.catalog.getCatalogVersions()).data).to.eql([]);
    });

    // A new endpoint that the package supports needs its own step here.
    it('calls every operation that both the package and the server support', () => {
      const served = new Set(routeTable({ testMode: false }).map(({ operationId }) => operationId));
      const { called } = journey().client;
      expect(clientOperations.filter((name) => served.has(name) && !called.has(name))).to.eql([]);
      expect(clientOperations).to.have.length(264);
      expect(clientOperations.filter((name) => !served.has(name))).to.eql([]);
    });

    it('receives a documented status from 262 of the 264 operations', () => {
      const { successes } = journey().client;
      const answered = clientOperations.map((name) => ({ name, statuses: successes.get(name) ?? new Map() }));
      expect(answered.filter(({ statuses }) => statuses.size === 0).map(({ name }) => name)).to.eql([]);
      const others = answered.filter(({ statuses }) => [...statuses.values()].includes(false));
      expect(others.map(({ name, statuses }) => [name, ...statuses.keys()])).to.have.deep.members([
        // The document of the interface specifies Created (doc1 §4.10), but the document of the package has 200.
        ['recordUsage', 201],
        // Like the other uploads of documents, but the document of the package has 200 here.
        ['uploadInvoiceMPTemplate', 201],
      ]);
    });
  });
});
