import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { EventPayload } from './queue-entry.ts';

/** What every node of the deployment is told (platform §11). */
export interface Broadcast {
  readonly recordId: number;
  readonly id: Uuid;
  /** The part of the engine that it comes from. */
  readonly service: string;
  /** What the handlers of it are registered for. */
  readonly type: string;
  readonly payload: EventPayload;
  readonly createdBy: string;
  readonly createdDate: Instant;
}
