/** What hosts may give and how it is read, what they receive, and what plugins are given. */
export { frozenCopy } from './frozen-copy.ts';
export type { Given } from './given.ts';
export { type Plain, plainBy } from './plain.ts';
export type { AnyShape, Shape, ValueKind } from './shape.ts';
export { type Take, takerOf } from './take.ts';
