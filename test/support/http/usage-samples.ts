import type { Sample } from './sample.ts';
import type { World } from './world.ts';

const stretch = 'startDate=2024-06-01&endDate=2024-07-01T00:00:00Z';

function usageOf({ subscriptionId, next }: World) {
  const usageRecords = [{ recordDate: '2024-06-01', amount: 5 }];
  return {
    subscriptionId,
    trackingId: `usage-${next()}`,
    unitUsageRecords: [{ unitType: 'sms', usageRecords }],
  };
}

export const usageSamples = {
  recordUsage: (world: World): Sample => ({ body: usageOf(world) }),
  recordUsageBulk: (world: World): Sample => ({ body: [usageOf(world)] }),
  getUsage: (): Sample => ({ query: stretch, segments: { unitType: 'sms' } }),
  getAllUsage: (): Sample => ({ query: stretch }),
  async voidUsageRecord(world: World): Promise<Sample> {
    const body = usageOf(world);
    const made = await world.serving.call('POST', '/1.0/kb/usages', { body });
    if (made.status !== 201) throw new Error(made.text);
    return { segments: { trackingId: body.trackingId } };
  },
};
