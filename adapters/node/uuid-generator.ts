import { randomBytes } from 'node:crypto';
import { createUuidV7, type UuidV7Generator } from '../../lib/values/ids/index.ts';

/** Ids of this process: UUIDv7 on system time with random bits of the operating system's generator. */
export function uuidGenerator(): UuidV7Generator {
  return createUuidV7({ now: () => Date.now(), randomBytes: (length) => randomBytes(length) });
}
