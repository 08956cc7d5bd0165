import type { Instant } from '../values/time/index.ts';

/** Operators of a search clause (accounts §6.2). */
export const SearchOperator = {
  eq: 'eq',
  neq: 'neq',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  like: 'like',
} as const;
export type SearchOperator = (typeof SearchOperator)[keyof typeof SearchOperator];

/** What the values of a column are: they are compared as that. */
export type SearchColumnType = 'text' | 'uuid' | 'instant' | 'number' | 'boolean';

/** The columns that a search knows, by the names that callers write. */
export type SearchColumns<C extends string> = Readonly<Record<C, SearchColumnType>>;

export type SearchValue = string | Instant | number | boolean;

export interface SearchClause<C extends string = string> {
  readonly column: C;
  readonly operator: SearchOperator;
  /** Of the column's type; of a `like` clause the pattern: `%` any run, `_` one character. */
  readonly value: SearchValue;
}
