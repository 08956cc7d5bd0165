import { BillingError, ErrorCode } from '../errors/index.ts';
import { isUuid } from '../ids/index.ts';
import { shortened } from '../text/index.ts';
import { type Instant, parseWireInstant } from '../time/index.ts';

/** Operators of a search clause (accounts.md §6.2). */
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
export type SearchColumnType = 'text' | 'uuid' | 'instant';

/** The columns that a search knows, by the names that callers write. */
export type SearchColumns<C extends string> = Readonly<Record<C, SearchColumnType>>;

export interface SearchClause<C extends string = string> {
  readonly column: C;
  readonly operator: SearchOperator;
  /** An instant for a column of instants; of a `like` clause the pattern: `%` any run, `_` one character. */
  readonly value: string | Instant;
}

const MARK = '_q=1&';

/** Whether a search key, percent-decoded once, is in operator form. */
export function isOperatorSearch(key: string): boolean {
  return key.startsWith(MARK);
}

/**
 * Reads the clauses of a key in operator form (accounts.md §6.2): all of them have to hold.
 * @throws BillingError INVALID_PARAMETER (60002) for an unknown column or operator, a clause without `=`, no clause at
 * all, or a value that is not of the column's type: a misspelt filter must not widen a result.
 */
export function parseOperatorSearch<C extends string>(
  key: string,
  columns: SearchColumns<C>,
): readonly SearchClause<C>[] {
  return key
    .slice(MARK.length)
    .split('&')
    .map((clause) => clauseOf(clause, columns));
}

const shape = /^([^=[\]]+)(?:\[([^=[\]]*)\])?=(.*)$/s;

function clauseOf<C extends string>(clause: string, columns: SearchColumns<C>): SearchClause<C> {
  const [, name, operatorName, raw] = shape.exec(clause) ?? [];
  if (name === undefined || raw === undefined) {
    throw refused(`"${shortened(clause)}" is no clause of the form column=value or column[operator]=value`);
  }
  const column = Object.keys(columns).find((known): known is C => known === name);
  if (column === undefined) {
    throw refused(`"${shortened(name)}" is none of the columns ${Object.keys(columns).join(', ')}`);
  }
  const operator = operatorOf(operatorName);
  // rule 5: a value that holds an ampersand comes with it encoded once more.
  const value = raw.replaceAll('%26', '&');
  return { column, operator, value: comparedValue(value, columns[column], operator) };
}

function operatorOf(name: string | undefined): SearchOperator {
  const known = Object.values(SearchOperator);
  const operator = name === undefined ? SearchOperator.eq : known.find((each) => each === name.toLowerCase());
  if (operator !== undefined) return operator;
  throw refused(`"${shortened(name ?? '')}" is none of the operators ${known.join(', ')}`);
}

function comparedValue(text: string, type: SearchColumnType, operator: SearchOperator): string | Instant {
  switch (type) {
    case 'text':
      return text;
    case 'uuid': {
      const lower = text.toLowerCase();
      if (operator === SearchOperator.like || isUuid(lower)) return lower;
      throw refused(`"${shortened(text)}" is not a UUID`);
    }
    case 'instant': {
      const at = operator === SearchOperator.like ? undefined : parseWireInstant(text);
      if (at !== undefined) return at;
      throw refused(`"${shortened(text)}" is neither a date nor a date-time, or cannot be compared so`);
    }
  }
}

function refused(reason: string): BillingError {
  return new BillingError({
    code: ErrorCode.INVALID_PARAMETER,
    message: `The search key cannot be read: ${reason}`,
  });
}
