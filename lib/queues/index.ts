export { BacklogService } from './backlog-service.ts';
export { type Explained, LateCause } from './late-cause.ts';
export {
  oldestFirst,
  type QueueEntryView,
  viewOfDelivery,
  viewOfEntry,
} from './queue-entry-view.ts';
export type {
  BacklogOperations,
  ChosenEntriesRequest,
  FailedWorkRequest,
  LateEntryView,
  OfOneTenant,
  QueueExportRequest,
  QueueLookRequest,
  QueueOperations,
} from './queue-operations.ts';
export { ownAndSystem, QueueService } from './queue-service.ts';
export { LIVE, seenEntries } from './seen-entries.ts';
