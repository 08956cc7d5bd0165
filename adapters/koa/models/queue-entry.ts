import { LateCause, type LateEntryView } from '../../../lib/queues/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import { derivedField, maybe, model } from '../wire/model.ts';
import { enumeration, int, text, timestamp, uuid } from '../wire/scalars.ts';

/** See platform §9.5. */
export const LateQueueEntry = model('LateQueueEntry', {
  recordId: int(),
  kind: enumeration(QueueKind),
  topic: text(),
  accountId: maybe(uuid),
  userToken: uuid,
  createdDate: timestamp,
  dueDate: timestamp,
  processingState: derivedField(enumeration(ProcessingState), ({ state }: LateEntryView) => state),
  processingOwner: maybe(text()),
  errorCount: int(),
  reason: maybe(text()),
  availableDate: maybe(timestamp),
  cause: enumeration(LateCause),
  why: text(),
});
