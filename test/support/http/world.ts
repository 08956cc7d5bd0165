import { ObjectType } from '../../../lib/records/index.ts';
import { withQuota } from './quota-catalog.ts';
import { createdId, exampleCatalog, type Served, type Serving, serveOnce, xmlType } from './serving.ts';

/** One customer with a record for each route, plus an unknown id and an id of another tenant. */
export interface World {
  readonly serving: Serving;
  readonly tenantId: string;
  readonly accountId: string;
  readonly bundleId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
  readonly invoiceItemId: string;
  readonly paymentMethodId: string;
  readonly paymentId: string;
  readonly transactionId: string;
  readonly paymentAttemptId: string;
  readonly invoicePaymentId: string;
  readonly eventId: string;
  readonly blockingId: string;
  readonly tagDefinitionId: string;
  readonly tagId: string;
  readonly customFieldId: string;
  readonly searchKey: string;
  readonly accountEmailId: string;
  readonly unknownId: string;
  readonly foreignAccountId: string;
  /** Returns a new number each time, for unique keys and dates. */
  next(): number;
}

/**
 * Serves a populated database to all tests of the surrounding `describe`. Only `serving` exists before the first hook.
 */
export function populateOnce(...options: Parameters<typeof serveOnce>): World & { readonly serving: Served } {
  const serving = serveOnce(...options);
  const world = { serving } as World & { readonly serving: Served };
  before(async () => {
    Object.assign(world, await populate(serving));
  });
  return world;
}

/**
 * Creates a customer of tenant `bob` who has subscribed to the example catalog, been invoiced and paid. By default the
 * catalog also declares a quota.
 */
export async function populate(
  serving: Serving,
  { declaresQuota = true }: { readonly declaresQuota?: boolean } = {},
): Promise<World> {
  const { call } = serving;
  const document = (await exampleCatalog()).toString('utf8');
  const catalog = declaresQuota ? withQuota(document) : document;
  await call('POST', '/1.0/kb/catalog', { body: catalog, headers: xmlType });
  const account = await call('POST', '/1.0/kb/accounts', {
    body: { externalKey: 'customer', currency: 'USD', name: 'Ada', timeZone: 'Europe/Vienna' },
  });
  const accountId = createdId(account);
  const method = await call('POST', `/1.0/kb/accounts/${accountId}/paymentMethods?isDefault=true`, {
    body: { pluginName: 'killbill-payment-test' },
  });
  const subscription = await call('POST', '/1.0/kb/subscriptions', {
    body: { accountId, externalKey: 'sub', bundleExternalKey: 'bundle', planName: 'canopy-monthly' },
  });
  const subscriptionId = createdId(subscription);
  await serving.billing.settle();
  const [invoice] = await list(serving, `/1.0/kb/accounts/${accountId}/invoices`);
  const read = await call('GET', `/1.0/kb/subscriptions/${subscriptionId}`);
  const tenant = await call('GET', '/1.0/kb/tenants?apiKey=bob');
  const foreign = await call('POST', '/1.0/kb/accounts', {
    body: {},
    headers: { 'x-service-apikey': 'eve', 'x-service-apisecret': 'other' },
  });
  await call('POST', `/1.0/kb/accounts/${accountId}/emails`, {
    body: { accountId, email: 'other@example.com' },
  });
  const audited = await list(serving, `/1.0/kb/accounts/${accountId}/auditLogs`);
  const email = audited.find((row) => textOf(row, 'objectType') === 'ACCOUNT_EMAIL');
  let number = 0;
  return {
    serving,
    tenantId: textOf(tenant.json, 'tenantId'),
    accountId,
    bundleId: textOf(read.json, 'bundleId'),
    subscriptionId,
    invoiceId: textOf(invoice, 'invoiceId'),
    paymentMethodId: createdId(method),
    ...(await idsOfAudit(serving, accountId)),
    ...(await carried(serving, accountId)),
    searchKey: 'account',
    accountEmailId: textOf(email, 'objectId'),
    unknownId: '11111111-1111-4111-8111-111111111111',
    foreignAccountId: createdId(foreign),
    next: () => ++number,
  };
}

/** Reads ids from the audit log that no list returns. */
async function idsOfAudit(serving: Serving, accountId: string) {
  const rows = await list(serving, `/1.0/kb/accounts/${accountId}/auditLogs`);
  const first = (type: string): string =>
    textOf(
      rows.find((row) => (row as { readonly objectType: string }).objectType === type),
      'objectId',
    );
  return {
    invoiceItemId: first('INVOICE_ITEM'),
    paymentId: first('PAYMENT'),
    transactionId: first('TRANSACTION'),
    paymentAttemptId: first('PAYMENT_ATTEMPT'),
    invoicePaymentId: first('INVOICE_PAYMENT'),
    eventId: first('SUBSCRIPTION_EVENT'),
    blockingId: first('BLOCKING_STATES'),
  };
}

/** Adds a tag definition, a tag and custom fields to the customer. */
async function carried(serving: Serving, accountId: string) {
  const { call } = serving;
  const path = `/1.0/kb/accounts/${accountId}`;
  const definition = await call('POST', '/1.0/kb/tagDefinitions', {
    body: { name: 'blue', description: 'a color', applicableObjectTypes: Object.keys(ObjectType) },
  });
  await call('POST', `${path}/tags`, { body: [createdId(definition)] });
  await call('POST', `${path}/customFields`, {
    body: [
      { name: 'tier', value: 'gold' },
      { name: 'kept', value: 'value' },
    ],
  });
  const [tag] = await list(serving, `${path}/tags`);
  const [custom] = await list(serving, `${path}/customFields`);
  return {
    tagDefinitionId: createdId(definition),
    tagId: textOf(tag, 'tagId'),
    customFieldId: textOf(custom, 'customFieldId'),
  };
}

export async function list(serving: Serving, path: string): Promise<readonly unknown[]> {
  const { json } = await serving.call('GET', path);
  if (!Array.isArray(json)) throw new Error(`${path} gave no list`);
  return json;
}

export function textOf(value: unknown, key: string): string {
  const member = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  if (typeof member !== 'string') throw new Error(`${JSON.stringify(value)} has no text ${key}`);
  return member;
}
