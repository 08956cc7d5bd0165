import type { Uuid } from '../ids/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../limits.ts';
import type { Currency, Decimal } from '../money/index.ts';
import type { DatedInstant, Instant, LocalDate, TimeZone } from '../time/index.ts';

/** The kinds of fields. Each layer has one rule per kind. */
export type FieldKind =
  | 'recordId'
  | 'id'
  /** An external key of a caller, compared exactly. */
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

/** When callers may set a field: never, on creation, or on creation and update. */
export type SetOn = 'never' | 'creation' | 'update';

/** The description of a field, from which storage, checks, JSON and audit rows are derived. */
export interface Field<T = unknown, S extends SetOn = SetOn, I = T> {
  readonly kind: FieldKind;
  readonly isNullable: boolean;
  readonly set: S;
  /** The maximum number of characters of a string. */
  readonly maxLength?: number;
  /** The smallest and largest integers that callers may pass. */
  readonly range?: readonly [minimum: number, maximum: number];
  readonly values?: Readonly<Record<string, string>>;
  /** True for personal data, which anonymization replaces (accounts §19). */
  readonly isPersonal: boolean;
  /** True if operator searches include the field (accounts §6.2). */
  readonly isSearched: boolean;
  /** True if Kill Bill does not have the field: only JSON of dialect D contains it. */
  readonly isOurs: boolean;
  /** Name in operator searches; defaults to the name in audit rows, with underscores. */
  readonly searchedAs?: string;
  /** Name in audit rows, if it differs. Null if the field is not in audit rows. */
  readonly audit: string | null | undefined;
  /** Carries only the types of the stored value and of the caller's value. */
  readonly type?: T;
  readonly input?: I;
}

/** The description of a record. */
export type Fields = Readonly<Record<string, Field>>;

/** The type of a described record. */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, SetOn, unknown> ? T : never;
};

/** The fields that callers can set. Absent and null differ in updates (accounts §4). */
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
  /** When callers may set the field. Default: never. */
  readonly set?: S;
  readonly personal?: true;
  /** True, or the name in operator searches, if operator searches include the field. */
  readonly searched?: true | string;
  /** True if Kill Bill does not have the field. By default, it does. */
  readonly ours?: true;
  /** Name in audit rows. Defaults to the field's own name. */
  readonly audit?: string | null;
}

function field<T, S extends SetOn, I = T>(
  kind: FieldKind,
  { set, personal, searched, ours, audit }: Traits<S>,
  more: Pick<Field, 'maxLength' | 'range' | 'values'> = {},
): Field<T, S, I> {
  return {
    kind,
    isNullable: false,
    set: set ?? ('never' as S),
    isPersonal: personal ?? false,
    isSearched: searched !== undefined,
    isOurs: ours ?? false,
    ...(typeof searched === 'string' ? { searchedAs: searched } : {}),
    audit,
    ...more,
  };
}

type NotSet = 'never';

/** The row number, which the storage assigns. */
export const recordId: Field<number, NotSet> = field('recordId', { audit: null });

/**
 * Returns the function that describes fields of a kind. `T` is the stored type, and `I` is the type that callers
 * give.
 */
const fieldOf =
  <T, I = T>(kind: FieldKind, more?: Pick<Field, 'maxLength'>) =>
  <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
    field<T, S, I>(kind, traits, more);

export const id = fieldOf<Uuid>('id');
export const key = fieldOf<string>('key', { maxLength: MAX_EXTERNAL_KEY_CHARACTERS });
/**
 * @param traits `max` is the maximum number of characters. Absent if callers never set the field, or if another rule
 * limits it.
 */
export const text = <S extends SetOn = NotSet>(traits: Traits<S> & { readonly max?: number } = {}) =>
  field<string, S>('text', traits, traits.max === undefined ? {} : { maxLength: traits.max });
export const currency = fieldOf<Currency, string>('currency');
export const timeZone = fieldOf<TimeZone, string>('timeZone');
export const oneOf = <V extends string, S extends SetOn = NotSet>(
  values: Readonly<Record<string, V>>,
  traits: Traits<S> = {},
) => field<V, S>('oneOf', traits, { values });
/** Describes a field with a subset of an enumeration that only the type of the field defines. */
export const code = <V extends string, S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<V, S>('oneOf', traits);
/** @param traits `range` contains the smallest and largest values that callers may pass. */
export const integer = <S extends SetOn = NotSet>(
  traits: Traits<S> & { readonly range?: readonly [minimum: number, maximum: number] } = {},
) => field<number, S>('integer', traits, traits.range === undefined ? {} : { range: traits.range });
export const bigint = fieldOf<number>('bigint');
export const flag = fieldOf<boolean>('flag');
export const amount = fieldOf<Decimal>('amount');
export const date = fieldOf<LocalDate>('date');
export const instant = fieldOf<Instant>('instant');
export const dated = fieldOf<DatedInstant>('dated');
export const json = <T, S extends SetOn = NotSet>(traits: Traits<S> = {}) => field<T, S>('json', traits);

/** Returns the field as nullable. */
export function orNull<T, S extends SetOn, I>(each: Field<T, S, I>): Field<T | null, S, I> {
  return { ...each, isNullable: true } as Field<T | null, S, I>;
}

/** Returns the name for columns and operator searches, such as `bill_cycle_day_local` for `billCycleDayLocal`. */
export function underscored(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
