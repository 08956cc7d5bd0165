import type { VersionLimit } from '../../model/version-limits.ts';
import type { Scalar } from '../fields/scalar.ts';
import { quote } from './quote.ts';

/** One open element, with what has been read of it so far. Offsets are those of the `<` of a start tag. */
export interface Frame {
  readonly name: string;
  readonly rule: ElementRule<unknown>;
  readonly offset: number;
  /** Values of its attributes and closed children, by name. */
  readonly fields: Record<string, unknown>;
  /** Where each child was: one offset, or one per occurrence. */
  readonly childOffsets: Record<string, number | number[]>;
  text: string;
  isNil: boolean;
  /** How many of each counted thing it holds so far. */
  counts?: Map<VersionLimit, number>;
}

/** What an element may contain, and the value that it becomes at its end tag. */
export interface ElementRule<out T> {
  readonly attributes: ReadonlyMap<string, AttributeRule>;
  readonly children: ReadonlyMap<string, ChildRule>;
  /** Holds text and no children. */
  readonly isLeaf: boolean;
  /** `xsi:nil` is honoured. */
  readonly isNillable: boolean;
  /** Called when all required parts are there; a `Refusal` says what is wrong with their values. */
  readonly finish: (frame: Frame) => T | Refusal;
}

export class Refusal {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export interface AttributeRule {
  readonly scalar: Scalar;
  readonly isRequired: boolean;
}

export interface ChildRule {
  readonly occurs: 'one' | 'optional' | 'many';
  readonly element: ElementRule<unknown>;
  /** Bounds their number, together with all others that it counts in the same version or plan. */
  readonly limit?: VersionLimit | undefined;
}

/** The value of a text, or a `Refusal` that names the place and the type. */
export function readScalar<T>(scalar: Scalar<T>, text: string, place: string): T | Refusal {
  const value = scalar.parse(text);
  if (value !== undefined) return value;
  return new Refusal(`${place}: ${text === '' ? 'no value' : quote(text)} is not ${scalar.description}`);
}
