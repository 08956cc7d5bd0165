import type { Request } from './serving.ts';
import { createdId, exampleCatalog, xmlType } from './serving.ts';
import type { World } from './world.ts';

/** A request that a route answers with its success. */
export interface Sample extends Request {
  readonly query?: string;
  /** Segments of the path that are no ids of the world. */
  readonly segments?: Readonly<Record<string, string>>;
}

/** Status of the operations that answer an unknown id with something else than 404, by the spec. */
export const statusForUnknownId: Readonly<Record<string, number>> = {
  getChildrenAccounts: 200,
};

type MakeSample = (world: World) => Sample | Promise<Sample>;

const nothing: MakeSample = () => ({});

/** One sample for each operation of the table: the contract tests fail on an operation without one. */
export const samples: Readonly<Record<string, MakeSample>> = {
  createTenant: ({ next }) => ({ body: { apiKey: `tenant-${next()}`, apiSecret: 'secret' } }),
  getTenant: nothing,
  getTenantByApiKey: () => ({ query: 'apiKey=bob' }),
  getCatalogJson: nothing,
  getCatalogXml: nothing,
  uploadCatalogXmlOriginal: laterCatalog,
  uploadCatalogXml: laterCatalog,
  createAccount: ({ next }) => ({ body: { externalKey: `account-${next()}`, currency: 'EUR' } }),
  getAccounts: () => ({ query: 'accountWithBalanceAndCBA=true&audit=FULL' }),
  getAccountByKey: () => ({ query: 'externalKey=customer&accountWithBalance=true&audit=MINIMAL' }),
  getAccount: () => ({ query: 'accountWithBalanceAndCBA=true&audit=FULL' }),
  updateAccount: () => ({ body: { notes: 'changed' } }),
  getChildrenAccounts: () => ({ query: 'accountWithBalance=true&audit=FULL' }),
  getEmails: nothing,
  addEmail: ({ accountId }) => ({ body: { accountId, email: 'second@example.com' } }),
  removeEmail: () => ({ segments: { email: 'second%40example.com' } }),
  getAccountBundles: () => ({ query: 'externalKey=bundle&audit=FULL' }),
  getAccountBundlesPaginated: nothing,
  createSubscription: ({ accountId }) => ({
    query: 'entitlementDate=2024-02-11&billingDate=2024-02-11',
    body: {
      accountId,
      productName: 'Sprout',
      productCategory: 'BASE',
      billingPeriod: 'MONTHLY',
      priceList: 'DEFAULT',
    },
  }),
  getSubscriptionByKey: () => ({ query: 'externalKey=sub' }),
  getSubscription: () => ({ query: 'audit=FULL' }),
  createFutureInvoice: uninvoicedAccount,
  generateDryRunInvoice: ({ accountId }) => ({
    query: `accountId=${accountId}&targetDate=2025-02-10`,
    body: { dryRunType: 'TARGET_DATE' },
  }),
  getInvoices: () => ({ query: 'audit=FULL' }),
  getInvoice: () => ({ query: 'audit=FULL' }),
  getInvoicesForAccount: () => ({ query: 'includeInvoiceComponents=true&startDate=2024-01-01&audit=FULL' }),
  getInvoicesForAccountPaginated: nothing,
  createPaymentMethod: ({ next }) => ({
    query: 'pluginProperty=a%3Db',
    body: {
      pluginName: 'killbill-payment-test',
      externalKey: `method-${next()}`,
      pluginInfo: { properties: [{ key: 'token', value: 7 }] },
    },
  }),
  getPaymentMethodsForAccount: () => ({ query: 'withPluginInfo=true&pluginProperty=a%3Db&audit=FULL' }),
  getPaymentMethod: () => ({ query: 'withPluginInfo=true&audit=FULL' }),
  setDefaultPaymentMethod: nothing,
  getPaymentsForAccount: () => ({ query: 'withAttempts=true&withPluginInfo=true&audit=FULL' }),
  getInvoicePayments: () => ({ query: 'withAttempts=true&withPluginInfo=true&audit=FULL' }),
  getPaymentsForInvoice: () => ({ query: 'withAttempts=true&withPluginInfo=true' }),
  waitForQueuesToComplete: nothing,
  getCurrentTime: () => ({ query: 'timeZone=Asia/Tokyo' }),
  setTestClockTime: () => ({ query: 'requestedDate=2024-02-10T09:00:00' }),
  updateTestClockTime: () => ({ query: 'days=0' }),
  issuePluginToken: nothing,
  jwks: nothing,
  issuerMetadata: nothing,
  healthcheck: nothing,
  liveness: nothing,
  ping: nothing,
  openApiJson: nothing,
  openApiYaml: nothing,
  openApiJsonAlias: nothing,
  openApiYamlAlias: nothing,
};

/** A customer whose first invoice has not been made yet: no background work runs between two calls. */
async function uninvoicedAccount({ serving }: World): Promise<Sample> {
  const account = await serving.call('POST', '/1.0/kb/accounts', { body: { currency: 'USD' } });
  const accountId = createdId(account);
  await serving.call('POST', '/1.0/kb/subscriptions', { body: { accountId, planName: 'canopy-monthly' } });
  return { query: `accountId=${accountId}&targetDate=2024-02-10` };
}

/** Each upload adds a version with a date of its own. */
async function laterCatalog({ next }: World): Promise<Sample> {
  const january = (await exampleCatalog()).toString('utf8');
  const date = `20${30 + next()}-01-01T00:00:00Z`;
  return { body: january.replace('2024-01-01T00:00:00Z', date), headers: xmlType };
}

/** The route's path with the ids of the world, or with `replaced` in the place of some. */
export function pathOf(path: string, world: World, replaced: Readonly<Record<string, string>> = {}): string {
  const ids: Readonly<Record<string, unknown>> = { ...world, ...replaced };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (typeof id !== 'string') throw new Error(`The world has no ${name}`);
    return id;
  });
}

export function withQuery(path: string, query: string | undefined): string {
  return query === undefined ? path : `${path}?${query}`;
}
