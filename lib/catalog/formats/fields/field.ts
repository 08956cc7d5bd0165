import { trimXml } from '../../../values/documents/index.ts';
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_XML_NAME_CHARACTERS } from '../../../values/limits.ts';
import { type Currency, isCurrency } from '../../../values/money/index.ts';
import { formatInstant, type Instant, parseWireInstant } from '../../../values/time/index.ts';
import { type WrittenDecimal, writtenDecimal } from '../../model/catalog-model.ts';
import type { VersionLimit } from '../../model/version-content.ts';

// The vocabulary of the tables of fields, which say once for all formats what a record of the model holds. A format goes
// through the fields of a record to read or to write it.

/** What a value of the model is: one text, a record, or a case of a rule. */
export type ValueType<T = unknown> = Scalar<T> | RecordType<T> | RuleCaseType<T>;

export interface RecordType<out T = unknown> {
  readonly kind: 'record';
  /** In the order of the document. */
  readonly fields: readonly NamedField[];
  /** The fields that a document has as attributes, and the others. */
  readonly attributes: readonly NamedField[];
  readonly children: readonly NamedField[];
  /** Attributes for which a document can have only one value. */
  readonly constants: readonly (readonly [name: string, type: Scalar<string>])[];
  /** Elements that a document may have and the model has not: they are read and never written. */
  readonly ignored: readonly (readonly [name: string, type: Scalar])[];
  /** The field that a definition may give instead of the whole record. */
  readonly short: string | undefined;
  /** Never present: tells the compiler what the record is. */
  readonly of?: T;
}

/** A case of a rule: conditions, none of which is required, and the result if all of them hold. */
export interface RuleCaseType<out T = unknown> {
  readonly kind: 'case';
  readonly conditions: Readonly<Record<string, Scalar>>;
  /** Name of the result, beside those of the conditions. */
  readonly resultName: string;
  readonly result: Scalar;
  /** Further names by which a document may call conditions. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly of?: T;
}

export interface Field<out T = unknown> {
  /** How a document holds it: as an attribute, an element, an element around its items, or an element for each item. */
  readonly place: 'attribute' | 'element' | 'list' | 'repeated';
  /** For a list: the type of each item. */
  readonly type: ValueType;
  /** Name of each item of a list in the document. */
  readonly item?: string;
  /** A document may say that it is null. */
  readonly isNillable?: true;
  /** A document may write −1 for a number that is not given. Definitions leave it out. */
  readonly isNoneAtMinusOne?: true;
  /** Name in the document, if it is not that of the field. */
  readonly element?: string;
  /** Its value if it is not given; a value, or a function of the fields before it. Undefined: it has to be given. */
  readonly absent?: unknown;
  /** The same, for definitions only: a document has to give it. */
  readonly unsaid?: unknown;
  /** Bounds how many there are in a version or plan. */
  readonly limit?: VersionLimit;
  readonly of?: T;
}

export interface NamedField extends Field {
  readonly name: string;
  readonly element: string;
}

interface Options<A> extends Pick<Field, 'element' | 'limit' | 'isNoneAtMinusOne'> {
  readonly absent?: A | ((before: { readonly name: string }) => A);
  readonly unsaid?: A;
}

export function attribute<T, A = never>(type: Scalar<T>, options: Options<A> = {}): Field<T | A> {
  return { place: 'attribute', type, ...options };
}

/** An element that holds a text or a record. */
export function element<T, A = never>(type: ValueType<T>, options: Options<A> = {}): Field<T | A> {
  return { place: 'element', type, ...options };
}

/** An element that holds a text, or says that there is none. */
export function nillable<T>(type: Scalar<T>, options: Options<never>): Field<T | null> {
  return { place: 'element', type, isNillable: true, ...options };
}

/** An element that holds nothing but elements named `item`. */
export function list<T>(
  item: string,
  type: ValueType<T>,
  options: Options<readonly T[]> = {},
): Field<readonly T[]> {
  return { place: 'list', item, type, ...options };
}

/** Elements of one name beside others; there may be none. */
export function repeated<T>(type: ValueType<T>, options: Options<readonly T[]>): Field<readonly T[]> {
  return { place: 'repeated', type, absent: [], ...options };
}

/** A record with all its fields. */
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

/** The record of the given values, null or undefined if none is given. */
export function recordOf<T>({ fields }: RecordType<T>, given: (field: NamedField) => unknown): T {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { absent = null } = field;
    values[field.name] = given(field) ?? (typeof absent === 'function' ? absent(values) : absent);
  }
  return values as T;
}

/** The record of these values, completed as the table says. */
export function completed<T>(
  type: RecordType<T>,
  values: { readonly [Name in keyof T]?: T[Name] | null },
): T {
  const known: Readonly<Record<string, unknown>> = values;
  return recordOf(type, ({ name, unsaid }) => known[name] ?? unsaid);
}

/** The type of a value that is one text: an attribute, an element, or a member of a definition. */
export interface Scalar<T = unknown> {
  readonly kind: 'scalar';
  /** For messages, with its article: `a currency code`. */
  readonly description: string;
  /** `undefined`: the text is outside the type. Texts of elements come trimmed. */
  parse(text: string): T | undefined;
  /** The text of a value in a document. */
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

/** One value, which is written whatever the model has. Documents may have one of `aliases` instead. */
export function only<T extends string>(description: string, value: T, aliases: readonly T[] = []): Scalar<T> {
  const known = Object.fromEntries([value, ...aliases].map((each) => [each, each]));
  return { ...oneOf(description, known), write: () => value };
}

/** Any text, kept as it is. */
export const anyText = scalar('a text', (text) => text);

export const nonBlankText = scalar('a text', (text) => (text.trim() === '' ? undefined : text));

/** A name or a reference to one. Validation checks whether it is an NCName and exists (V1, V2). */
export const name = scalar(`a name of at most ${MAX_XML_NAME_CHARACTERS} characters`, (text) =>
  text.length > MAX_XML_NAME_CHARACTERS ? undefined : trimXml(text),
);

export const currency = scalar('a currency code (ISO 4217 or BTC)', (text): Currency | undefined =>
  isCurrency(text) ? text : undefined,
);

/** Written in UTC, the milliseconds only where they are not zero. */
export const dateTime = scalar<Instant>(
  'a date-time such as 2024-06-01T10:00:00Z, or a date',
  parseWireInstant,
  (at) => formatInstant(at).replace('.000Z', 'Z'),
);

const INTEGER = /^[+-]?[0-9]{1,10}$/;
const INT_MAX = 2 ** 31 - 1;

export const int = scalar('a whole number of 32 bits', (text) => {
  const value = INTEGER.test(text) ? Number(text) : Number.NaN;
  return value >= -INT_MAX - 1 && value <= INT_MAX ? value : undefined;
});

const DECIMAL = new RegExp(
  `^[+-]?0*([0-9]{0,${MAX_INTEGER_DIGITS}})(?:\\.([0-9]{0,${MAX_FRACTION_DIGITS}}))?$`,
);

/** No exponent; the digits of §2. */
export const decimal = scalar<WrittenDecimal>(
  `a decimal number of at most ${MAX_INTEGER_DIGITS} integer and ${MAX_FRACTION_DIGITS} fractional digits`,
  (text) => (DECIMAL.test(text) && /[0-9]/.test(text) ? writtenDecimal(text) : undefined),
  ({ text }) => text,
);

/** How documents in the field write a number that is not set (R58). */
const NONE = /^-0*1(?:\.0*)?$/;

/** A number, or −1 for none, which becomes null. */
export function orNone<T>(number: Scalar<T>): Scalar<T | null> {
  return { ...number, parse: (text) => (NONE.test(text) ? null : number.parse(text)) } as Scalar<T | null>;
}

/** Nothing but −1 for none. */
export const noNumber = scalar('-1, which means none', (text) => (NONE.test(text) ? '-1' : undefined));
