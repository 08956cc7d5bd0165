export { namedUuid } from './named-uuid.ts';
export { isUuid, parseUuid, type Uuid } from './uuid.ts';
export { createUuidV7, type UuidV7Generator, type UuidV7Sources } from './uuid-v7.ts';
