import type { SearchClause, SearchOperator } from '../../../lib/records/index.ts';
import { underscored } from '../../../lib/values/fields/index.ts';
import { isStorable } from '../../../lib/values/text/index.ts';
import { orderedText, raw, type Sql, sql } from './sql.ts';

/** Where a searched field is found, if not in the column of its name. */
interface Place {
  /** Where `eq` and comparisons look. */
  readonly column?: string;
  /** Where `like` looks, in lower case of JavaScript's rules; absent = the column itself. */
  readonly folded?: string;
}

/** How the operators are written in SQL. */
export const comparisons = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
} as const satisfies Readonly<Record<Exclude<SearchOperator, 'like'>, string>>;

/** `and` with each clause. */
export function clauseConditions(
  clauses: readonly SearchClause[],
  places: Readonly<Record<string, Place>> = {},
): Sql {
  return clauses.reduce(
    (condition, clause) => sql`${condition} and ${clauseCondition(clause, places[clause.property])}`,
    sql``,
  );
}

function clauseCondition(clause: SearchClause, { column, folded }: Place = {}): Sql {
  const { property, type, operator, value } = clause;
  const searched = { column: column ?? underscored(property), type };
  if (typeof value === 'string' && !isStorable(value)) return sql`1 = 0`;
  if (operator === 'like') {
    const pattern = String(value).replaceAll('\\', '\\\\');
    if (folded !== undefined) return sql`${raw(folded)} like ${pattern.toLowerCase()} escape '\\'`;
    return sql`${foldedFor(pattern, `cast(${searched.column} as text)`)} like ${pattern.toLowerCase()} escape '\\'`;
  }
  return sql`${comparedColumn(searched, operator)} ${raw(comparisons[operator])} ${value}`;
}

/** `uuid` has the order and the patterns of its text. */
function comparedColumn(
  { column, type }: { readonly column: string; readonly type: SearchClause['type'] },
  operator: Exclude<SearchOperator, 'like'>,
) {
  const isEquality = operator === 'eq' || operator === 'neq';
  if (isEquality || (type !== 'text' && type !== 'uuid')) return raw(column);
  return orderedText(type === 'uuid' ? `cast(${column} as text)` : column);
}

/** How many letters one pattern folds; SQLite nests no deeper than a thousand calls. */
const MAX_FOLDED_LETTERS = 200;

/**
 * The text in lower case, as far as the pattern needs it: `lower` knows only the letters of ASCII, so that each other
 * letter of the pattern is replaced by name.
 */
function foldedFor(pattern: string, text: string): Sql {
  const letters = new Set(pattern.toLowerCase().match(/[^\p{ASCII}]/gu) ?? []);
  const folded = [...letters]
    .map((lower) => [lower, lower.toUpperCase()] as const)
    .filter(([lower, upper]) => upper !== lower && upper.toLowerCase() === lower)
    .slice(0, MAX_FOLDED_LETTERS);
  return folded.reduce((inner, [lower, upper]) => sql`replace(${inner}, ${upper}, ${lower})`, lowered(text));
}

/** Only the letters of ASCII in lower case, on every database: with a Turkish collation a plain `lower` turns I into ı. */
export function lowered(column: string): Sql {
  return sql`lower(${orderedText(column)})`;
}

/** True if the column, which is in lower case, contains the text in any letter case. */
export function contains(column: string | Sql, text: string): Sql {
  return sql`${typeof column === 'string' ? raw(column) : column} like ${patternOf(text)} escape '\\'`;
}

/** True if the column contains the text in any letter case. */
export function containsInAnyCase(column: string, text: string): Sql {
  if (!isStorable(text)) return sql`1 = 0`;
  return contains(foldedFor(text, column), text);
}

/** The pattern for texts that contain this one, in lower case. */
export function patternOf(text: string): string {
  return holding(text.toLowerCase());
}

/** The pattern for texts that contain this one. */
export function holding(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
