import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Cell, Column } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Rows } from '../sql/sql.ts';
import { sqliteDialect } from './dialect.ts';

interface DefiningTables {
  table(
    name: string,
    definition: {
      readonly columns: string[];
      readonly parameters: string[];
      rows(handle: unknown): Generator<readonly Cell[], void>;
    },
  ): unknown;
}

/** Fewer rows are sent as JSON, as on any connection, which is readable in a trace. */
const LENT_FROM = 20;

/**
 * From this number of rows, a column with the same value in all rows is bound once. Passing a cell takes as long as
 * storing it: 30,000 items with 23 of 26 common columns take 130 ms instead of 350 ms. For fewer rows, the statement
 * texts would vary too much.
 */
const MANY_FROM = 1_000;

/** Columns of the widest lent relation. */
const MOST_COLUMNS = 40;

const lent = new Map<number, Rows>();
let lastHandle = 0;

/**
 * Lets statements of this connection read rows from the memory of this process, with a table function
 * `bw_lent_<columns>(handle)`. 30,000 rows of 24 columns take 290 ms instead of 690 ms as JSON.
 */
export function lendRows(database: DefiningTables): void {
  for (let count = 1; count <= MOST_COLUMNS; count += 1) {
    database.table(`bw_lent_${count}`, {
      columns: Array.from({ length: count }, (_, index) => `c${index}`),
      parameters: ['handle'],
      *rows(handle) {
        const rows = lent.get(Number(handle));
        assertInvariant(rows !== undefined, `No rows are lent under ${handle}`);
        yield* rows;
      },
    });
  }
}

/** For connections prepared by `lendRows`. */
export const lendingDialect: Dialect = {
  ...sqliteDialect,
  writer: {
    ...sqliteDialect.writer,
    rowSource: (part, bind, afterwards) => {
      const { alias, columns, rows, isReadFirst } = part;
      // SQLite expects 500 million rows of a table function and would look them up one by one from stored rows.
      if (!isReadFirst || rows.length < LENT_FROM || columns.length > MOST_COLUMNS) {
        return sqliteDialect.writer.rowSource(part, bind, afterwards);
      }
      const gathered = rows.length < MANY_FROM ? null : gather(rows, columns.length);
      const varying = gathered?.filter(({ cells }) => cells !== null) ?? columns;
      let read = 0;
      const cells = columns.map(({ name }: Column, index) => {
        const column = gathered?.[index];
        return column?.cells === null ? `${bind(column.cell)} as ${name}` : `c${read++} as ${name}`;
      });
      lastHandle += 1;
      const handle = lastHandle;
      lent.set(handle, gathered === null ? rows : rowsOf(gathered, rows.length));
      afterwards(() => lent.delete(handle));
      return `(select ${cells.join(', ')} from bw_lent_${varying.length}(${bind(handle)}) limit -1) as ${alias}`;
    },
  },
};

interface GatheredColumn {
  cell: Cell;
  cells: Cell[] | null;
}

function gather(rows: Rows, width: number): readonly GatheredColumn[] {
  const columns = Array.from({ length: width }, (): GatheredColumn => ({ cell: null, cells: null }));
  let count = 0;
  for (const row of rows) {
    for (const [index, column] of columns.entries()) take(column, row[index] ?? null, count);
    count += 1;
  }
  // Without a varying column, no row would be read.
  const [first] = columns;
  if (first !== undefined && columns.every(({ cells }) => cells === null))
    first.cells = repeated(first, count);
  return columns;
}

function take(column: GatheredColumn, cell: Cell, before: number): void {
  if (before === 0) column.cell = cell;
  if (column.cells === null && cell !== column.cell) column.cells = repeated(column, before);
  column.cells?.push(cell);
}

function repeated({ cell }: GatheredColumn, count: number): Cell[] {
  return Array.from({ length: count }, () => cell);
}

/** Returns the rows without the common columns. */
function rowsOf(columns: readonly GatheredColumn[], length: number): Rows {
  const varying = columns.flatMap(({ cells }) => (cells === null ? [] : [cells]));
  return {
    length,
    *[Symbol.iterator]() {
      for (let row = 0; row < length; row += 1) yield varying.map((cells) => cells[row] ?? null);
    },
  };
}

interface Preparing {
  prepare(text: string): unknown;
}

/** The maximum number of compiled statements: more than the engine has. */
const MAX_KEPT_STATEMENTS = 500;

/**
 * Keeps compiled statements by their text. The query builder beneath MikroORM compiles a statement on each run, a fifth
 * of the processor time of small reads. Statements run to their end in one turn, so one compiled form serves all calls.
 */
export function keepPrepared(database: Preparing): void {
  const prepare = database.prepare.bind(database);
  const kept = new Map<string, unknown>();
  database.prepare = (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const statement = prepare(text);
    kept.set(text, statement);
    if (kept.size > MAX_KEPT_STATEMENTS) dropOldest(kept);
    return statement;
  };
}

function dropOldest(kept: Map<string, unknown>): void {
  const oldest = kept.keys().next();
  if (!oldest.done) kept.delete(oldest.value);
}
