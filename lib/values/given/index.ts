/** What hosts may give as text and how it is read, and how answers are shown to people. */
export type { Given } from './given.ts';
export type { AnyShape, Shape } from './shape.ts';
export { readableBy } from './show.ts';
export { type Take, takerOf } from './take.ts';
