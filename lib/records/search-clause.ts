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

/** The type of a column's values, as which they are compared. */
export type SearchColumnType = 'text' | 'uuid' | 'instant' | 'date' | 'number' | 'boolean';

/** The columns that a search knows, by the names that callers write. */
export type SearchColumns<C extends string> = Readonly<Record<C, SearchColumnType>>;

export type SearchValue = string | Instant | number | boolean;

export interface SearchClause<C extends string = string> {
  readonly column: C;
  readonly operator: SearchOperator;
  /** Of the column's type, a date as YYYY-MM-DD; in a `like` clause the pattern: `%` any run, `_` one character. */
  readonly value: SearchValue;
}

/** The columns of an operator search, and what they hold (accounts §6.2 rule 1). */
export const accountColumnTypes = {
  id: 'uuid',
  external_key: 'text',
  email: 'text',
  name: 'text',
  first_name_length: 'number',
  currency: 'text',
  billing_cycle_day_local: 'number',
  parent_account_id: 'uuid',
  is_payment_delegated_to_parent: 'boolean',
  payment_method_id: 'uuid',
  reference_time: 'instant',
  time_zone: 'text',
  locale: 'text',
  address1: 'text',
  address2: 'text',
  company_name: 'text',
  city: 'text',
  state_or_province: 'text',
  country: 'text',
  postal_code: 'text',
  phone: 'text',
  notes: 'text',
  migrated: 'boolean',
  created_by: 'text',
  created_date: 'instant',
  updated_by: 'text',
  updated_date: 'instant',
} as const satisfies Readonly<Record<string, SearchColumnType>>;

export type AccountColumn = keyof typeof accountColumnTypes;
