import type { Cell } from './columns.ts';
import type { Rows } from './sql.ts';

/** A column of rows: the values of all rows, or null if all rows have `cell`. */
export interface GatheredColumn<T> {
  readonly cell: Cell;
  readonly values: readonly T[] | null;
}

/** A column that is being gathered. */
interface Gathering<T> {
  readonly write: (cell: Cell) => T;
  cell: Cell;
  values: T[] | null;
}

/** Number of rows from which a column with the same value in all rows is bound once. */
export const MANY_FROM = 1_000;

/**
 * Gathers rows by column, with a function for each column that writes its cells. In a large run, most columns are the same in
 * all rows, and passing them costs as much as passing all others. At least one column has values, which show the number of rows.
 */
export function gather<T>(rows: Rows, writers: readonly ((cell: Cell) => T)[]): readonly GatheredColumn<T>[] {
  const columns = writers.map(
    (write): Gathering<T> => ({ write, cell: null, values: rows.length < MANY_FROM ? [] : null }),
  );
  let count = 0;
  for (const row of rows) {
    for (const [index, column] of columns.entries()) take(column, row[index] ?? null, count);
    count += 1;
  }
  const [first] = columns;
  if (first !== undefined && columns.every(({ values }) => values === null))
    first.values = repeated(first, count);
  return columns;
}

function take<T>(column: Gathering<T>, cell: Cell, before: number) {
  if (before === 0) column.cell = cell;
  if (column.values === null && cell !== column.cell) column.values = repeated(column, before);
  column.values?.push(column.write(cell));
}

function repeated<T>({ write, cell }: Gathering<T>, length: number) {
  return Array.from({ length }, () => write(cell));
}
