import { trimXml } from '../../../values/documents/index.ts';
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_XML_NAME_CHARACTERS } from '../../../values/limits.ts';
import { type Currency, isCurrency } from '../../../values/money/index.ts';
import { formatInstant, type Instant, parseWireInstant } from '../../../values/time/index.ts';
import { type WrittenDecimal, writtenDecimal } from '../../model/catalog-model.ts';
import type { VersionLimit } from '../../model/version-content.ts';

/** Namespace of the elements that the reference does not have. */
export const NAMESPACE = 'urn:billwright:catalog';
/** Prefix of that namespace in the field tables and in written documents. */
export const PREFIX = 'bw:';

// The vocabulary of the field tables. These tables define the model's records once for all formats.
// Formats iterate over the fields to read or write a record.

/** The type of a value: a string, a record, or a case of a rule. */
export type ValueType<T = unknown> = Scalar<T> | RecordType<T> | RuleCaseType<T>;

export interface RecordType<out T = unknown> {
  readonly kind: 'record';
  /** The fields in document order. */
  readonly fields: readonly NamedField[];
  readonly attributes: readonly NamedField[];
  readonly children: readonly NamedField[];
  /** Attributes that have only one valid value. */
  readonly constants: readonly (readonly [name: string, type: Scalar<string>])[];
  /** Elements that are read but never written, because the model does not contain them. */
  readonly ignored: readonly (readonly [name: string, type: Scalar])[];
  /** The field whose value may replace the whole record in a definition. */
  readonly short: string | undefined;
  /** Carries the type of the record. Never set. */
  readonly of?: T;
}

/** A rule case: optional conditions, and the result if all conditions are met. */
export interface RuleCaseType<out T = unknown> {
  readonly kind: 'case';
  readonly conditions: Readonly<Record<string, Scalar>>;
  readonly resultName: string;
  readonly result: Scalar;
  /** Alternative names of conditions in documents. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly of?: T;
}

export interface Field<out T = unknown> {
  /** Form in documents: an attribute, an element, a wrapper of items, or repeated elements. */
  readonly place: 'attribute' | 'element' | 'list' | 'repeated';
  /** For a list: its item type. */
  readonly type: ValueType;
  /** Name of list items in documents. */
  readonly item?: string;
  /** A document may set `xsi:nil`. */
  readonly isNillable?: true;
  /** If true, a document may write −1 for an absent number; definitions omit the number. */
  readonly isNoneAtMinusOne?: true;
  /** Name in documents, if it differs. */
  readonly element?: string;
  /** Default value, or a function of the previous fields. A field without a default is required. */
  readonly absent?: unknown;
  /** Default value in definitions only. Documents must contain the field. */
  readonly ifAbsent?: unknown;
  /** Limits the number of these fields in a version or plan. */
  readonly limit?: VersionLimit;
  /** If true, a record without items lacks the field, so that its stored text does not contain the field. */
  readonly isOmittedIfEmpty?: true;
  readonly of?: T;
}

export interface NamedField extends Field {
  readonly name: string;
  readonly element: string;
}

interface Options<A> extends Pick<Field, 'element' | 'limit' | 'isNoneAtMinusOne' | 'isOmittedIfEmpty'> {
  readonly absent?: A | ((before: { readonly name: string; readonly kind?: unknown }) => A);
  readonly ifAbsent?: A;
}

export function attribute<T, A = never>(type: Scalar<T>, options: Options<A> = {}): Field<T | A> {
  return { place: 'attribute', type, ...options };
}

export function element<T, A = never>(type: ValueType<T>, options: Options<A> = {}): Field<T | A> {
  return { place: 'element', type, ...options };
}

export function nillable<T>(type: Scalar<T>, options: Options<never>): Field<T | null> {
  return { place: 'element', type, isNillable: true, ...options };
}

/** Returns a list: a wrapper element with children named `item`. */
export function list<T>(
  item: string,
  type: ValueType<T>,
  options: Options<readonly T[]> = {},
): Field<readonly T[]> {
  return { place: 'list', item, type, ...options };
}

/** Returns a list of zero or more elements that stand next to other elements. */
export function repeated<T>(type: ValueType<T>, options: Options<readonly T[]>): Field<readonly T[]> {
  return { place: 'repeated', type, absent: [], ...options };
}

export function record<T extends object>(
  fields: { readonly [Name in keyof T]-?: Field<T[Name]> },
  {
    constants = [],
    ignored = [],
    short,
  }: Partial<Pick<RecordType, 'constants' | 'ignored'>> & { readonly short?: keyof T & string } = {},
): RecordType<T> {
  const named = Object.entries<Field>(fields).map(([name, field]) => ({ element: name, ...field, name }));
  const attributes = named.filter(({ place }) => place === 'attribute');
  const children = named.filter(({ place }) => place !== 'attribute');
  return { kind: 'record', fields: named, attributes, children, constants, ignored, short };
}

export function recordOf<T>({ fields }: RecordType<T>, given: (field: NamedField) => unknown): T {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { absent = null } = field;
    const value = given(field) ?? (typeof absent === 'function' ? absent(values) : absent);
    if (field.isOmittedIfEmpty && Array.isArray(value) && value.length === 0) continue;
    values[field.name] = value;
  }
  return values as T;
}

export function completed<T>(
  type: RecordType<T>,
  values: { readonly [Name in keyof T]?: T[Name] | null },
): T {
  const known: Readonly<Record<string, unknown>> = values;
  return recordOf(type, ({ name, ifAbsent }) => known[name] ?? ifAbsent);
}

/** A type with text values, written as an attribute, an element or a definition member. */
export interface Scalar<T = unknown> {
  readonly kind: 'scalar';
  /** Description of the type for messages, with an article: `a currency code`. */
  readonly description: string;
  /** Parses text. Returns undefined for invalid text. Element text is already trimmed. */
  parse(text: string): T | undefined;
  write(value: T): string;
}

function scalar<T>(
  description: string,
  parse: (text: string) => T | undefined,
  write: (value: T) => string = String,
): Scalar<T> {
  return { kind: 'scalar', description, parse, write };
}

export function oneOf<T extends string>(description: string, values: Readonly<Record<string, T>>): Scalar<T> {
  const byText = new Map<string, T>(Object.values(values).map((value) => [value, value]));
  const known = [...byText.keys()].join(', ');
  return scalar(`${description} (${known})`, (text) => byText.get(trimXml(text)));
}

/** Returns a type with one valid value. Documents may use `aliases`. */
export function only<T extends string>(description: string, value: T, aliases: readonly T[] = []): Scalar<T> {
  const known = Object.fromEntries([value, ...aliases].map((each) => [each, each]));
  return { ...oneOf(description, known), write: () => value };
}

export const anyText = scalar('a text', (text) => text);

export const nonBlankText = scalar('a text', (text) => (text.trim() === '' ? undefined : text));

/** A name or reference. Validation checks that it is an NCName and exists (V1, V2). */
export const name = scalar(`a name of at most ${MAX_XML_NAME_CHARACTERS} characters`, (text) =>
  text.length > MAX_XML_NAME_CHARACTERS ? undefined : trimXml(text),
);

export const currency = scalar('a currency code (ISO 4217 or BTC)', (text): Currency | undefined =>
  isCurrency(text) ? text : undefined,
);

/** A date-time, written in UTC. Milliseconds are written only if they are not zero. */
export const dateTime = scalar<Instant>(
  'a date-time such as 2024-06-01T10:00:00Z, or a date',
  parseWireInstant,
  (at) => formatInstant(at).replace('.000Z', 'Z'),
);

/** A value of a feature. The kind of the feature defines its form. */
export const featureText = scalar('a feature value', (text) => text);

export const flag = scalar('true or false', (text) => FLAGS.get(trimXml(text)));

const FLAGS = new Map([
  ['true', true],
  ['false', false],
]);

const INTEGER = /^[+-]?[0-9]{1,10}$/;
const INT_MAX = 2 ** 31 - 1;

export const int = scalar('a whole number of 32 bits', (text) => {
  const value = INTEGER.test(text) ? Number(text) : Number.NaN;
  return value >= -INT_MAX - 1 && value <= INT_MAX ? value : undefined;
});

const DECIMAL = new RegExp(
  `^[+-]?0*([0-9]{0,${MAX_INTEGER_DIGITS}})(?:\\.([0-9]{0,${MAX_FRACTION_DIGITS}}))?$`,
);

/** A decimal without an exponent, with the digits of §2. */
export const decimal = scalar<WrittenDecimal>(
  `a decimal number of at most ${MAX_INTEGER_DIGITS} integer and ${MAX_FRACTION_DIGITS} fractional digits`,
  (text) => (DECIMAL.test(text) && /[0-9]/.test(text) ? writtenDecimal(text) : undefined),
  ({ text }) => text,
);

/** Matches an unset number as other exporters write it (R58). */
const NONE = /^-0*1(?:\.0*)?$/;

/** Returns a type for a number or null. Null is written as −1. */
export function orNone<T>(number: Scalar<T>): Scalar<T | null> {
  return { ...number, parse: (text) => (NONE.test(text) ? null : number.parse(text)) } as Scalar<T | null>;
}

/** Accepts only −1, which means no number. */
export const noneNumber = scalar('-1, which means none', (text) => (NONE.test(text) ? '-1' : undefined));
