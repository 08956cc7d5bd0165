import type { Uuid } from '../ids/index.ts';
import type { Decimal } from '../money/index.ts';
import type { Instant, LocalDate, RequestedDate } from '../time/index.ts';

/** The kinds of values that hosts may pass as text. */
interface Values {
  readonly uuid: Uuid;
  readonly amount: Decimal;
  readonly date: LocalDate;
  readonly instant: Instant;
  readonly requestedDate: RequestedDate;
}

export type ValueKind = keyof Values;

type KindOf<T, K extends ValueKind> = { [V in K]: T extends Values[V] ? V : never }[K];

/**
 * Describes the values of the kinds `K` in a `T`. A shape is the kind itself, a list with one shape, or an object with
 * a shape for each field that contains such values. The shape is `never` if there are no such values.
 */
export type Shape<T, K extends ValueKind = ValueKind> = [KindOf<NonNullable<T>, K>] extends [never]
  ? NonNullable<T> extends ((...given: never[]) => unknown) | AsyncIterable<unknown>
    ? never
    : NonNullable<T> extends readonly (infer E)[]
      ? [Shape<E, K>] extends [never]
        ? never
        : readonly [Shape<E, K>]
      : NonNullable<T> extends object
        ? FieldsOf<NonNullable<T>, K>
        : never
  : KindOf<NonNullable<T>, K>;

type KeysOfAll<T> = T extends unknown ? keyof T : never;
type MemberOfAny<T, F extends PropertyKey> = T extends unknown ? (F extends keyof T ? T[F] : never) : never;
/** Names of the fields to describe. Lists of `T` are omitted, because a type that contains itself would be infinite. */
type Held<T, K extends ValueKind> = {
  [F in KeysOfAll<T>]: NonNullable<MemberOfAny<T, F>> extends readonly T[]
    ? never
    : [Shape<MemberOfAny<T, F>, K>] extends [never]
      ? never
      : F;
}[KeysOfAll<T>];
type FieldsOf<T, K extends ValueKind> = [Held<T, K>] extends [never]
  ? never
  : { readonly [F in Held<T, K>]: Shape<MemberOfAny<T, F>, K> };

/** Any shape. */
export type AnyShape = ValueKind | readonly [AnyShape] | { readonly [field: string]: AnyShape };

/**
 * Checks for values that are not converted. `count` is a whole number from 0. `integer` may also be negative.
 * `document` is XML, or an object that writes XML. For `any`, the operation checks the value.
 */
export type CheckedKind =
  | 'text'
  | 'flag'
  | 'number'
  | 'count'
  | 'integer'
  | 'iterable'
  | 'function'
  | 'document'
  | 'any';

/**
 * The shape of any input. A set contains the valid values. `!` marks a required value. `?` marks a value for which null
 * means absent. `=` marks an object that must not have other fields.
 */
export type AnyInput =
  | ValueKind
  | CheckedKind
  | ReadonlySet<string>
  | readonly [AnyInput]
  | readonly ['!' | '?' | '=', AnyInput]
  | { readonly [field: string]: AnyInput };

/**
 * The shape of an input of type `T`. It extends `Shape<T>` with checks for other fields, at any depth. A shape that
 * lacks an id, amount, date or instant does not compile.
 */
export type InputShape<T> = [Shape<T>] extends [never] ? AnyInput : InputShapeOf<T> | Marked<InputShapeOf<T>>;

type Marked<S> = readonly ['!' | '?' | '=', S];

type InputShapeOf<T> = [KindOf<NonNullable<T>, ValueKind>] extends [never]
  ? NonNullable<T> extends readonly (infer E)[]
    ? readonly [InputShape<E>]
    : InputFields<NonNullable<T>>
  : KindOf<NonNullable<T>, ValueKind>;

type InputFields<T> = { readonly [F in Held<T, ValueKind>]: InputShape<MemberOfAny<T, F>> } & {
  readonly [F in Exclude<KeysOfAll<T>, Held<T, ValueKind>>]?: AnyInput;
};
