import type { Sample } from './sample.ts';
import type { World } from './world.ts';

/** Samples of the health plugin API; record ids that are none of a stuck or failed entry are passed over. */
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
