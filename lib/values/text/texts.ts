import { invalidField } from '../errors/index.ts';

/** Maximum edit distance between a misspelled name and the intended name. */
const MOST_EDITS = 3;

/**
 * Returns the name that is closest to `text`, or null if no name is within `mostEdits` edits. The comparison ignores
 * case.
 */
export function closestTo(text: string, names: readonly string[], mostEdits = MOST_EDITS): string | null {
  let closest: string | null = null;
  let fewest = mostEdits + 1;
  for (const name of names) {
    if (Math.abs(name.length - text.length) >= fewest) continue;
    const edits = editsBetween(text.toLowerCase(), name.toLowerCase());
    if (edits < fewest) [closest, fewest] = [name, edits];
  }
  return closest;
}

/** Returns the Levenshtein distance. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const row = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1);
      row.push(Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[other.length] ?? 0;
}

/** Returns a number with its noun, such as `1 day` or `2 days`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Checks a required text of at most `maxLength` characters that the database can store, and returns it. Error messages
 * use `name` as the name of the text.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkText(name: string, text: string | null | undefined, maxLength: number): string {
  if (text === null || text === undefined || text === '')
    throw invalidField(`${name} needs to be set`, { field: name });
  checkStorable(name, text);
  if (text.length <= maxLength) return text;
  throw invalidField(`${name} is ${text.length} characters long; at most ${maxLength} are allowed`, {
    field: name,
  });
}

/** Maximum number of characters of an invalid value that a message shows. */
const SHOWN_CHARACTERS = 100;

/**
 * Returns the beginning of a caller's text for use in a message. Longer text ends with an ellipsis. Unpaired
 * surrogates are replaced.
 */
export function shortenText(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text.toWellFormed();
  return `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}

/** Describes an invalid value in a message: text in quotes, `a list`, `a function`, `an object`, `null` or `5`. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `"${shortenText(value)}"`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : shortenText(String(value));
}

/** The reason why a text cannot be stored. It completes a sentence. */
export const NOT_STORABLE = 'contains a NUL character or half of a surrogate pair';

/**
 * Returns true if databases can store the text. PostgreSQL cannot store U+0000, and UTF-8 cannot encode half of a
 * surrogate pair.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Returns the text with U+FFFD in place of characters that cannot be stored. */
export function madeStorable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** Checks that a text can be stored. @throws BillingError MISSING_OR_INVALID_FIELD (60003) with `name`. */
export function checkStorable(name: string, text: string | null | undefined): void {
  if (text === null || text === undefined || isStorable(text)) return;
  throw invalidField(`${name} ${NOT_STORABLE}`, { field: name });
}
