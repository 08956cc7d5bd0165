import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import { auditHistoryRoutes } from '../../../adapters/koa/routes/audit-history.ts';
import { fieldedResources, type ObjectResource } from '../../../adapters/koa/routing/objects.ts';
import { bearer } from './callers.ts';
import { eInvoiceSamples } from './e-invoice-samples.ts';
import { featureSamples } from './feature-samples.ts';
import {
  gatewaySamples,
  paymentListSamples,
  paymentMethodSamples,
  paymentSamples,
} from './payment-samples.ts';
import { withQuota } from './quota-catalog.ts';
import type { MakeSample, Sample, TenantKeys } from './samples.ts';
import { documentSamples, monitoringSamples, overdueSamples, usageSamples, withExample } from './samples.ts';
import { createdId, exampleCatalog, expectStatus, xmlType } from './serving.ts';
import type { World } from './world.ts';

/** Status of the operations that do not answer an unknown id with 404, by the specification. */
export const statusForUnknownId: Readonly<Record<string, number>> = { getChildrenAccounts: 200 };

const secondTenant: TenantKeys = ['eve', 'other'];

const nothing: MakeSample = () => ({});

const plugin = { pluginName: 'stripe' };

/** The parts of each sample that the documents do not define. */
const ownSamples: Readonly<Record<string, MakeSample>> = {
  createTenant: ({ next }) => ({ body: { apiKey: `tenant-${next()}` } }),
  getTenant: nothing,
  getTenantByApiKey: () => ({ query: 'apiKey=bob' }),
  uploadPerTenantConfiguration: nothing,
  getPerTenantConfiguration: nothing,
  deletePerTenantConfiguration: nothing,
  uploadPluginConfiguration: () => ({ segments: plugin }),
  getPluginConfiguration: () => ({ segments: plugin }),
  deletePluginConfiguration: () => ({ segments: plugin }),
  uploadPluginPaymentStateMachineConfig: () => ({ segments: plugin }),
  getPluginPaymentStateMachineConfig: () => ({ segments: plugin }),
  deletePluginPaymentStateMachineConfig: () => ({ segments: plugin }),
  insertUserKeyValue: () => ({ segments: { keyName: 'color%2Fof%20it' } }),
  getUserKeyValue: () => ({ segments: { keyName: 'color' } }),
  deleteUserKeyValue: () => ({ segments: { keyName: 'color' } }),
  getAllPluginConfiguration: () => ({ segments: { keyPrefix: 'PLUGIN_CONFIG_' } }),
  registerPushNotificationCallback: () => ({ query: 'cb=https%3A%2F%2Fexample.com%2Fevents' }),
  getPushNotificationCallbacks: nothing,
  deletePushNotificationCallbacks: nothing,
  getNotificationDeliveries: async (world) => {
    await storedDelivery(world);
    return { query: 'eventType=TENANT_CONFIG_CHANGE&limit=10' };
  },
  getNotificationDelivery: storedDelivery,
  resendNotificationDelivery: storedDelivery,
  getEvents: () => ({ query: 'after=oldest&limit=10&eventType=TENANT_CONFIG_CHANGE' }),
  uploadSeller: nothing,
  getSellers: storedSeller,
  getCurrentSeller: storedSeller,
  getSellerLogo: storedSeller,
  getCoupons: storedCoupon,
  createCoupon: ({ next }) => ({ body: { code: `SPRING${next()}` } }),
  getCoupon: storedCoupon,
  updateCoupon: storedCoupon,
  redeemCoupon: storedCoupon,
  getCouponCustomFields: storedCouponField,
  createCouponCustomFields: async (world) => ({
    ...(await storedCoupon(world)),
    body: [{ name: `name ${world.next()}` }],
  }),
  modifyCouponCustomFields: changeOfCouponField,
  deleteCouponCustomFields: storedCoupon,
  getAccountCoupons: storedRedemption,
  getSubscriptionCoupons: storedRedemption,
  redeemSubscriptionCoupon: async (world) => {
    const { segments } = await storedCoupon(world);
    return { body: { code: segments?.couponCode } };
  },
  removeCouponRedemption: storedRedemption,
  createNotificationSigningSecret: nothing,
  deleteNotificationSigningSecret: nothing,
  ...monitoringSamples,
  ...featureSamples,
  getMonthsReport: () => ({ query: 'from=2024-01&to=2024-02' }),
  getSubscriptionsReport: nothing,
  getOverdueReport: nothing,
  getOverdueAccounts: storedOverdueAccount,
  getFailedPayments: () => ({ query: 'maxNumberOfRows=10' }),
  findObjects: () => ({ query: 'text=kept&maxNumberOfRows=5' }),
  getNodesInfo: nothing,
  getPluginsInfo: nothing,
  triggerNodeCommand: nothing,
  getQueueEntries: () => ({ query: 'minDate=2000-01-01' }),
  getLateQueueEntries: nothing,
  invalidatesCache: () => ({ query: 'cacheName=tenant-catalog' }),
  invalidatesCacheByAccount: nothing,
  invalidatesCacheByTenant: nothing,
  putOutOfRotation: nothing,
  putInRotation: nothing,
  listProducts: storedPot,
  listPlansOfProduct: storedPot,
  deleteProduct: async (world) => ({ ...(await storedPot(world)), query: 'force=true&deleteAllPlans=true' }),
  createCatalogEntries: ({ next }) => ({ body: potOf(next()).body }),
  createPlan: ({ next }) => ({ body: { name: `pot-${next()}` } }),
  listPlans: storedPot,
  getLatestPlan: storedPot,
  updatePlan: async (world) => ({
    ...(await storedPot(world)),
    query: 'effDate=2024-02-12&effectiveDateForExistingSubscriptions=2024-03-01T10:00:00Z',
  }),
  retirePlan: storedPot,
  deletePlan: async (world) => ({ ...(await storedPot(world)), query: 'force=true&allVersions=true' }),
  getCatalogInfo: nothing,
  getCatalogJson: nothing,
  getCatalogXml: nothing,
  uploadCatalogXmlOriginal: laterCatalog,
  uploadCatalogXml: laterCatalog,
  reportCatalogChanges: laterCatalog,
  getPlanForSubscriptionAndDate: ofSubscription,
  getPhaseForSubscriptionAndDate: ofSubscription,
  getProductForSubscriptionAndDate: ofSubscription,
  getPriceListForSubscriptionAndDate: ofSubscription,
  validateCatalogXml: async () => ({ body: await exampleCatalog(), headers: xmlType }),
  getCatalogVersions: nothing,
  queryOperation: ({ accountId }) => ({
    segments: { group: 'accounts', query: 'get' },
    body: { arguments: [accountId] },
  }),
  callOperation: ({ next }) => ({
    segments: { group: 'accounts', operation: 'create' },
    body: { arguments: [{ externalKey: `called-${next()}` }] },
  }),
  deleteCatalog: () => ({ tenant: secondTenant }),
  addSimplePlan: ({ next }) => ({ body: { planId: `lamp-${next()}` } }),
  getAvailableBasePlans: nothing,
  getAvailableAddons: () => ({ query: 'baseProductName=Canopy' }),
  createAccount: ({ next }) => ({ body: { externalKey: `account-${next()}` } }),
  getAccounts: () => ({ query: 'accountWithBalanceAndCBA=true&audit=FULL' }),
  getAccountByKey: () => ({ query: 'externalKey=customer&accountWithBalance=true&audit=MINIMAL' }),
  getAccount: () => ({ query: 'accountWithBalanceAndCBA=true&audit=FULL' }),
  closeAccount: async ({ serving, next }) => {
    const body = { externalKey: `closed-${next()}`, currency: 'USD' };
    const accountId = createdId(await serving.call('POST', '/1.0/kb/accounts', { body }));
    return { segments: { accountId }, query: 'itemAdjustUnpaidInvoices=true' };
  },
  updateAccount: nothing,
  searchAccounts: () => ({
    query: 'accountWithBalanceAndCBA=true&audit=FULL',
    segments: { searchKey: 'customer' },
  }),
  getChildrenAccounts: () => ({ query: 'accountWithBalance=true&audit=FULL' }),
  getAccountTimeline: () => ({ query: 'parallel=true&audit=FULL' }),
  getEmails: nothing,
  getAccountEmailAuditLogsWithHistory: nothing,
  addEmail: nothing,
  removeEmail: () => ({ segments: { email: 'second%40example.com' } }),
  getAccountBundles: () => ({ query: 'externalKey=bundle&audit=FULL' }),
  getAccountBundlesPaginated: nothing,
  getBundles: () => ({ query: 'audit=FULL' }),
  searchBundles: () => ({ query: 'audit=FULL', segments: { searchKey: 'bundle' } }),
  getBundleByKey: () => ({ query: 'externalKey=bundle&includedDeleted=true&audit=FULL' }),
  getBundle: () => ({ query: 'audit=FULL' }),
  transferBundle: async (world) => {
    const { bundleId, subscriptionId } = await anotherBundle(world);
    const { serving, next } = world;
    const account = { externalKey: `target-${next()}`, currency: 'USD' };
    const accountId = createdId(await serving.call('POST', '/1.0/kb/accounts', { body: account }));
    const subscriptions = [{ subscriptionId, externalKey: `transferred-${next()}` }];
    return {
      segments: { bundleId },
      query: 'billingPolicy=IMMEDIATE&bcdTransfer=ALIGN_WITH_EFF_DT',
      body: { accountId, subscriptions },
    };
  },
  renameExternalKey: async (world) => ({
    segments: { bundleId: (await anotherBundle(world)).bundleId },
    body: { externalKey: `renamed-${world.next()}` },
  }),
  createSubscription: () => ({ query: 'entitlementDate=2024-02-11&billingDate=2024-02-11' }),
  createSubscriptionWithAddOns: () => ({ query: 'entitlementDate=2024-02-11&callCompletion=true' }),
  createSubscriptionsWithAddOns: () => ({ query: 'billingDate=2024-02-11&skipResponse=true' }),
  getSubscriptionByKey: () => ({ query: 'externalKey=sub' }),
  getSubscription: () => ({ query: 'audit=FULL' }),
  cancelSubscriptionPlan: async (world) => ({
    ...(await anotherSubscription(world)),
    query: 'requestedDate=2024-03-01&useRequestedDateForBilling=true&callCompletion=true',
  }),
  uncancelSubscriptionPlan: async (world) => {
    const sample = await anotherSubscription(world);
    const path = `/1.0/kb/subscriptions/${sample.segments?.subscriptionId}`;
    await world.serving.call('DELETE', `${path}?requestedDate=2030-01-01&useRequestedDateForBilling=true`);
    return sample;
  },
  changeSubscriptionPlan: async (world) => ({
    ...(await anotherSubscription(world)),
    query: 'billingPolicy=IMMEDIATE&callCompletion=true',
  }),
  undoChangeSubscriptionPlan: async (world) => {
    const sample = await anotherSubscription(world);
    const path = `/1.0/kb/subscriptions/${sample.segments?.subscriptionId}`;
    const body = { planName: 'sprout-monthly' };
    await world.serving.call('PUT', `${path}?requestedDate=2030-01-01`, { body });
    return sample;
  },
  updateSubscriptionBCD: async (world) => ({
    ...(await anotherSubscription(world)),
    query: 'effectiveFromDate=2024-01-01&forceNewBcdWithPastEffectiveDate=true',
  }),
  updateSubscriptionQuantity: async (world) => ({
    ...(await anotherSubscription(world)),
    query: 'effectiveFromDate=2024-01-01&forceNewQuantityWithPastEffectiveDate=true',
  }),
  getBlockingStates: () => ({
    query: 'blockingStateTypes=SUBSCRIPTION,account&blockingStateSvcs=entitlement-service&audit=FULL',
  }),
  addAccountBlockingState: blockedNow,
  addBundleBlockingState: blockedNow,
  addSubscriptionBlockingState: blockedNow,
  pauseBundle: async (world) => ({
    segments: { bundleId: (await anotherBundle(world)).bundleId },
    query: 'requestedDate=2024-03-01',
  }),
  resumeBundle: async (world) => {
    const { bundleId } = await anotherBundle(world);
    await world.serving.call('PUT', `/1.0/kb/bundles/${bundleId}/pause`);
    return { segments: { bundleId } };
  },
  createFutureInvoice: uninvoicedAccount,
  createFutureInvoiceGroup: uninvoicedAccount,
  triggerInvoiceGenerationForParkedAccounts: nothing,
  generateDryRunInvoice: ({ accountId }) => ({ query: `accountId=${accountId}&targetDate=2025-02-10` }),
  createExternalCharges: () => ({ query: 'autoCommit=true' }),
  createTaxItems: nothing,
  createMigrationInvoice: () => ({ query: 'targetDate=2023-12-01' }),
  deleteCBA: usableCredit,
  adjustInvoiceItem: chargedItem,
  createCredits: nothing,
  getCredit: givenCredit,
  explainInvoiceItem: nothing,
  rebalanceExistingCBAOnAccount: nothing,
  transferChildCreditToParent: childWithCredit,
  commitInvoice: draftInvoice,
  voidInvoice: draftInvoice,
  setInvoiceNote: draftInvoice,
  getInvoices: () => ({ query: 'audit=FULL' }),
  searchInvoices: ({ invoiceId }) => ({ query: 'audit=FULL', segments: { searchKey: invoiceId } }),
  getInvoiceByNumber: () => ({
    query: 'withChildrenItems=true&audit=FULL',
    segments: { invoiceNumber: '1' },
  }),
  getInvoiceByItemId: ({ invoiceItemId }) => ({
    query: 'withChildrenItems=true&audit=FULL',
    segments: { itemId: invoiceItemId },
  }),
  getInvoice: () => ({ query: 'withChildrenItems=true&audit=FULL' }),
  getInvoicesGroup: ({ accountId, invoiceId }) => ({
    segments: { groupId: invoiceId },
    query: `accountId=${accountId}&withChildrenItems=true&audit=FULL`,
  }),
  getInvoicesForAccount: () => ({ query: 'includeInvoiceComponents=true&startDate=2024-01-01&audit=FULL' }),
  getInvoicesForAccountPaginated: nothing,
  getPaymentsForAccount: () => ({ query: 'withAttempts=true&withPluginInfo=true&audit=FULL' }),
  getInvoicePayments: () => ({ query: 'withAttempts=true&withPluginInfo=true&audit=FULL' }),
  getPaymentsForInvoice: () => ({ query: 'withAttempts=true&withPluginInfo=true' }),
  ...documentSamples,
  ...eInvoiceSamples,
  ...overdueSamples,
  ...usageSamples,
  ...paymentMethodSamples,
  ...paymentSamples,
  ...paymentListSamples,
  ...gatewaySamples,
  ...samplesOfCarried(),
  getTagDefinitions: () => ({ query: 'audit=FULL' }),
  getTagDefinition: () => ({ query: 'audit=MINIMAL' }),
  createTagDefinition: ({ next }) => ({ body: { name: definition(next()).name } }),
  deleteTagDefinition: async ({ serving, next }) => ({
    segments: {
      tagDefinitionId: createdId(
        await serving.call('POST', '/1.0/kb/tagDefinitions', { body: definition(next()) }),
      ),
    },
  }),
  getTags: () => ({ query: 'audit=FULL' }),
  searchTags: () => ({ query: 'audit=FULL' }),
  getAllTags: () => ({ query: 'objectType=ACCOUNT&includedDeleted=true&audit=FULL' }),
  getCustomFields: () => ({ query: 'audit=FULL' }),
  searchCustomFields: () => ({ query: 'audit=FULL' }),
  searchCustomFieldsAlias: nothing,
  searchCustomFieldsByTypeName: () => ({ query: 'objectType=ACCOUNT&fieldName=kept&fieldValue=value' }),
  searchCustomFieldsByTypeNameAlias: () => ({ query: 'objectType=ACCOUNT&fieldName=kept' }),
  getAllCustomFields: () => ({ query: 'objectType=ACCOUNT&audit=FULL' }),
  getAccountAuditLogs: nothing,
  exportDataForAccount: nothing,
  // No node processes the work that earlier samples caused.
  waitForQueuesToComplete: () => ({ query: 'timeoutSec=18' }),
  writeLogInvoiceLogEntriesForAccount: () => ({ query: 'type=all' }),
  getCurrentTime: () => ({ query: 'timeZone=Asia/Tokyo' }),
  setTestClockTime: () => ({ query: 'requestedDate=2024-02-10T09:00:00' }),
  updateTestClockTime: () => ({ query: 'days=0' }),
  getCurrentUserPermissions: nothing,
  getCurrentUserSubject: nothing,
  createSession: nothing,
  getCurrentSession: nothing,
  endCurrentSession: nothing,
  getSessionTenants: nothing,
  addUserRoles: ({ next }) => ({ body: { username: `user-${next()}` } }),
  updateUserPassword: newUser,
  getUserRoles: newUser,
  updateUserRoles: newUser,
  invalidateUser: newUser,
  getUserTenants: newUser,
  getUsers: nothing,
  getAllPermissions: nothing,
  updateUserTenants: newUser,
  getRoleDefinition: () => ({ segments: { role: 'admin' } }),
  getAvailableRoles: nothing,
  addRoleDefinition: ({ next }) => ({ body: { role: `role-${next()}` } }),
  updateRoleDefinition: nothing,
  createApiClient: ({ next }) => ({ body: { clientId: `client-${next()}` } }),
  getApiClient: newClient,
  deleteApiClient: newClient,
  issueToken: () => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: undefined },
  }),
  issuePluginToken: nothing,
  jwks: nothing,
  issuerMetadata: nothing,
  healthcheck: nothing,
  liveness: nothing,
  ping: nothing,
  metricsText: nothing,
  metricsJson: nothing,
  openApiJson: nothing,
  apiDocs: nothing,
  apiDocsStyle: nothing,
  apiDocsRenderer: nothing,
  apiDocsStart: nothing,
  openApiYaml: nothing,
  llmsIndex: nothing,
  llmsFull: nothing,
  getGuidePage: () => ({ segments: { page: 'README.md' } }),
  openApiJsonAlias: nothing,
  openApiYamlAlias: nothing,
  killbillSwaggerJson: nothing,
};

/**
 * One sample for each operation of the table; the contract tests fail if one is missing. The bodies are those of the
 * documents.
 */
export const samples: Readonly<Record<string, (world: World) => Promise<Sample>>> = Object.fromEntries(
  Object.entries(ownSamples).map(([operationId, make]) => [
    operationId,
    async (world: World) => withExample(operationId, await make(world), world),
  ]),
);

/** Stores the delivery that reports the registration of the tenant's callback. */
async function storedDelivery({ serving }: World): Promise<Sample> {
  const cb = encodeURIComponent('https://example.com/events');
  await serving.call('POST', `/1.0/kb/tenants/registerNotificationCallback?cb=${cb}`);
  await serving.billing.settle();
  const { json } = await serving.call('GET', '/1.0/kb/tenants/notificationDeliveries?limit=-1');
  const [last] = json as { readonly deliveryId: string }[];
  return { segments: { deliveryId: last?.deliveryId ?? '' } };
}

/** Stores the account as overdue. */
async function storedOverdueAccount({ serving: { billing, storage }, accountId }: World): Promise<Sample> {
  const tenant = await billing.tenants.getByApiKey('bob');
  const context = await billing.context({ tenant, user: 'test' });
  const { id, recordId } = await billing.accounts.get(context, accountId);
  const authorship = { ...context, userTokenOf: () => context.userToken };
  const row = { accountId: id, accountRecordId: recordId, isInvoicingOffOwned: false, stateName: 'LATE' };
  await storage.write(tenant, authorship, (session) => session.overdue.saveAccounts([row]));
  return { query: 'state=LATE' };
}

/** Creates a charge to adjust. */
async function chargedItem({ serving, accountId }: World): Promise<Sample> {
  const { json } = await serving.call('POST', `/1.0/kb/invoices/charges/${accountId}?autoCommit=true`, {
    body: [{ amount: 10 }],
  });
  const [item] = json as readonly { readonly invoiceId: string; readonly invoiceItemId: string }[];
  if (!item) throw new Error('no charge was made');
  const { invoiceId, invoiceItemId } = item;
  return { segments: { invoiceId }, body: { invoiceItemId } };
}

async function draftInvoice({ serving, accountId }: World): Promise<Sample> {
  const { json } = await serving.call('POST', `/1.0/kb/invoices/charges/${accountId}`, {
    body: [{ amount: 10 }],
  });
  const [item] = json as readonly { readonly invoiceId: string }[];
  return { segments: { invoiceId: item?.invoiceId ?? '' } };
}

async function givenCredit({ serving, accountId }: World): Promise<Sample> {
  const { json } = await serving.call('POST', '/1.0/kb/credits', { body: [{ accountId, amount: 2 }] });
  const [item] = json as readonly { readonly invoiceItemId: string }[];
  return { segments: { creditId: item?.invoiceItemId ?? '' } };
}

/** Creates a credit to delete. */
async function usableCredit({ serving, accountId }: World): Promise<Sample> {
  const { json } = await serving.call('POST', '/1.0/kb/credits?autoCommit=true', {
    body: [{ accountId, amount: 2 }],
  });
  const [credit] = json as readonly { readonly invoiceId: string }[];
  const invoiceId = credit?.invoiceId ?? '';
  const { json: invoice } = await serving.call('GET', `/1.0/kb/invoices/${invoiceId}`);
  const { items } = invoice as {
    readonly items: readonly { readonly invoiceItemId: string; readonly itemType: string }[];
  };
  const invoiceItemId = items.find(({ itemType }) => itemType === 'CBA_ADJ')?.invoiceItemId ?? '';
  return { segments: { invoiceId, invoiceItemId }, query: `accountId=${accountId}` };
}

async function childWithCredit({ serving, accountId: parentAccountId }: World): Promise<Sample> {
  const body = { currency: 'USD', parentAccountId };
  const childAccountId = createdId(await serving.call('POST', '/1.0/kb/accounts', { body }));
  await serving.call('POST', '/1.0/kb/credits?autoCommit=true', {
    body: [{ accountId: childAccountId, amount: 3 }],
  });
  return { segments: { childAccountId } };
}

const definition = (number: number) => ({
  name: `definition ${number}`,
  description: 'made by a sample',
  applicableObjectTypes: ['ACCOUNT', 'BUNDLE'],
});

/** Returns samples of the operations that every resource has for its tags, custom fields and history. */
function samplesOfCarried(): Record<string, MakeSample> {
  const made: Record<string, MakeSample> = {};
  for (const resource of fieldedResources) {
    const { noun } = resource;
    made[`get${noun}CustomFields`] = () => ({ query: 'audit=FULL' });
    made[`create${noun}CustomFields`] = ({ next }) => ({ body: [{ name: `name ${next()}` }] });
    made[`modify${noun}CustomFields`] = (world) => changeOfField(world, resource);
    made[`delete${noun}CustomFields`] = ({ customFieldId }) => ({ query: `customField=${customFieldId}` });
    made[`get${noun}Tags`] = () => ({ query: 'includedDeleted=true&audit=FULL' });
    made[`create${noun}Tags`] = nothing;
    made[`delete${noun}Tags`] = nothing;
  }
  for (const route of auditHistoryRoutes) made[route.operationId] = nothing;
  return made;
}

/** Adds a custom field and returns a change of it. */
async function changeOfField(
  world: World,
  { path, idName }: Pick<ObjectResource, 'path' | 'idName'>,
): Promise<Sample> {
  const fields = pathOf(`/1.0/kb/${path}/{${idName}}/customFields`, world);
  await world.serving.call('POST', fields, { body: [{ name: `changed ${world.next()}`, value: 'old' }] });
  const { json } = await world.serving.call('GET', fields);
  const { customFieldId } = (json as { readonly customFieldId: string }[]).at(-1) ?? {};
  return { body: [{ customFieldId, value: `new ${world.next()}` }] };
}

/** Creates a user, named in the path. */
async function newUser({ serving, next }: World): Promise<Sample> {
  const username = `user-${next()}`;
  await serving.call('POST', '/1.0/kb/security/users', {
    body: { username, password: 'password', roles: [] },
  });
  return { segments: { username } };
}

/** Creates a client, named in the path. */
async function newClient({ serving, next, tenantId }: World): Promise<Sample> {
  const clientId = `client-${next()}`;
  const body = { clientId, clientSecret: 'client secret', roles: [], tenants: [tenantId] };
  await serving.call('POST', '/1.0/kb/security/clients', { body });
  return { segments: { clientId } };
}

/** Creates a customer without a first invoice, because no background work runs between two calls. */
async function uninvoicedAccount({ serving }: World): Promise<Sample> {
  const accountId = createdId(await serving.call('POST', '/1.0/kb/accounts', { body: { currency: 'USD' } }));
  await serving.call('POST', '/1.0/kb/subscriptions', { body: { accountId, planName: 'canopy-monthly' } });
  return { query: `accountId=${accountId}&targetDate=2024-02-10` };
}

/** Creates a subscription that no other sample uses. */
async function anotherSubscription({ serving, accountId }: World): Promise<Sample> {
  const body = { accountId, planName: 'canopy-monthly' };
  const subscriptionId = createdId(await serving.call('POST', '/1.0/kb/subscriptions', { body }));
  return { segments: { subscriptionId } };
}

/** Creates a bundle that no other sample uses. */
async function anotherBundle(
  world: World,
): Promise<{ readonly bundleId: string; readonly subscriptionId: string }> {
  const { segments } = await anotherSubscription(world);
  const subscriptionId = segments?.subscriptionId ?? '';
  const { json } = await world.serving.call('GET', `/1.0/kb/subscriptions/${subscriptionId}`);
  return { bundleId: (json as { readonly bundleId: string }).bundleId, subscriptionId };
}

/** Returns a state that blocks nothing, so that other samples still work. */
function blockedNow({ next }: World): Sample {
  return { query: 'requestedDate=2024-02-11', body: { stateName: `seen-${next()}` } };
}

function ofSubscription({ subscriptionId }: World): Sample {
  return { query: `subscriptionId=${subscriptionId}&requestedDate=2030-01-01` };
}

/** Returns a product and its plan in the format of the entry interface. */
function potOf(number: number) {
  const [productName, planName] = [`Pot-${number}`, `pot-${number}`];
  const product = { name: productName, category: 'BASE' };
  const body = { plans: [{ ...planOf(planName), productName }], products: [product] };
  return { segments: { productName, planName }, body };
}

function planOf(name: string) {
  const prices = [{ currency: 'USD', value: '9.5' }];
  return {
    name,
    recurringBillingMode: 'IN_ADVANCE',
    effectiveDate: '2024-02-10',
    pricelistName: 'DEFAULT',
    phases: [
      { type: 'TRIAL', durationUnit: 'DAYS', durationLength: 30 },
      {
        type: 'EVERGREEN',
        durationUnit: 'UNLIMITED',
        durationLength: -1,
        recurringPrices: { billingPeriod: 'MONTHLY', prices },
      },
    ],
  };
}

/** Stores a product and a plan that no other sample uses. */
async function storedPot({ serving, next }: World): Promise<Sample> {
  const { segments, body } = potOf(next());
  const authorization = await bearer(serving, 'admin');
  const path = '/plugins/catalog-plugin/v1/catalog/inputData';
  const reply = await serving.call('POST', path, { body, headers: { authorization } });
  if (reply.status !== 201) throw new Error(reply.text);
  return { segments };
}

/** Returns an upload that adds a version with its own date. */
async function laterCatalog({ next }: World): Promise<Sample> {
  const january = withQuota((await exampleCatalog()).toString('utf8'));
  const date = `20${30 + next()}-01-01T00:00:00Z`;
  return { body: january.replace('2024-01-01T00:00:00Z', date), headers: xmlType };
}

/** Returns the route's path with the ids of the world, or with the ids in `replaced`. */
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

async function storedSeller({ serving }: World): Promise<Sample> {
  const body = requestExamples.uploadSeller as object;
  const { json } = expectStatus(await serving.call('POST', '/1.0/kb/sellers', { body }), 201);
  const { sellerId } = json as { readonly sellerId: string };
  return { segments: { sellerId } };
}

async function storedCoupon({ serving, next }: World): Promise<Sample> {
  const code = `SPRING-${next()}`;
  const body = { code, percentOff: 20, duration: 'FOREVER' };
  expectStatus(await serving.call('POST', '/1.0/kb/coupons', { body }), 201);
  return { segments: { couponCode: code } };
}

async function storedCouponField(world: World): Promise<Sample> {
  const { segments = {} } = await changeOfCouponField(world);
  return { segments };
}

async function changeOfCouponField(world: World): Promise<Sample> {
  const coupon = await storedCoupon(world);
  const resource = { path: 'coupons', idName: 'couponCode' };
  return { ...coupon, ...(await changeOfField({ ...world, ...coupon.segments }, resource)) };
}

async function storedRedemption(world: World): Promise<Sample> {
  const { segments } = await storedCoupon(world);
  const path = `/1.0/kb/coupons/${segments?.couponCode}/redemptions`;
  const body = { accountId: world.accountId, from: '2030-01-01' };
  const { json } = expectStatus(await world.serving.call('POST', path, { body }), 201);
  const { redemptionId } = json as { readonly redemptionId: string };
  return { segments: { redemptionId } };
}
