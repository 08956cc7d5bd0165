import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { ErrorCode, type InvoicePlugin } from '../../lib/index.ts';
import { anyDatabase, expect } from '../support/http/index.ts';
import { createAccount, exampleCatalog, expectRefusal, serveOnce, xmlType } from '../support/http/serving.ts';

interface ItemJson {
  readonly invoiceItemId: string;
  readonly invoiceId: string;
}

/** Aborts operations and dry runs with the property "no". */
const plugin: InvoicePlugin = {
  name: 'gate',
  priorCall: async (_context, properties) => ({
    aborted: properties.some(({ key, value }) => key === 'no' && value === 'a=b'),
  }),
};

anyDatabase.describe('invoice plugins in operations over HTTP', (open) => {
  let accountId: string;
  let childId: string;

  const serving = serveOnce(open, { invoicePlugins: [plugin] });
  before(async () => {
    const body = await exampleCatalog();
    await serving.call('POST', '/1.0/kb/catalog', { body, headers: xmlType });
    const create = async (account: object) => createAccount(serving, { currency: 'USD', ...account });
    accountId = await create({});
    childId = await create({ parentAccountId: accountId });
  });

  async function add(path: string, ofAccount = accountId): Promise<ItemJson> {
    const body = [{ accountId: ofAccount, amount: 10 }];
    const [item] = (await serving.call('POST', path, { body })).json as readonly ItemJson[];
    if (item === undefined) throw new Error('nothing added');
    return item;
  }

  interface Call {
    readonly method: 'POST' | 'PUT' | 'DELETE';
    readonly path: string;
    readonly query?: string;
    readonly body?: unknown;
  }

  const charge = (autoCommit: boolean): Promise<ItemJson> =>
    add(`/1.0/kb/invoices/charges/${accountId}?autoCommit=${autoCommit}`);

  const items = () => [{ accountId, amount: 10 }];

  /** One call of each route that calls plugins. */
  const callOf: Readonly<Record<string, () => Promise<Call> | Call>> = {
    createExternalCharges: () => ({ method: 'POST', path: `/invoices/charges/${accountId}`, body: items() }),
    createTaxItems: () => ({ method: 'POST', path: `/invoices/taxes/${accountId}`, body: items() }),
    createCredits: () => ({ method: 'POST', path: '/credits', body: items() }),
    createMigrationInvoice: () => ({
      method: 'POST',
      path: `/invoices/migration/${accountId}`,
      body: [{ itemType: 'TAX', amount: 1 }],
    }),
    adjustInvoiceItem: async () => {
      const { invoiceId, invoiceItemId } = await charge(true);
      return { method: 'POST', path: `/invoices/${invoiceId}`, body: { accountId, invoiceItemId } };
    },
    commitInvoice: async () => ({
      method: 'PUT',
      path: `/invoices/${(await charge(false)).invoiceId}/commitInvoice`,
    }),
    voidInvoice: async () => ({
      method: 'PUT',
      path: `/invoices/${(await charge(true)).invoiceId}/voidInvoice`,
    }),
    deleteCBA: async () => {
      const { invoiceId } = await add('/1.0/kb/credits?autoCommit=true', childId);
      const invoice = (await serving.call('GET', `/1.0/kb/invoices/${invoiceId}`)).json as {
        readonly items: readonly (ItemJson & { readonly itemType: string })[];
      };
      const credit = invoice.items.find(({ itemType }) => itemType === 'CBA_ADJ');
      return {
        method: 'DELETE',
        path: `/invoices/${invoiceId}/${credit?.invoiceItemId}/cba`,
        query: `accountId=${childId}&`,
      };
    },
    rebalanceExistingCBAOnAccount: () => ({ method: 'PUT', path: `/accounts/${childId}/cbaRebalancing` }),
    transferChildCreditToParent: async () => {
      await add('/1.0/kb/credits?autoCommit=true', childId);
      return { method: 'PUT', path: `/accounts/${childId}/transferCredit` };
    },
  };

  const send = ({ method, path, query = '', body }: Call, properties = '') =>
    serving.call(method, `/1.0/kb${path}?${query}${properties}`, body === undefined ? {} : { body });

  for (const [operationId, prepare] of Object.entries(callOf))
    it(`receive the properties of ${operationId} and can abort it with 400 and code 4029`, async () => {
      const call = await prepare();
      const refused = await send(call, 'pluginProperty=no%3Da%3Db');
      expectRefusal(refused, 400, 4029);
      expect((refused.json as { message: string }).message).to.contain('"gate"');
      const done = await send(call, 'pluginProperty=yes%3Da%3Db');
      expect(done.status, done.text).to.be.oneOf([201, 204]);
    });

  it('are called by all routes whose contract contains code 4029', () => {
    const routes = routeTable({ testMode: true }).filter(({ fails }) =>
      fails.includes(ErrorCode.INVOICE_PLUGIN_API_ABORTED),
    );
    expect(routes.map(({ operationId }) => operationId).sort()).to.eql(Object.keys(callOf).sort());
  });

  it('receive the properties of a dry run, and can abort the dry run with 204', async () => {
    const body = { accountId, planName: 'sprout-monthly-direct' };
    await serving.call('POST', '/1.0/kb/subscriptions', { body });
    const dryRun = (properties: string) =>
      serving.call('POST', `/1.0/kb/invoices/dryRun?accountId=${accountId}&${properties}`);
    expect((await dryRun('')).status).to.equal(200);
    expect((await dryRun('pluginProperty=no%3Da%3Db')).status).to.equal(204);
  });
});
