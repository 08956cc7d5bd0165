/** Conversion of hosts' inputs and of the engine's results, and copies for plugins. */

export { converterOf, parameterOf, type Take } from './convert.ts';
export { frozenCopy } from './frozen-copy.ts';
export type { HostInput } from './host-input.ts';
export { type Plain, plainBy, plainerOf } from './plain.ts';
export type { AnyInput, AnyShape, InputShape, Shape, ValueKind } from './shape.ts';
