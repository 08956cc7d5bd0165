export { BacklogService } from './backlog-service.ts';
export { type Explained, LateCause } from './late-cause.ts';
export type {
  BacklogOperations,
  FailedWorkRequest,
  LateEntryView,
  OfOneTenant,
  PutBackRequest,
  QueueEntryView,
  QueueExportRequest,
  QueueLookRequest,
  QueueOperations,
} from './queue-operations.ts';
export { QueueService } from './queue-service.ts';
