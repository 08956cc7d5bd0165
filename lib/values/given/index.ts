/** What hosts may give as text, and how it is read. */
export type { Given } from './given.ts';
export type { AnyShape, Shape } from './shape.ts';
export { type Take, takerOf } from './take.ts';
