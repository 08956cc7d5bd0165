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
  readonly attributes: ReadonlyMap<string, AttributeRule<unknown>>;
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

export interface AttributeRule<out T> {
  readonly scalar: Scalar<T>;
  readonly isRequired: boolean;
}
export interface One<out T> {
  readonly occurs: 'one';
  readonly element: ElementRule<T>;
  readonly limit?: VersionLimit;
}
export interface Optional<out T> {
  readonly occurs: 'optional';
  readonly element: ElementRule<T>;
}
export interface Many<out T> {
  readonly occurs: 'many';
  readonly element: ElementRule<T>;
  readonly limit?: VersionLimit;
}
export type ChildRule = One<unknown> | Optional<unknown> | Many<unknown>;

type Parts = Readonly<Record<string, AttributeRule<unknown> | ChildRule>>;
/** The values of an element's parts by name: null for an absent optional one, a list for a repeated one. */
type PartValues = Readonly<Record<string, unknown>>;

export function attribute<T>(scalar: Scalar<T>, isRequired: boolean): AttributeRule<T> {
  return { scalar, isRequired };
}

export function one<T>(element: ElementRule<T>, limit?: VersionLimit): One<T> {
  return limit === undefined ? { occurs: 'one', element } : { occurs: 'one', element, limit };
}

export function optional<T>(element: ElementRule<T>): Optional<T> {
  return { occurs: 'optional', element };
}

/** @param limit bounds their number, together with all others that it counts in the same version or plan. */
export function many<T>(element: ElementRule<T>, limit?: VersionLimit): Many<T> {
  return limit === undefined ? { occurs: 'many', element } : { occurs: 'many', element, limit };
}

/** An element of attributes and children, in any order. `build` turns their values into that of the element, whose name it is told. */
export function element<T>(
  parts: Parts,
  build: (values: PartValues, name: string) => T | Refusal,
): ElementRule<T> {
  const attributes = new Map<string, AttributeRule<unknown>>();
  const children = new Map<string, ChildRule>();
  for (const [name, part] of Object.entries(parts)) {
    if ('scalar' in part) attributes.set(name, part);
    else children.set(name, part);
  }
  return {
    attributes,
    children,
    isLeaf: false,
    isNillable: false,
    finish: (frame) => build(frame.fields, frame.name),
  };
}

/** An element that holds a text of the given type. */
export function leaf<T>(scalar: Scalar<T>): ElementRule<T> {
  return {
    attributes: new Map(),
    children: new Map(),
    isLeaf: true,
    isNillable: false,
    finish: (frame) => readScalar(scalar, frame.text, `Element "${frame.name}"`),
  };
}

/** A leaf that may be given as `xsi:nil="true"`, which is null. */
export function nillableLeaf<T>(scalar: Scalar<T>): ElementRule<T | null> {
  const value = leaf(scalar);
  return {
    ...value,
    isNillable: true,
    finish: (frame) => {
      if (!frame.isNil) return value.finish(frame);
      return frame.text === '' ? null : new Refusal(`Element "${frame.name}" is nil and must be empty`);
    },
  };
}

/** The value of a text, or a `Refusal` that names the place and the type. */
export function readScalar<T>(scalar: Scalar<T>, text: string, place: string): T | Refusal {
  const value = scalar.parse(text);
  if (value !== undefined) return value;
  return new Refusal(`${place}: ${text === '' ? 'no value' : quote(text)} is not ${scalar.description}`);
}
