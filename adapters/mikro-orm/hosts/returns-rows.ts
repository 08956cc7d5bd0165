/** Statements of ours are few, and each comes again with the same text. */
const MOST_REMEMBERED = 1_000;
const remembered = new Map<string, boolean>();

/**
 * Whether a statement gives rows, for libraries that have one function for those that do and another for those that tell
 * how many rows they have changed.
 */
export function returnsRows(text: string): boolean {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const returns = readsRows(text);
  if (remembered.size < MOST_REMEMBERED) remembered.set(text, returns);
  return returns;
}

function readsRows(text: string): boolean {
  const statement = withoutParentheses(text.replaceAll(/'[^']*'/g, ''));
  const [verb = ''] = /\b(?:select|values|pragma|insert|update|delete)\b/i.exec(statement) ?? [];
  return /^(?:select|values|pragma)$/i.test(verb) || /\breturning\b/i.test(statement);
}

/** What is asked at the outermost level: a part of it that returns rows says nothing of the whole. */
function withoutParentheses(text: string): string {
  const inner = /\([^()]*\)/g;
  let left = text;
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replaceAll(inner, '');
  }
  return left;
}
