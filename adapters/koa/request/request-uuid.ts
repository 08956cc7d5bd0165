import { randomUUID } from 'node:crypto';
import { parseUuid, type Uuid } from '../../../lib/values/ids/index.ts';

/** A token for a request that brought none. */
export function createUuid(): Uuid {
  return parseUuid(randomUUID());
}
