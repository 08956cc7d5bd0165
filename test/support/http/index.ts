/** What most tests over HTTP begin with. */
export * from '../index.ts';
export * from './callers.ts';
export * from './serving.ts';
export * from './world.ts';
