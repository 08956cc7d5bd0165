import { MAX_NUMBER_CHARACTERS } from '../limits.ts';
import { Decimal, formatDecimal } from './decimal.ts';
import { type JsonBounds, type JsonOf, NO_JSON_BOUNDS, readJson } from './json-reader.ts';

/** JSON whose numbers are decimals. */
export type ExactJson = JsonOf<Decimal>;

/** JSON from outside: its numbers become decimals when somebody reads them. */
export type SubmittedJson = JsonOf<JsonNumber>;

/** `JSON.rawJSON` (ECMAScript 2026, Node 21 and later); not in the declarations of TypeScript 7.0. */
interface ExactJsonGlobal extends JSON {
  rawJSON(text: string): object;
}

/**
 * A number as its JSON literal spells it. A body of 1 MiB holds 500,000 numbers, and most of them belong to no field: their
 * decimals would take a second.
 */
export class JsonNumber {
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }

  get decimal(): Decimal {
    return new Decimal(this.literal);
  }
}

/** Returns the decimal of a number that was read from JSON or given as one; undefined for any other value. */
export function decimalOf(value: unknown): Decimal | undefined {
  if (value instanceof JsonNumber) return value.decimal;
  return typeof value === 'object' && Decimal.isDecimal(value) ? value : undefined;
}

/**
 * Reads JSON with every number as the exact decimal that its literal spells, never through a binary double. The number of
 * digits is not limited here: `parseWireDecimal` does that for each field.
 * @throws SyntaxError if `text` is not JSON.
 */
export function parseExactJson(text: string): ExactJson {
  return readJson(text, (literal) => new Decimal(literal), NO_JSON_BOUNDS);
}

/**
 * Reads JSON that a caller sent; `decimalOf` returns the exact decimals of its numbers.
 * @throws SyntaxError if `text` is not JSON; JsonBoundError if it exceeds a bound.
 */
export function parseSubmittedJson(text: string, bounds: JsonBounds): SubmittedJson {
  return readJson(text, (literal) => new JsonNumber(literal), bounds);
}

/**
 * Writes JSON with every decimal as an exact number literal without exponent and trailing zeros (http-api §9 rule
 * 5). Other values go as in `JSON.stringify`; `undefined` fields are left out.
 */
export function stringifyExactJson(value: unknown): string {
  // Takes half the time of a replacer, which would be called for every field of an answer.
  return JSON.stringify(withExactNumbers(value));
}

/** The value with number literals in place of its decimals, as a copy. */
function withExactNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Decimal) return literalOf(formatDecimal(value));
  if (value instanceof JsonNumber) return literalOf(plainLiteral(value));
  if (Array.isArray(value)) return value.map(withExactNumbers);
  if ('toJSON' in value && typeof value.toJSON === 'function') return withExactNumbers(value.toJSON());
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null) copy[key] = withExactNumbers(member);
  }
  return copy;
}

function literalOf(text: string): object {
  return (JSON as ExactJsonGlobal).rawJSON(text);
}

/** The literal `1e999999999` is short; without its exponent it would fill the memory. */
function plainLiteral({ literal, decimal }: JsonNumber): string {
  return decimal.isFinite() && Math.abs(decimal.e) <= MAX_NUMBER_CHARACTERS
    ? formatDecimal(decimal)
    : literal;
}
