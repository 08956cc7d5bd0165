import { trimXml } from '../../../values/documents/index.ts';
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_XML_NAME_CHARACTERS } from '../../../values/limits.ts';
import { type Currency, isCurrency } from '../../../values/money/index.ts';
import { formatInstant, type Instant, parseWireInstant } from '../../../values/time/index.ts';
import type { WrittenDecimal } from '../../model/catalog-model.ts';
import { writtenDecimal } from '../../model/plain-text.ts';

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
