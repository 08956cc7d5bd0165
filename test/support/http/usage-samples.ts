import { bearer } from './callers.ts';
import { withExample } from './example-bodies.ts';
import type { Sample } from './sample.ts';
import { createdId } from './serving.ts';
import type { World } from './world.ts';

const stretch = 'startDate=2024-06-01&endDate=2024-07-01T00:00:00Z';

/** Under a tracking id of its own. */
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

/** An invoice that bills usage, by a plan that nothing else of the world uses. */
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
