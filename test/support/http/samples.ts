import { exampleIds } from '../../../adapters/koa/openapi/examples/named-examples.ts';
import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import { bearer } from './callers.ts';
import { createdId, type Request, xmlType } from './serving.ts';
import type { World } from './world.ts';

/** A request that the route answers with its success status. */
export interface Sample extends Request {
  /** Key and secret of the tenant; default: the first tenant. */
  readonly tenant?: TenantKeys;
  readonly query?: string;
  /** Path segments of the sample that are not ids of the world. */
  readonly segments?: Readonly<Record<string, string>>;
}

export type TenantKeys = readonly [apiKey: string, apiSecret: string];

/** Creates the required objects and returns the sample. */
export type MakeSample = (world: World) => Sample | Promise<Sample>;

const invoices = '/1.0/kb/invoices';
const html = { 'content-type': 'text/html' };
const replacing = 'deleteIfExists=true';

/** Samples of invoice documents and their parts. */
export const documentSamples: Readonly<Record<string, MakeSample>> = {
  getInvoiceAsHTML: () => ({}),
  getInvoiceAsPDF: () => ({}),
  getCreditNotesOfInvoice: () => ({}),
  getCreditNotesOfAccount: async (world) => {
    await storedCreditNote(world);
    return {};
  },
  getCreditNote: storedCreditNote,
  getCreditNoteAsHTML: storedCreditNote,
  getCreditNoteAsPDF: storedCreditNote,
  uploadInvoiceTranslation: (world) => ({ segments: newLocale(world) }),
  getInvoiceTranslation: (world) => stored(world, '/translation', 'invoiceTitle=Beleg'),
  uploadCatalogTranslation: (world) => ({ segments: newLocale(world) }),
  getCatalogTranslation: (world) => stored(world, '/catalogTranslation', 'gold=Gold'),
  uploadInvoiceTemplate: () => ({ headers: html, query: replacing }),
  getInvoiceTemplate: (world) => storedTemplate(world, '/template'),
  uploadInvoiceMPTemplate: () => ({ headers: html, query: replacing }),
  getInvoiceMPTemplate: async (world) => ({
    ...(await storedTemplate(world, '/manualPayTemplate')),
    segments: { locale: 'de_DE' },
  }),
  getInvoiceMPTemplateDefault: (world) => storedTemplate(world, '/manualPayTemplate'),
};

/** Returns a locale without uploads. */
function newLocale({ next }: World) {
  return { locale: `de_n${String(next()).padStart(5, '0')}` };
}

async function stored(world: World, path: string, body: string): Promise<Sample> {
  const segments = newLocale(world);
  await upload(world, `${path}/${segments.locale}`, body);
  return { segments };
}

async function storedTemplate(world: World, path: string): Promise<Sample> {
  await upload(world, `${path}?${replacing}`, '<p>{{text.invoiceTitle}}</p>');
  return {};
}

async function upload({ serving }: World, path: string, body: string): Promise<void> {
  const reply = await serving.call('POST', `${invoices}${path}`, { body });
  if (reply.status !== 201) throw new Error(reply.text);
}

/** Creates a credit note by adjusting a new charge. */
async function storedCreditNote(world: World): Promise<Sample> {
  const { accountId } = world;
  await configure(world, { 'org.killbill.invoice.creditNotes': 'true' });
  const [item] = await listFrom(world, `/charges/${accountId}?autoCommit=true`, [{ amount: 10 }]);
  const { invoiceId, invoiceItemId } = item ?? {};
  const adjustment = { accountId, invoiceItemId, amount: 4, currency: 'USD' };
  await world.serving.call('POST', `${invoices}/${invoiceId}`, { body: adjustment });
  await configure(world, {});
  const [note] = await listFrom(world, `/${invoiceId}/creditNotes`);
  return { segments: { creditNoteId: note?.creditNoteId ?? '' } };
}

async function configure({ serving }: World, body: Readonly<Record<string, string>>): Promise<void> {
  await serving.call('POST', '/1.0/kb/tenants/uploadPerTenantConfig', { body });
}

async function listFrom({ serving }: World, path: string, body?: unknown) {
  const method = body === undefined ? 'GET' : 'POST';
  const { json } = await serving.call(method, `${invoices}${path}`, { body });
  return json as readonly Readonly<Record<string, string>>[];
}

/** Not the tenant whose accounts other samples bill. */
const tenant: TenantKeys = ['eve', 'other'];

export const overdueSamples = {
  getOverdueAccount: (): Sample => ({ query: 'asOf=2024-06-30' }),
  getOverdueConfigJson: (): Sample => ({}),
  getOverdueConfigXml: (): Sample => ({}),
  uploadOverdueConfigJson: (): Sample => ({ tenant }),
  uploadOverdueConfigXml: (): Sample => ({ headers: xmlType, tenant }),
};

/** Samples of the health plugin API. Record ids without a stuck or failed entry are ignored. */
export const monitoringSamples = {
  getHealthData: () => ({}),
  getHostSamples: () => ({
    query: 'group=gauge&category_and_sample_kind=queue.bus.late,value&granularity=HOUR',
  }),
  getDiagnostic: ({ accountId }: World): Sample => ({
    query: `accountId=${accountId}&withTenantConfig=true&withServiceConfig=true`,
  }),
  fixBusEntries: () => ({}),
  fixNotifications: () => ({}),
  listFailedBusEntries: () => ({ query: 'maxNumberOfRows=10' }),
  listFailedNotifications: () => ({}),
  reinsertBusEntries: () => ({}),
  reinsertNotifications: () => ({}),
};

const stretch = 'startDate=2024-06-01&endDate=2024-07-01T00:00:00Z';

/** Returns usage with its own tracking id. */
function usageOf({ next }: World) {
  return { trackingId: `usage-${next()}` };
}

export const usageSamples = {
  recordUsage: (world: World): Sample => ({ body: usageOf(world) }),
  recordUsageBulk: (world: World): Sample => ({ body: [usageOf(world)] }),
  getUsage: (): Sample => ({ query: stretch, segments: { unitType: 'sms' } }),
  getAllUsage: (): Sample => ({ query: stretch }),
  getUsageTimeline: (): Sample => ({ query: `${stretch}&granularity=HOUR&unitType=sms` }),
  getRatedUsage: (): Sample => ({ query: 'targetDate=2024-06-30' }),
  getUnbilledUsage: (): Sample => ({ query: stretch }),
  getInvoiceTrackingIds: billedUsage,
  async voidUsageRecord(world: World): Promise<Sample> {
    const { body: sent } = withExample('recordUsage', { body: usageOf(world) }, world);
    const body = sent as { readonly trackingId: string };
    const made = await world.serving.call('POST', '/1.0/kb/usages', { body });
    if (made.status !== 201) throw new Error(made.text);
    return { segments: { trackingId: body.trackingId } };
  },
};

/** Creates an invoice that bills usage of a plan that no other sample uses. */
async function billedUsage({ serving, next }: World): Promise<Sample> {
  const number = next();
  const post = async (path: string, body: unknown, headers = {}) => {
    const made = await serving.call('POST', path, { body, headers });
    if (made.status !== 201) throw new Error(made.text);
    return made;
  };
  const [productName, planName] = [`Meter-${number}`, `meter-${number}`];
  const blocks = [{ billingMeterCode: 'sms', size: 1, max: -1, prices: [{ currency: 'USD', value: '0.5' }] }];
  const usage = { usageName: `sms-${number}`, usageType: 'CONSUMABLE', billingPeriod: 'MONTHLY' };
  const phase = { type: 'EVERGREEN', durationUnit: 'UNLIMITED', durationLength: -1 };
  const plan = {
    name: planName,
    productName,
    recurringBillingMode: 'IN_ADVANCE',
    effectiveDate: '2024-02-10',
    pricelistName: 'DEFAULT',
    phases: [{ ...phase, usages: [{ ...usage, tiers: [{ tierNumber: 1, blocks }] }] }],
  };
  const authorization = await bearer(serving, 'admin');
  await post(
    '/plugins/catalog-plugin/v1/catalog/inputData',
    { plans: [plan], products: [{ name: productName, category: 'BASE' }] },
    { authorization },
  );
  const accountId = createdId(await post('/1.0/kb/accounts', { currency: 'USD' }));
  const subscriptionId = createdId(await post('/1.0/kb/subscriptions', { accountId, planName }));
  const records = [1, 2].map((amount) => ({ recordDate: '2024-02-15', amount }));
  for (const [index, record] of records.entries()) {
    await post('/1.0/kb/usages', {
      subscriptionId,
      trackingId: `billed-${index}`,
      unitUsageRecords: [{ unitType: 'sms', usageRecords: [record] }],
    });
  }
  const made = await post(`/1.0/kb/invoices?accountId=${accountId}&targetDate=2024-03-15`, undefined);
  return { segments: { invoiceId: createdId(made) }, query: 'offset=0&limit=10' };
}

type Members = Readonly<Record<string, unknown>>;

/** Members that must be new, or that name an object of the sample. */
const ownMembers: ReadonlySet<string> = new Set([
  'apiKey',
  'code',
  'clientId',
  'externalKey',
  'name',
  'paymentExternalKey',
  'planId',
  'productName',
  'role',
  'stateName',
  'trackingId',
  'transactionExternalKey',
  'username',
  'value',
]);
const formType = 'application/x-www-form-urlencoded';

/**
 * Returns the sample with the documented body of the operation, the ids of the world and the sample's own values.
 * @throws Error if a value differs in more than a new name or an id.
 */
export function withExample(operationId: string, sample: Sample, world: World): Sample {
  if (!(operationId in requestExamples)) return sample;
  const example = requestExamples[operationId];
  const { body: own, segments, headers } = sample;
  // The documents show a small catalog, but samples upload versions of a larger one.
  if (typeof example === 'string' && own !== undefined) return sample;
  if (headers?.['content-type'] === formType)
    return { ...sample, body: new URLSearchParams(example as Record<string, string>).toString() };
  return { ...sample, body: merged(example, own, { place: operationId, ids: { ...world, ...segments } }) };
}

interface Merging {
  readonly place: string;
  readonly ids: Members;
}

function merged(example: unknown, own: unknown, { place, ids }: Merging): unknown {
  if (own === undefined) return withIds(example, ids);
  if (Array.isArray(example) && Array.isArray(own) && example.length === own.length)
    return example.map((each, index) => merged(each, own[index], { place: `${place}[${index}]`, ids }));
  if (isObject(example) && isObject(own)) {
    const names = new Set([...Object.keys(example), ...Object.keys(own)]);
    return Object.fromEntries(
      [...names].map((name) => [name, merged(example[name], own[name], { place: `${place}.${name}`, ids })]),
    );
  }
  const name = place.slice(place.lastIndexOf('.') + 1);
  if (own === example || ownMembers.has(name) || idNameOf(example) !== undefined) return own;
  throw new Error(`${place} is ${JSON.stringify(example)} in the documents and ${JSON.stringify(own)} here`);
}

/** Returns the example value with example ids replaced by the ids of the world. */
export function withIds(example: unknown, ids: Members): unknown {
  if (Array.isArray(example)) return example.map((each) => withIds(each, ids));
  if (isObject(example))
    return Object.fromEntries(Object.entries(example).map(([name, each]) => [name, withIds(each, ids)]));
  const name = idNameOf(example);
  return name === undefined ? example : ids[name];
}

function idNameOf(value: unknown): string | undefined {
  return Object.entries(exampleIds).find(([, id]) => id === value)?.[0];
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
