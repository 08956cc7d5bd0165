export { BacklogService, LIVE, listPositionedEntries } from './backlog-service.ts';
export { type Explained, LateCause } from './late-cause.ts';
export {
  type BacklogOperations,
  type ChosenEntriesRequest,
  type FailedWorkRequest,
  type LateEntryView,
  type OfOneTenant,
  oldestFirst,
  type QueueEntryView,
  type QueueExportRequest,
  type QueueLookRequest,
  type QueueOperations,
  viewOfDelivery,
  viewOfEntry,
} from './queue-operations.ts';
export { ownAndSystem, QueueService } from './queue-service.ts';
