import { Decimal, formatDecimal, stringifyExactJson } from '../../../lib/values/money/index.ts';
import { isLong, JsonText, LONG_LIST } from './json-pieces.ts';

/** Matches every string that `JSON.stringify` escapes. */
const escaped = /["\\\p{Cc}\p{Cs}]/u;

/** Returns the text as JSON. For short texts, this is three times as fast as `JSON.stringify`. */
function quoteJson(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Returns exact JSON. Returns null if the value contains a long or lazy list. */
export function shortText(value: unknown): string | null {
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  if (value instanceof JsonText) return value.text;
  if (value instanceof Decimal) return formatDecimal(value);
  return isLong(value) ? null : stringifyExactJson(value);
}

/** Returns the JSON text of each element. Returns null if the list or an element is long. */
export function listText<T>(elements: readonly T[], textOf: (element: T) => string | null): string | null {
  if (elements.length > LONG_LIST) return null;
  let text = '[';
  for (const element of elements) {
    const written = element === undefined || element === null ? 'null' : textOf(element);
    if (written === null) return null;
    text += text === '[' ? written : `,${written}`;
  }
  return `${text}]`;
}
