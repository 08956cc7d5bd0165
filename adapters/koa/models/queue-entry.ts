import { LateCause, type LateEntryView } from '../../../lib/queues/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, int, text, timestamp, uuid } from '../wire/scalars.ts';

/** An entry of the queue that is late, and why (platform §9.5). */
export const LateQueueEntry = model('LateQueueEntry', {
  recordId: field(int(), 'R'),
  kind: field(enumeration(QueueKind), 'R'),
  topic: field(text(), 'R'),
  accountId: field(uuid, 'R', { nullable: true }),
  userToken: field(uuid, 'R'),
  createdDate: field(timestamp, 'R'),
  dueDate: field(timestamp, 'R'),
  processingState: field(enumeration(ProcessingState), 'R', { from: ({ state }: LateEntryView) => state }),
  processingOwner: field(text(), 'R', { nullable: true }),
  errorCount: field(int(), 'R'),
  reason: field(text(), 'R', { nullable: true }),
  availableDate: field(timestamp, 'R', { nullable: true }),
  cause: field(enumeration(LateCause), 'R'),
  why: field(text(), 'R'),
});
