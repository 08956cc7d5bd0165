/** What hosts may give as text and how it is read, how answers are shown to people, and what plugins are given. */
export { frozenCopy } from './frozen-copy.ts';
export type { Given } from './given.ts';
export type { AnyShape, Shape } from './shape.ts';
export { readableBy } from './show.ts';
export { type Take, takerOf } from './take.ts';
