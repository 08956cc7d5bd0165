/** Returns the rows of a table, by title, one for each value. */
export function rowsOf<const Each, Row>(
  all: readonly Each[],
  rowOf: (each: Each) => readonly [title: string, Row],
): Readonly<Record<string, Row>> {
  return Object.fromEntries(all.map(rowOf));
}
