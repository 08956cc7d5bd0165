/** How many characters may be added, left out or replaced between two spellings of one name. */
const MOST_EDITS = 3;

/** The name that `text` most likely misspells, letter case aside; null where none is within `mostEdits`. */
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

/** The Levenshtein distance, row by row. */
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
