import { trimXml } from '../../../values/documents/index.ts';
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_XML_NAME_CHARACTERS } from '../../../values/limits.ts';
import { type Currency, isCurrency } from '../../../values/money/index.ts';
import { formatInstant, type Instant, parseWireInstant } from '../../../values/time/index.ts';
import { type WrittenDecimal, writtenDecimal } from '../../model/catalog-model.ts';
import type { VersionLimit } from '../../model/version-content.ts';

/** Namespace of the elements that the format of Kill Bill does not have. */
export const NAMESPACE = 'urn:billwright:catalog';
/** Prefix of Billwright's namespace in the field tables and in documents that the engine writes. */
export const PREFIX = 'bw:';

// This is the vocabulary of the field tables, which define the model's records once for all formats.
// Formats iterate over the fields to read or write a record.

/** The type of a value. A value is a string, a record, or a case of a rule. */
export type ValueType<T = unknown> = Scalar<T> | RecordType<T> | RuleCaseType<T>;

export interface RecordType<out T = unknown> {
  readonly kind: 'record';
  /** The fields in document order. */
  readonly fields: readonly NamedField[];
  readonly attributes: readonly NamedField[];
  readonly children: readonly NamedField[];
  /** Attributes that have only one valid value. */
  readonly constants: readonly (readonly [name: string, type: Scalar<string>])[];
  /** Elements that are accepted but never written, because the model has no field for them. */
  readonly ignored: readonly (readonly [name: string, type: Scalar])[];
  /** Name of the field whose value may replace the whole record in a definition. */
  readonly short: string | undefined;
  /** Type-only property with the type of the record. Never set. */
  readonly of?: T;
}

/** A rule case. It has optional conditions, and a result that applies if all conditions are met. */
export interface RuleCaseType<out T = unknown> {
  readonly kind: 'case';
  readonly conditions: Readonly<Record<string, Scalar>>;
  readonly resultName: string;
  readonly result: Scalar;
  /** Other names that documents may use for conditions. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly of?: T;
}

export interface Field<out T = unknown> {
  /**
   * The form of the field in documents: an attribute, an element, an element that wraps items, or repeated elements.
   */
  readonly place: 'attribute' | 'element' | 'list' | 'repeated';
  /** For a list: its item type. */
  readonly type: ValueType;
  /** Name of list items in documents. */
  readonly item?: string;
  /** A document may set `xsi:nil`. */
  readonly isNillable?: true;
  /** If true, documents may write −1 for a missing number. Definitions omit the number. */
  readonly isNoneAtMinusOne?: true;
  /** Name in documents, if it differs. */
  readonly element?: string;
  /** Default value, or a function that computes it from the previous fields. A field without a default is required. */
  readonly absent?: unknown;
  /** Default value that applies only in definitions. Documents must contain the field. */
  readonly ifAbsent?: unknown;
  /** Limits the number of these fields in a version or plan. */
  readonly limit?: VersionLimit;
  /** If true, the stored text of a record without items omits the field. */
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

/** Returns a list type. Documents write the list as a wrapper element whose children are named `item`. */
export function list<T>(
  item: string,
  type: ValueType<T>,
  options: Options<readonly T[]> = {},
): Field<readonly T[]> {
  return { place: 'list', item, type, ...options };
}

/**
 * Returns a list type. Documents write the items as zero or more elements next to other elements, without a wrapper.
 */
export function repeatedElements<T>(type: ValueType<T>, options: Options<readonly T[]>): Field<readonly T[]> {
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

export function completeRecord<T>(
  type: RecordType<T>,
  values: { readonly [Name in keyof T]?: T[Name] | null },
): T {
  const known: Readonly<Record<string, unknown>> = values;
  return recordOf(type, ({ name, ifAbsent }) => known[name] ?? ifAbsent);
}

/** A type whose values have a text form. A value is written as an attribute, an element or a member of a definition. */
export interface Scalar<T = unknown> {
  readonly kind: 'scalar';
  /** Description of the type for messages, with an article, such as `a currency code`. */
  readonly description: string;
  /** Parses text, or returns undefined for invalid text. The text of an element has already been trimmed. */
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

/** Returns a type that has only one valid value. Documents may also use the `aliases`. */
export function only<T extends string>(description: string, value: T, aliases: readonly T[] = []): Scalar<T> {
  const known = Object.fromEntries([value, ...aliases].map((each) => [each, each]));
  return { ...oneOf(description, known), write: () => value };
}

export const anyText = scalar('a text', (text) => text);

export const nonBlankText = scalar('a text', (text) => (text.trim() === '' ? undefined : text));

/** A name or a reference. Validation checks that it is an NCName, and that the referenced object exists (V1, V2). */
export const name = scalar(`a name of at most ${MAX_XML_NAME_CHARACTERS} characters`, (text) =>
  text.length > MAX_XML_NAME_CHARACTERS ? undefined : trimXml(text),
);

export const currency = scalar('a currency code (ISO 4217 or BTC)', (text): Currency | undefined =>
  isCurrency(text) ? text : undefined,
);

/** A date-time. It is written in UTC, with milliseconds only if they are not zero. */
export const dateTime = scalar<Instant>(
  'a date-time such as 2024-06-01T10:00:00Z, or a date',
  parseWireInstant,
  (at) => formatInstant(at).replace('.000Z', 'Z'),
);

/** A value of a feature. Its form depends on the kind of the feature. */
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

/** A decimal without an exponent. §2 limits the number of its digits. */
export const decimal = scalar<WrittenDecimal>(
  `a decimal number of at most ${MAX_INTEGER_DIGITS} integer and ${MAX_FRACTION_DIGITS} fractional digits`,
  (text) => (DECIMAL.test(text) && /[0-9]/.test(text) ? writtenDecimal(text) : undefined),
  ({ text }) => text,
);

/** Matches the value that other exporters write for a number that is not set (R58). */
const NONE = /^-0*1(?:\.0*)?$/;

/** Returns a type for a number or null. Documents write null as −1. */
export function orNone<T>(number: Scalar<T>): Scalar<T | null> {
  return { ...number, parse: (text) => (NONE.test(text) ? null : number.parse(text)) } as Scalar<T | null>;
}

/** Accepts only −1, which means no number. */
export const noneNumber = scalar('-1, which means none', (text) => (NONE.test(text) ? '-1' : undefined));
