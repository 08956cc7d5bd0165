import type { SearchClause, SearchOperator } from '../../../lib/records/index.ts';
import { toSnakeCase } from '../../../lib/values/fields/index.ts';
import { isStorable } from '../../../lib/values/text/index.ts';
import { orderedText, raw, type Sql, sql } from './sql.ts';

/** The columns of a searched field. By default, there is one column with the name of the field. */
interface Place {
  readonly column?: string;
  /**
   * Column in which `like` searches. Its text was converted to lowercase in JavaScript. Defaults to the column itself.
   */
  readonly folded?: string;
}

export const comparisons = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
} as const satisfies Readonly<Record<Exclude<SearchOperator, 'like'>, string>>;

export function clauseConditions(
  clauses: readonly SearchClause[],
  places: Readonly<Record<string, Place>> = {},
): Sql {
  return clauses.reduce(
    (condition, clause) => sql`${condition} and ${clauseCondition(clause, places[clause.property])}`,
    sql``,
  );
}

function clauseCondition(clause: SearchClause, { column, folded }: Place = {}) {
  const { property, type, operator, value } = clause;
  const searched = { column: column ?? toSnakeCase(property), type };
  if (typeof value === 'string' && !isStorable(value)) return sql`1 = 0`;
  if (operator === 'like') {
    const pattern = String(value).replaceAll('\\', '\\\\');
    if (folded !== undefined) return sql`${raw(folded)} like ${pattern.toLowerCase()} escape '\\'`;
    return sql`${lowercaseForPattern(pattern, `cast(${searched.column} as text)`)} like ${pattern.toLowerCase()} escape '\\'`;
  }
  return sql`${comparedColumn(searched, operator)} ${raw(comparisons[operator])} ${value}`;
}

/** A `uuid` is compared as text. */
function comparedColumn(
  { column, type }: { readonly column: string; readonly type: SearchClause['type'] },
  operator: Exclude<SearchOperator, 'like'>,
) {
  const isEquality = operator === 'eq' || operator === 'neq';
  if (isEquality || (type !== 'text' && type !== 'uuid')) return raw(column);
  return orderedText(type === 'uuid' ? `cast(${column} as text)` : column);
}

/**
 * Maximum number of non-ASCII letters per pattern that are converted one by one. SQLite can nest at most a thousand
 * calls.
 */
const MAX_FOLDED_LETTERS = 200;

/**
 * Converts text to lowercase. `lower` converts only ASCII, so the other letters of the pattern are replaced one by one.
 */
function lowercaseForPattern(pattern: string, text: string) {
  const letters = new Set(pattern.toLowerCase().match(/[^\p{ASCII}]/gu) ?? []);
  const folded = [...letters]
    .map((lower) => [lower, lower.toUpperCase()] as const)
    .filter(([lower, upper]) => upper !== lower && upper.toLowerCase() === lower)
    .slice(0, MAX_FOLDED_LETTERS);
  return folded.reduce(
    (inner, [lower, upper]) => sql`replace(${inner}, ${upper}, ${lower})`,
    lowercaseAscii(text),
  );
}

/**
 * Converts only ASCII letters to lowercase, on every database. With a Turkish collation, plain `lower` would turn I
 * into ı.
 */
export function lowercaseAscii(column: string): Sql {
  return sql`lower(${orderedText(column)})`;
}

/** Returns the condition that a lowercase column contains the text, ignoring case. */
export function contains(column: string | Sql, text: string): Sql {
  return sql`${typeof column === 'string' ? raw(column) : column} like ${patternOf(text)} escape '\\'`;
}

/** Returns the condition that a column contains the text, ignoring case. */
export function containsInAnyCase(column: string, text: string): Sql {
  if (!isStorable(text)) return sql`1 = 0`;
  return contains(lowercaseForPattern(text, column), text);
}

/** Returns the `like` pattern for lowercase strings that contain this text. */
export function patternOf(text: string): string {
  return substringPattern(text.toLowerCase());
}

export function substringPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
