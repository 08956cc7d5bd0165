/** Imports of most property tests. */
export { default as fc } from 'fast-check';
export * from './for-all.ts';
export * from './long-run.ts';
export * from './unit.ts';
