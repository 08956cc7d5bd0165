/** Imports of most tests over HTTP. */
export * from '../index.ts';
export * from './callers.ts';
export * from './serving.ts';
export * from './world.ts';
