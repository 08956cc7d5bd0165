import type { SearchedType } from '../values/fields/index.ts';
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

export type SearchValue = string | Instant | number | boolean;

export interface SearchClause {
  /** Name of the record's field. */
  readonly property: string;
  readonly type: SearchedType;
  readonly operator: SearchOperator;
  /** Of that type, a date as YYYY-MM-DD; in a `like` clause the pattern: `%` any run, `_` one character. */
  readonly value: SearchValue;
}
