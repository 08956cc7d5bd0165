import { type SearchClause, SearchOperator, type SearchValue } from '../records/index.ts';
import { type BillingError, invalidParameter } from '../values/errors/index.ts';
import type { SearchedFields, SearchedType } from '../values/fields/index.ts';
import { isUuid } from '../values/ids/index.ts';
import { shortenText } from '../values/text/index.ts';
import { formatLocalDate, parseWireDate, parseWireInstant } from '../values/time/index.ts';

const MARK = '_q=1&';

/** Returns true if a search key is in operator form after it has been percent-decoded once. */
export function isOperatorSearch(key: string): boolean {
  return key.startsWith(MARK);
}

/**
 * Returns the clauses of a key in operator form (accounts §6.2), which are combined with AND.
 * @throws BillingError INVALID_PARAMETER (60002) for an unknown column or operator, a clause without `=`, no clause, or
 * a value of the wrong type. These errors prevent a misspelled filter from widening the result.
 */
export function parseOperatorSearch(key: string, fields: SearchedFields): readonly SearchClause[] {
  return key
    .slice(MARK.length)
    .split('&')
    .map((clause) => clauseOf(clause, fields));
}

const shape = /^([^=[\]]+)(?:\[([^=[\]]*)\])?=(.*)$/s;

function clauseOf(clause: string, fields: SearchedFields): SearchClause {
  const [, name, operatorName, raw] = shape.exec(clause) ?? [];
  if (name === undefined || raw === undefined) {
    throw invalidSearchKeyError(
      `"${shortenText(clause)}" is not a clause of the form column=value or column[operator]=value`,
    );
  }
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) {
    throw invalidSearchKeyError(
      `"${shortenText(name)}" is not one of the columns ${Object.keys(fields).join(', ')}`,
    );
  }
  const operator = operatorOf(operatorName);
  return { ...field, operator, value: comparedValue(decodeSearchValue(raw, operator), field.type, operator) };
}

/**
 * Decodes a value a second time, because a value with an ampersand is encoded twice (accounts §6.2 rule 5), and any
 * other value may be encoded twice (http-api §15 rule 7). In a `like` pattern, only `%25` shows that the value is
 * encoded: `%20` matches values that end in 20, and `%25%20` values that end in a space.
 */
function decodeSearchValue(raw: string, operator: SearchOperator): string {
  const ampersands = raw.replaceAll('%26', '&');
  if (operator === SearchOperator.like && !ampersands.includes('%25')) return ampersands;
  return decodedOnceMore(ampersands);
}

/** Returns the text after decoding, or the text itself if it is not percent-encoded. */
export function decodedOnceMore(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function operatorOf(name: string | undefined): SearchOperator {
  const known = Object.values(SearchOperator);
  const operator = name === undefined ? SearchOperator.eq : known.find((each) => each === name.toLowerCase());
  if (operator !== undefined) return operator;
  throw invalidSearchKeyError(`"${shortenText(name ?? '')}" is not one of the operators ${known.join(', ')}`);
}

function comparedValue(text: string, type: SearchedType, operator: SearchOperator): SearchValue {
  const { read, operators, called } = kinds[type];
  const value = operators.includes(operator) ? read(text, operator) : undefined;
  if (value !== undefined) return value;
  throw invalidSearchKeyError(
    `"${shortenText(text)}" is not ${called}, or cannot be compared by ${operator}`,
  );
}

const all = Object.values(SearchOperator);

const ordered = all.filter((operator) => operator !== SearchOperator.like);

/** Parser and operators of each type. */
const kinds: Readonly<
  Record<
    SearchedType,
    {
      readonly operators: readonly SearchOperator[];
      readonly called: string;
      read(text: string, operator: SearchOperator): SearchValue | undefined;
    }
  >
> = {
  text: { operators: all, called: 'a text', read: (text) => text },
  uuid: {
    operators: all,
    called: 'a UUID',
    read(text, operator) {
      const lower = text.toLowerCase();
      return operator === SearchOperator.like || isUuid(lower) ? lower : undefined;
    },
  },
  instant: { operators: ordered, called: 'a date or a date-time', read: (text) => parseWireInstant(text) },
  date: {
    operators: ordered,
    called: 'a date',
    read(text) {
      const date = parseWireDate(text);
      return date === undefined ? undefined : formatLocalDate(date);
    },
  },
  number: {
    operators: ordered,
    called: 'an integer',
    read: (text) => (/^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined),
  },
  boolean: {
    operators: [SearchOperator.eq, SearchOperator.neq],
    called: 'true or false',
    read: (text) => ({ true: true, false: false })[text.toLowerCase()],
  },
};

function invalidSearchKeyError(reason: string): BillingError {
  return invalidParameter(`Invalid search key: ${reason}`);
}
