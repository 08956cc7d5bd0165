import { Decimal, formatDecimal } from './decimal.ts';

/** JSON whose numbers are decimals. */
export type ExactJson =
  | null
  | boolean
  | string
  | Decimal
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

/** Third argument of a reviver (ECMAScript 2026, Node 21 and later); not in the declarations of TypeScript 7.0. */
interface ReviverContext {
  readonly source?: string;
}

/** `JSON.rawJSON` (ECMAScript 2026, Node 21 and later); not in the declarations of TypeScript 7.0. */
interface ExactJsonGlobal extends JSON {
  rawJSON(text: string): object;
}

/**
 * Reads JSON with every number as the exact decimal that its literal spells, never through a binary double. The number of
 * digits is not limited here: `parseWireDecimal` does that for each field.
 * @throws SyntaxError if `text` is not JSON.
 */
export function parseExactJson(text: string): ExactJson {
  return JSON.parse(text, exactNumber as (key: string, value: unknown) => unknown);
}

/**
 * Writes JSON with every decimal as an exact number literal without exponent and trailing zeros (http-api §9 rule
 * 5). Other values go as in `JSON.stringify`; `undefined` fields are left out.
 */
export function stringifyExactJson(value: unknown): string {
  // Takes half the time of a replacer, which would be called for every field of an answer.
  return JSON.stringify(withExactNumbers(value));
}

function exactNumber(_key: string, value: unknown, context: ReviverContext): unknown {
  if (typeof value !== 'number') return value;
  return new Decimal(context.source ?? String(value));
}

/** The value with number literals in place of its decimals, as a copy. */
function withExactNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Decimal) return (JSON as ExactJsonGlobal).rawJSON(formatDecimal(value));
  if (Array.isArray(value)) return value.map(withExactNumbers);
  if ('toJSON' in value && typeof value.toJSON === 'function') return withExactNumbers(value.toJSON());
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null) copy[key] = withExactNumbers(member);
  }
  return copy;
}
