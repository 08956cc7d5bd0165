/** Converts inputs from hosts and results of the engine, and copies values for plugins. */

export { converterOf, parameterOf, type Take } from './convert.ts';
export { frozenCopy } from './frozen-copy.ts';
export type { HostInput } from './host-input.ts';
export { type Plain, plainBy, plainerOf } from './plain.ts';
export type { AnyInput, AnyShape, InputShape, Shape, ValueKind } from './shape.ts';
