import type { Decimal } from '../money/index.ts';
import { formatLocalDate, type Instant, type LocalDate } from '../time/index.ts';
import type { AnyShape, Shape } from './shape.ts';

/**
 * The type `T` in the form in which hosts receive it, at any depth. A date is text such as `2024-03-01`. An instant is
 * a `Date`. An amount is a Decimal, which becomes text in JSON.
 */
export type Plain<T> = T extends LocalDate
  ? string
  : T extends Instant
    ? Date
    : T extends string | number | boolean | Decimal | Date | Uint8Array | ((...given: never[]) => unknown)
      ? T
      : T extends ReadonlyMap<infer K, infer V>
        ? ReadonlyMap<K, Plain<V>>
        : T extends AsyncIterable<infer E>
          ? AsyncIterable<Plain<E>>
          : T extends object
            ? { [K in keyof T]: Plain<T[K]> }
            : T;

type Convert = (value: unknown) => unknown;

/**
 * Returns a function that copies a value and converts its dates and instants for hosts. Null and undefined stay
 * unchanged.
 */
export function plainBy(shape: AnyShape): Convert {
  const convert = presentBy(shape);
  return (value) => (value === undefined || value === null ? value : convert(value));
}

/** Returns the typed form of `plainBy` for `T`. A shape that lacks a date or instant of `T` does not compile. */
export function plainerOf<T>(shape: Shape<T, 'date' | 'instant'>): (value: T) => Plain<T> {
  return plainBy(shape as AnyShape) as (value: T) => Plain<T>;
}

function presentBy(shape: AnyShape): Convert {
  if (shape === 'date') return (value) => formatLocalDate(value as LocalDate);
  if (shape === 'instant') return (value) => new Date(value as Instant);
  if (shape === 'requestedDate') return presentBy({ at: 'instant', date: 'date' });
  if (typeof shape === 'string') return (value) => value;
  if (Array.isArray(shape)) {
    const each = plainBy(shape[0]);
    return (value) => Array.from(value as Iterable<unknown>, each);
  }
  // The function is built on first use, because a shape may contain itself.
  let fields: readonly (readonly [field: string, convert: Convert])[] | undefined;
  return (value) => {
    fields ??= Object.entries(shape).map(([field, own]) => [field, plainBy(own)] as const);
    const plain: Record<string, unknown> = { ...(value as object) };
    for (const [field, convert] of fields) if (field in plain) plain[field] = convert(plain[field]);
    return plain;
  };
}
