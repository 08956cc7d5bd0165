import { enumeration, type SearchedType } from '../values/fields/index.ts';
import type { Instant } from '../values/time/index.ts';

/** Operators of a search clause (accounts §6.2). */
export const SearchOperator = enumeration('eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like');
export type SearchOperator = keyof typeof SearchOperator;

export type SearchValue = string | Instant | number | boolean;

export interface SearchClause {
  /** Name of the record's field. */
  readonly property: string;
  readonly type: SearchedType;
  readonly operator: SearchOperator;
  /** Of that type; a date as YYYY-MM-DD, a `like` pattern with `%` for any text and `_` for one character. */
  readonly value: SearchValue;
}
