import { id, instant, json, type RecordOf, recordId, text } from '../values/fields/index.ts';
import type { EventPayload } from './queue-entry.ts';

/** What every node of the deployment is told (platform §11). */
export const broadcastFields = {
  recordId,
  id: id(),
  /** The part of the engine that it comes from. */
  service: text(),
  /** What the handlers of it are registered for. */
  type: text(),
  payload: json<EventPayload>(),
  createdBy: text(),
  createdDate: instant(),
};
export interface Broadcast extends RecordOf<typeof broadcastFields> {}
