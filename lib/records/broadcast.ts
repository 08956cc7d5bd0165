import { id, instant, json, type RecordOf, recordId, text } from '../values/fields/index.ts';
import type { EventPayload } from './queue-entry.ts';

/** A message to all nodes of the deployment (platform §11). */
export const broadcastFields = {
  recordId,
  id: id(),
  /** The sending part of the engine. */
  service: text(),
  /** Selects the handlers. */
  type: text(),
  payload: json<EventPayload>(),
  createdBy: text(),
  createdDate: instant(),
};
export interface Broadcast extends RecordOf<typeof broadcastFields> {}
