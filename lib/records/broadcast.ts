import { f, type RecordOf } from '../values/fields/index.ts';
import type { EventPayload } from './queue-entry.ts';

/** A message to all nodes of the deployment (platform §11). */
export const broadcastFields = {
  recordId: f.recordId,
  id: f.id(),
  /** The sending part of the engine. */
  service: f.text(),
  /** Type of the message. It determines which handlers receive the message. */
  type: f.text(),
  payload: f.json<EventPayload>(),
  createdBy: f.text(),
  createdDate: f.instant(),
};
export interface Broadcast extends RecordOf<typeof broadcastFields> {}
