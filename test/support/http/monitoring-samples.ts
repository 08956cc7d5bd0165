/** Samples of the health plugin API; record ids that are none of a stuck or failed entry are passed over. */
export const monitoringSamples = {
  getHealthData: () => ({}),
  getHostSamples: () => ({
    query: 'group=gauge&category_and_sample_kind=queue.bus.late,value&granularity=HOUR',
  }),
  fixBusEntries: () => ({ body: [4_000_000_001] }),
  fixNotifications: () => ({ body: [4_000_000_001] }),
  listFailedBusEntries: () => ({ query: 'maxNumberOfRows=10' }),
  listFailedNotifications: () => ({}),
  reinsertBusEntries: () => ({ body: [4_000_000_001] }),
  reinsertNotifications: () => ({ body: [4_000_000_001] }),
};
