import type { Uuid } from '../ids/index.ts';
import type { Decimal } from '../money/index.ts';
import type { Instant, LocalDate, RequestedDate } from '../time/index.ts';

/** The values that have a text of their own. */
interface Values {
  readonly uuid: Uuid;
  readonly amount: Decimal;
  readonly date: LocalDate;
  readonly instant: Instant;
  readonly requestedDate: RequestedDate;
}

export type ValueKind = keyof Values;

type KindOf<T> = { [K in ValueKind]: T extends Values[K] ? K : never }[ValueKind];

/**
 * Where in a `T` such values stand: their kind, a list of a shape, or the shapes of fields; never where there are none. A
 * field that holds one has to be there, so that none is forgotten.
 */
export type Shape<T> = [KindOf<NonNullable<T>>] extends [never]
  ? NonNullable<T> extends (...given: never[]) => unknown
    ? never
    : NonNullable<T> extends readonly (infer E)[]
      ? [Shape<E>] extends [never]
        ? never
        : readonly [Shape<E>]
      : NonNullable<T> extends object
        ? FieldsOf<NonNullable<T>>
        : never
  : KindOf<NonNullable<T>>;

type KeysOfAll<T> = T extends unknown ? keyof T : never;
type MemberOfAny<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type Held<T> = { [K in KeysOfAll<T>]: [Shape<MemberOfAny<T, K>>] extends [never] ? never : K }[KeysOfAll<T>];
type FieldsOf<T> = [Held<T>] extends [never] ? never : { readonly [K in Held<T>]: Shape<MemberOfAny<T, K>> };

/** Any shape. */
export type AnyShape = ValueKind | readonly [AnyShape] | { readonly [field: string]: AnyShape };
