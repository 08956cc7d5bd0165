import { hostname } from 'node:os';
import { uuidGenerator } from './uuid-generator.ts';

/** A name of this node for this start that no other has: host name plus boot id (platform.md §15 rule 1). */
export function newNodeName(): string {
  return `${hostname()}-${uuidGenerator().next()}`;
}
