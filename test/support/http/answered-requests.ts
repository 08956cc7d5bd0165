import { exampleIds } from '../../../adapters/koa/openapi/examples/named-examples.ts';
import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import { createdId, type Serving, xmlType } from './serving.ts';

type Answers = Readonly<Record<string, unknown>>;
type Ids = Readonly<Partial<Record<keyof typeof exampleIds, string>>>;

const accountPath = '/1.0/kb/accounts';
const subscriptionPath = '/1.0/kb/subscriptions';
const contact = { name: 'Ada', email: 'ada@example.com' };

/**
 * Returns the responses of a new server to a newcomer's first reads and runs, by operation: the catalog of the document
 * and a customer with a paid subscription. Ids are those of the examples.
 */
export async function answersToNewcomer({ call, billing }: Serving): Promise<Answers> {
  const answered = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const { status, json, text } = await call(method, path, body === undefined ? {} : { body });
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return json;
  };
  const made = async (path: string, body: unknown): Promise<string> => {
    const reply = await call('POST', path, { body });
    if (reply.status !== 201) throw new Error(`${path}: ${reply.text}`);
    return createdId(reply);
  };

  await call('POST', '/1.0/kb/catalog/xml', { body: requestExamples.uploadCatalogXml, headers: xmlType });
  const accountId = await made(accountPath, { externalKey: 'ada', currency: 'USD', ...contact });
  const account = `${accountPath}/${accountId}`;
  const paymentMethodId = await made(`${account}/paymentMethods?isDefault=true`, {
    externalKey: 'card-1',
    pluginName: 'sandbox',
  });
  const subscriptionId = await made(subscriptionPath, {
    accountId,
    externalKey: 'subscription-1',
    bundleExternalKey: 'garden-1',
    planName: 'lamp-monthly',
  });
  await billing.settle();
  const usage = {
    subscriptionId,
    trackingId: 'usage-2024-02-10',
    unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate: '2024-02-10', amount: 5 }] }],
  };
  const recordUsageBulk = await answered('POST', '/1.0/kb/usages/bulk', [usage]);

  const getTenantByApiKey = await answered('GET', '/1.0/kb/tenants?apiKey=bob');
  const getSubscription = await answered('GET', `${subscriptionPath}/${subscriptionId}`);
  const getAccountBundles = await answered('GET', `${account}/bundles`);
  const getInvoicesForAccount = await answered('GET', `${account}/invoices?includeInvoiceComponents=true`);
  const getPaymentsForAccount = await answered('GET', `${account}/payments`);
  const [invoice] = getInvoicesForAccount as readonly [Invoice];
  const [payment] = getPaymentsForAccount as readonly [Payment];
  const stretch = 'startDate=2024-02-01&endDate=2024-03-01';
  const answers = {
    getTenantByApiKey,
    getCatalogJson: await answered('GET', '/1.0/kb/catalog'),
    getAvailableBasePlans: await answered('GET', '/1.0/kb/catalog/availableBasePlans'),
    getAccount: await answered('GET', `${account}?accountWithBalance=true`),
    getAccountByKey: await answered('GET', `${accountPath}?externalKey=ada&accountWithBalance=true`),
    getAccounts: await answered('GET', `${accountPath}/pagination?accountWithBalance=true`),
    getPaymentMethodsForAccount: await answered('GET', `${account}/paymentMethods`),
    getPaymentMethod: await answered('GET', `/1.0/kb/paymentMethods/${paymentMethodId}`),
    getSubscription,
    getSubscriptionByKey: await answered('GET', `${subscriptionPath}?externalKey=subscription-1`),
    getAccountBundles,
    getInvoicesForAccount,
    getInvoice: await answered('GET', `/1.0/kb/invoices/${invoice.invoiceId}`),
    generateDryRunInvoice: await answered(
      'POST',
      `/1.0/kb/invoices/dryRun?accountId=${accountId}&targetDate=2024-03-10`,
      { dryRunType: 'TARGET_DATE' },
    ),
    getPaymentsForAccount,
    getPayment: await answered('GET', `/1.0/kb/payments/${payment.paymentId}`),
    getAllUsage: await answered('GET', `/1.0/kb/usages/${subscriptionId}?${stretch}`),
    recordUsageBulk,
    getOverdueAccount: await answered('GET', `${account}/overdue`),
  };
  const { bundleId, events } = getSubscription as Subscription;
  const [{ invoiceItemId }] = invoice.items;
  const [{ transactionId }] = payment.transactions;
  const { tenantId } = getTenantByApiKey as { readonly tenantId: string };
  return shown(answers, {
    tenantId,
    accountId,
    paymentMethodId,
    bundleId,
    subscriptionId,
    eventId: events[0].eventId,
    invoiceId: invoice.invoiceId,
    invoiceItemId,
    paymentId: payment.paymentId,
    transactionId,
  });
}

interface Subscription {
  readonly bundleId: string;
  readonly events: readonly [{ readonly eventId: string }];
}

interface Invoice {
  readonly invoiceId: string;
  readonly items: readonly [{ readonly invoiceItemId: string }];
}

interface Payment {
  readonly paymentId: string;
  readonly transactions: readonly [{ readonly transactionId: string }];
}

/** Replaces the ids in the responses: ids of the world by the example of their name, others by order of appearance. */
function shown(answers: Answers, ids: Ids): Answers {
  const known = new Map(Object.entries(ids).map(([name, id]) => [id, exampleIds[name as keyof Ids]]));
  const others = new Map<string, string>();
  const text = JSON.stringify(answers).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    const example = known.get(id) ?? others.get(id) ?? otherId(others.size);
    if (!known.has(id)) others.set(id, example);
    return example;
  });
  return JSON.parse(text);
}

function otherId(number: number): string {
  return `0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3d${number.toString(16).padStart(2, '0')}`;
}
