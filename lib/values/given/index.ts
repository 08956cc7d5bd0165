/** Conversion of hosts' inputs and of the engine's answers, and copies for plugins. */
export { frozenCopy } from './frozen-copy.ts';
export type { Given } from './given.ts';
export { type Plain, plainBy } from './plain.ts';
export type { AnyShape, Shape, ValueKind } from './shape.ts';
export { type Take, converterOf } from './take.ts';
