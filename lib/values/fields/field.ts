import type { Uuid } from '../ids/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../limits.ts';
import type { Currency, Decimal } from '../money/index.ts';
import type { DatedInstant, Instant, LocalDate, TimeZone } from '../time/index.ts';

/** The kinds of fields. Each module that handles fields has one rule per kind. */
export type FieldKind =
  | 'recordId'
  | 'id'
  /** An external key that a caller chose. Keys are compared exactly. */
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

/** Specifies when callers may set a field: never, on creation, or on creation and update. */
export type SetOn = 'never' | 'creation' | 'update';

/**
 * Describes a field. The database column, the checks, the JSON and the audit rows are derived from this description.
 */
export interface Field<T = unknown, S extends SetOn = SetOn, I = T> {
  readonly kind: FieldKind;
  readonly isNullable: boolean;
  readonly set: S;
  /** The maximum number of characters of a string. */
  readonly maxLength?: number;
  /** The smallest and largest integer that callers may pass. */
  readonly range?: readonly [minimum: number, maximum: number];
  readonly values?: Readonly<Record<string, string>>;
  /** True if the field contains personal data. Anonymization replaces such data (accounts §19). */
  readonly isPersonal: boolean;
  /** True if operators can search for the field (accounts §6.2). */
  readonly isSearched: boolean;
  /** True if Kill Bill does not have the field. Only the JSON of dialect D contains such fields. */
  readonly isOurs: boolean;
  /** Name of the field in operator searches. Defaults to the name in audit rows, with underscores. */
  readonly searchedAs?: string;
  /**
   * Name in audit rows, if it differs from the field's name. The value is null if audit rows do not contain the
   * field.
   */
  readonly audit: string | null | undefined;
  /** A member that never has a value. It only carries the types of the stored value and of the caller's value. */
  readonly type?: T;
  readonly input?: I;
}

/** The description of a record. */
export type Fields = Readonly<Record<string, Field>>;

/** The type of a described record. */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, SetOn, unknown> ? T : never;
};

/**
 * The fields that callers can set. In updates, an absent field and a null field have different meanings (accounts §4).
 */
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
  /** Specifies when callers may set the field. By default, callers may never set it. */
  readonly set?: S;
  readonly personal?: true;
  /** Specifies whether operators can search for the field. A string is the field's name in searches. */
  readonly searched?: true | string;
  /** True if Kill Bill does not have the field. Defaults to false. */
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
 * Returns a function that describes fields of one kind. `T` is the stored type, and `I` is the type that callers pass.
 */
const fieldOf =
  <T, I = T>(kind: FieldKind, more?: Pick<Field, 'maxLength'>) =>
  <S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
    field<T, S, I>(kind, traits, more);

export const id = fieldOf<Uuid>('id');
export const key = fieldOf<string>('key', { maxLength: MAX_EXTERNAL_KEY_CHARACTERS });
/**
 * Describes a text field.
 * @param traits `max` is the maximum number of characters. It is omitted if callers never set the field, or if another
 * rule limits the text.
 */
export const text = <S extends SetOn = NotSet>(traits: Traits<S> & { readonly max?: number } = {}) =>
  field<string, S>('text', traits, traits.max === undefined ? {} : { maxLength: traits.max });
export const currency = fieldOf<Currency, string>('currency');
export const timeZone = fieldOf<TimeZone, string>('timeZone');
export const oneOf = <V extends string, S extends SetOn = NotSet>(
  values: Readonly<Record<string, V>>,
  traits: Traits<S> = {},
) => field<V, S>('oneOf', traits, { values });
/** Describes a field whose type allows only some values of an enumeration. */
export const code = <V extends string, S extends SetOn = NotSet>(traits: Traits<S> = {}) =>
  field<V, S>('oneOf', traits);
/** Describes an integer field. @param traits `range` contains the smallest and largest values that callers may pass. */
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
export function toSnakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
