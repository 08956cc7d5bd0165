/** Imports of most unit tests. */
export { expect } from 'chai';
export * from '../../lib/values/errors/index.ts';
export * from '../../lib/values/ids/index.ts';
export * from '../../lib/values/money/index.ts';
export * from '../../lib/values/time/index.ts';
export * from './assertions.ts';
