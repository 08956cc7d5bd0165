import { enumeration, type SearchedType } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
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
  /**
   * A value of the given `type`. Dates have the form YYYY-MM-DD. In a `like` pattern, `%` matches any text and `_`
   * matches one character.
   */
  readonly value: SearchValue;
}

/** A search by clauses. A record must satisfy all clauses. */
export interface ClauseSearch {
  readonly kind: 'clauses';
  readonly clauses: readonly SearchClause[];
}

/** A search by id or text. The meaning of the text depends on the type of the records. */
export interface TextSearch {
  readonly kind: 'text';
  readonly id: Uuid | null;
  readonly text: string;
}
