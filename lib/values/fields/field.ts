import type { Uuid } from '../ids/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../limits.ts';
import type { Currency, Decimal } from '../money/index.ts';
import type { DatedInstant, Instant, LocalDate, TimeZone } from '../time/index.ts';

/** The kinds of values that records hold; each layer has one rule per kind. */
export type FieldKind =
  | 'recordId'
  | 'id'
  /** An external key: text of a caller, compared exactly. */
  | 'key'
  | 'text'
  | 'currency'
  | 'timeZone'
  | 'oneOf'
  | 'integer'
  /** An integer of up to 53 bits. */
  | 'bigint'
  | 'flag'
  | 'amount'
  | 'date'
  | 'instant'
  /** An instant with its local date (subscriptions §2 rule 8). */
  | 'dated'
  | 'json';

/** Who may set a field: the engine alone, a caller on creation, or a caller on creation and update. */
export type SetOn = 'never' | 'creation' | 'update';

/** What all that reads, checks, stores and shows a field knows about it. */
export interface Field<T = unknown, S extends SetOn = SetOn, I = T> {
  readonly kind: FieldKind;
  readonly isNullable: boolean;
  readonly set: S;
  /** For text: the longest one, in characters. */
  readonly maxLength?: number;
  /** For integers: the smallest and the largest one that callers may give. */
  readonly range?: readonly [minimum: number, maximum: number];
  /** For enumerations: the values. */
  readonly values?: Readonly<Record<string, string>>;
  /** Personal data, which anonymization replaces (accounts §19). */
  readonly isPersonal: boolean;
  /** Operator searches can name it (accounts §6.2). */
  readonly isSearched: boolean;
  /** Its name in them, if it is not the one in audit rows with underscores. */
  readonly searchedAs?: string;
  /** Its name in audit rows if that is another one; null: audit rows leave it out. */
  readonly audit: string | null | undefined;
  /** Types only, never present: the field's values, and what callers give for them. */
  readonly type?: T;
  readonly input?: I;
}

/** A description of a record: a field per property. */
export type Fields = Readonly<Record<string, Field>>;

/** The record that a description describes. */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, SetOn, unknown> ? T : never;
};

/** What callers give for the record: absent = not given, null = given as nothing. */
export type InputOf<F extends Fields> = {
  readonly [K in keyof F as F[K] extends Field<unknown, 'never'> ? never : K]?: F[K] extends Field<
    unknown,
    SetOn,
    infer I
  >
    ? I | null
    : never;
};

interface Traits<S extends SetOn> {
  /** Default: never. */
  readonly set?: S;
  readonly personal?: true;
  /** True, or its name in operator searches. */
  readonly searched?: true | string;
  /** Default: the field's own name. */
  readonly audit?: string | null;
}

function field<T, S extends SetOn, I = T>(
  kind: FieldKind,
  { set, personal, searched, audit }: Traits<S>,
  more: Pick<Field, 'maxLength' | 'range' | 'values'> = {},
): Field<T, S, I> {
  return {
    kind,
    isNullable: false,
    set: set ?? ('never' as S),
    isPersonal: personal ?? false,
    isSearched: searched !== undefined,
    ...(typeof searched === 'string' ? { searchedAs: searched } : {}),
    audit,
    ...more,
  };
}

type NotSet = 'never';

/** The number of the record's row, given by storage. */
export const recordId: Field<number, NotSet> = field('recordId', { audit: null });

export const id = <S extends SetOn = NotSet>(traits: Traits<S> = {}) => field<Uuid, S>('id', traits);
export const key = <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<string, S>('key', traits, { maxLength: MAX_EXTERNAL_KEY_CHARACTERS });
/** @param traits `max`: the longest text, in characters; absent: callers do not give it, or another rule bounds it. */
export const text = <S extends SetOn = NotSet>(traits: Traits<S> & { readonly max?: number } = {}) =>
  field<string, S>('text', traits, traits.max === undefined ? {} : { maxLength: traits.max });
export const currency = <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<Currency, S, string>('currency', traits);
export const timeZone = <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<TimeZone, S, string>('timeZone', traits);
export const oneOf = <V extends string, S extends SetOn = NotSet>(
  values: Readonly<Record<string, V>>,
  traits: Traits<S> = {},
) => field<V, S>('oneOf', traits, { values });
/** A subset of an enumeration, which only the type names. */
export const code = <V extends string, S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<V, S>('oneOf', traits);
/** @param traits `range`: what callers may give. */
export const integer = <S extends SetOn = NotSet>(
  traits: Traits<S> & { readonly range?: readonly [minimum: number, maximum: number] } = {},
) => field<number, S>('integer', traits, traits.range === undefined ? {} : { range: traits.range });
export const bigint = <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<number, S>('bigint', traits);
export const flag = <S extends SetOn = NotSet>(traits: Traits<S> = {}) => field<boolean, S>('flag', traits);
export const amount = <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<Decimal, S>('amount', traits);
export const date = <S extends SetOn = NotSet>(traits: Traits<S> = {}) => field<LocalDate, S>('date', traits);
export const instant = <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<Instant, S>('instant', traits);
export const dated = <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<DatedInstant, S>('dated', traits);
export const json = <T, S extends SetOn = NotSet>(traits: Traits<S> = {}) => field<T, S>('json', traits);

/** The field, which may also be null. */
export function orNull<T, S extends SetOn, I>(each: Field<T, S, I>): Field<T | null, S, I> {
  return { ...each, isNullable: true } as Field<T | null, S, I>;
}

/** The name with underscores, as columns and operator searches have it: `billCycleDayLocal` is `bill_cycle_day_local`. */
export function underscored(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
