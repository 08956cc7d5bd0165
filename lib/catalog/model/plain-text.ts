import { Decimal, ZERO } from '../../values/money/index.ts';
import type { WrittenDecimal } from './catalog-model.ts';

/**
 * One text per value for records of the model: JSON without white space, fields in ascending order of name, a decimal
 * as `{"d":"75.00"}` with the digits of its document. Equal values have equal texts, however they came to be.
 */
export function textOfValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textOfValue).join(',')}]`;
  if (isWrittenDecimal(value)) return `{"d":${JSON.stringify(value.text)}}`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${textOfValue(field)}`).join(',')}}`;
}

/** The value of a text that `textOfValue` wrote. */
export function valueOfText(text: string): unknown {
  return withDecimals(JSON.parse(text));
}

/** Restores decimals, in place: a reviver of `JSON.parse` takes several times as long. */
function withDecimals(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isEncodedDecimal(value)) return writtenDecimal(value.d);
  for (const [name, field] of Object.entries(value)) {
    if (typeof field !== 'object' || field === null) continue;
    Reflect.set(value, name, withDecimals(field));
  }
  return value;
}

/** A decimal with the digits that stood for it; a zero has no sign. */
export function writtenDecimal(text: string): WrittenDecimal {
  const value = new Decimal(text);
  return { value: value.isZero() ? ZERO : value, text };
}

function isWrittenDecimal(value: object): value is WrittenDecimal {
  return 'value' in value && Decimal.isDecimal(value.value);
}

function isEncodedDecimal(value: unknown): value is { readonly d: string } {
  return typeof value === 'object' && value !== null && 'd' in value && typeof value.d === 'string';
}
