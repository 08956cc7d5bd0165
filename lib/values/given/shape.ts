import type { Uuid } from '../ids/index.ts';
import type { Decimal } from '../money/index.ts';
import type { Instant, LocalDate, RequestedDate } from '../time/index.ts';

/** The values that have a text form of their own. */
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
 * Where a `T` holds such values, of all kinds or of some: their kind, a list of a shape, or the shapes of fields; never
 * where it holds none. A field with such a value is required, so that none is forgotten.
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
/** Members of the same type are left out, since a type that contains itself would have no end. */
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
