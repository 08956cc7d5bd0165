import { invalidField } from '../../values/errors/index.ts';

/** Characters and entries of an uploaded translation: two names for each of 10,000 plans fit. */
export const MAX_PROPERTIES_CHARACTERS = 1_048_576;
const MAX_PROPERTIES_ENTRIES = 25_000;

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };
const blank = /[ \t\f]/;

/**
 * Reads Java properties (`key = value`, `key: value` or `key value` in each line; comments begin with `#` or `!`; a line
 * that ends in `\` goes on in the next one; `\t`, `\n`, `\r`, `\f`, `\uXXXX`). Of a key that comes twice the last counts.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a `\u` without four hexadecimal digits, a NUL character or
 * half of a surrogate pair, and past the bounds (platform §16).
 */
export function parseProperties(source: string): ReadonlyMap<string, string> {
  if (source.length > MAX_PROPERTIES_CHARACTERS)
    throw invalidField(
      `The text has ${source.length} characters; at most ${MAX_PROPERTIES_CHARACTERS} are read`,
    );
  const entries = new Map<string, string>();
  let read = 0;
  for (const { line, text } of logicalLines(source.replace(/^\uFEFF/, ''))) {
    read += 1;
    if (read > MAX_PROPERTIES_ENTRIES)
      throw invalidField(`The text has more than ${MAX_PROPERTIES_ENTRIES} entries`);
    const end = endOfKey(text);
    const key = unescaped(text.slice(0, end), line);
    const value = unescaped(text.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, ''), line);
    entries.set(key, value);
  }
  return entries;
}

interface LogicalLine {
  /** Number of the first of its lines, from 1. */
  readonly line: number;
  /** Without blanks in front, and without the ends of the lines that go on. */
  readonly text: string;
}

function* logicalLines(source: string): Generator<LogicalLine> {
  let begun: { line: number; pieces: string[] } | null = null;
  for (const [index, each] of source.split(/\r\n|\r|\n/).entries()) {
    const text = each.replace(/^[ \t\f]+/, '');
    if (begun === null && (text === '' || text.startsWith('#') || text.startsWith('!'))) continue;
    begun ??= { line: index + 1, pieces: [] };
    const goesOn = isContinued(text);
    begun.pieces.push(goesOn ? text.slice(0, -1) : text);
    if (goesOn) continue;
    yield { line: begun.line, text: begun.pieces.join('') };
    begun = null;
  }
  if (begun !== null) yield { line: begun.line, text: begun.pieces.join('') };
}

/** An odd number of backslashes at the end: the last one is no escaped backslash. */
function isContinued(text: string): boolean {
  let backslashes = 0;
  while (text.charAt(text.length - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** The key ends at the first blank, `=` or `:` that is not escaped. */
function endOfKey(text: string): number {
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '=' || character === ':' || blank.test(character)) return index;
  }
  return text.length;
}

function unescaped(text: string, line: number): string {
  const plain = text.replaceAll(/\\(?:u(.{0,4})|(.?))/gsu, (_, digits: string | undefined, other: string) => {
    if (digits === undefined) return escapes[other] ?? other;
    if (/^[0-9A-Fa-f]{4}$/.test(digits)) return String.fromCharCode(Number.parseInt(digits, 16));
    throw invalidField(`Line ${line}: \\u needs four hexadecimal digits`, { line });
  });
  if (plain.isWellFormed() && !plain.includes('\u0000')) return plain;
  throw invalidField(`Line ${line} holds a NUL character or half of a surrogate pair`, { line });
}
