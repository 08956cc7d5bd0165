/** Imports of most tests of the engine. */
export { expect } from 'chai';
export * from './assertions.ts';
export * from './databases.ts';
export * from './engine.ts';
export * from './files.ts';
export * from './host.ts';
export * from './long-run.ts';
export * from './plain-hasher.ts';
export * from './queue-rows.ts';
export * from './replaced-parts.ts';
export * from './shop.ts';
export * from './storage.ts';
export * from './subscribed.ts';
export * from './system-time.ts';
