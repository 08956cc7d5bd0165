import { isStorable } from '../../../lib/values/text/index.ts';
import type { Cell, Column } from './columns.ts';

export type Scalar = string | number | boolean | null;

/** SQL text that this code contains. It must never come from a caller. */
export interface RawText {
  readonly kind: 'raw';
  readonly text: string;
}

/** The condition that `column` is equal to one of `values`. The values are bound as one parameter. */
export interface Membership {
  readonly kind: 'in';
  readonly column: string;
  readonly type: ListType;
  readonly values: readonly (string | number)[];
  readonly isAmongNone?: boolean;
}

/** A condition on rows. If it compares with an empty list, no row can match, so the query can be skipped. */
export type Condition = Sql | Membership;

/** A text column that is compared by code point, independent of the database's collation. */
interface OrderedText {
  readonly kind: 'ordered';
  readonly column: string;
}

/** Rows whose number is known. They are either an array, or an iterable that creates them on each iteration. */
export interface Rows extends Iterable<readonly Cell[]> {
  readonly length: number;
}

/** A relation named `alias` with these columns. It is bound with a constant number of parameters. */
interface RowSource {
  readonly kind: 'rows';
  readonly alias: string;
  readonly columns: readonly Column[];
  readonly rows: Rows;
  /** True if the statement must read these rows first, regardless of the planner's estimate. */
  readonly isReadFirst: boolean;
}

export type ListType = 'uuid' | 'text' | 'bigint';

export interface Sql {
  readonly kind: 'sql';
  readonly strings: readonly string[];
  readonly values: readonly SqlPart[];
  readonly isAmongNone?: boolean;
}

export type SqlPart = Scalar | RawText | Membership | OrderedText | RowSource | Sql;

/** Creates a statement from a template. Scalars are bound as parameters; the dialect renders all other parts. */
export function sql(strings: TemplateStringsArray, ...values: readonly SqlPart[]): Sql {
  return { kind: 'sql', strings, values };
}

export function raw(text: string): RawText {
  return { kind: 'raw', text };
}

/** Returns a list of constants for `in`. The constants must never come from a caller. */
export function literals(values: readonly string[]): RawText {
  return raw(`(${values.map((value) => `'${value}'`).join(', ')})`);
}

export function isIn(column: string, type: ListType, values: readonly (string | number)[]): Membership {
  const found =
    type === 'text' ? values.filter((value) => typeof value !== 'string' || isStorable(value)) : values;
  return { kind: 'in', column, type, values: found, isAmongNone: found.length === 0 };
}

/** Returns the condition combined with `further`. */
export function narrowCondition(condition: Condition, further: Sql): Sql {
  return { ...sql`${condition} ${further}`, isAmongNone: condition.isAmongNone === true };
}

/** The row of a statement by column. */
export type OnlyRow = Readonly<Record<string, Cell>> | null;

/** Returns the only row that the caller passed to the statement, or null if it passed several rows or none. */
export function onlyRowOf(statement: Sql): OnlyRow {
  const [source] = rowSourcesIn(statement);
  if (source?.rows.length !== 1) return null;
  const [row = []] = source.rows;
  return Object.fromEntries(source.columns.map(({ name }, index) => [name, row[index] ?? null]));
}

function rowSourcesIn({ values }: Sql): readonly RowSource[] {
  return values.flatMap((value) => {
    if (value === null || typeof value !== 'object') return [];
    if (value.kind === 'sql') return rowSourcesIn(value);
    return value.kind === 'rows' ? value : [];
  });
}

export function orderedText(column: string): OrderedText {
  return { kind: 'ordered', column };
}

/** Rows to join with stored rows. */
export function rowsAs(alias: string, columns: readonly Column[], rows: Rows): RowSource {
  return { kind: 'rows', alias, columns, rows, isReadFirst: false };
}

/** Returns rows that the statement must read first, either for an insert or at the start of a cross join. */
export function firstRowsAs(...source: Parameters<typeof rowsAs>): RowSource {
  return { ...rowsAs(...source), isReadFirst: true };
}

export const nothing: Sql = { kind: 'sql', strings: [''], values: [] };

/** Renders the parts of SQL that differ between databases. `bind` adds a parameter and returns its placeholder. */
export interface SqlWriter {
  membership(part: Membership, bind: (value: unknown) => string): string;
  orderedText(column: string): string;
  /** @param atEnd Registers a callback for the end of the statement. */
  rowSource(part: RowSource, bind: (value: unknown) => string, atEnd: (end: () => void) => void): string;
  placeholder(position: number): string;
  scalar(value: Scalar): unknown;
}

interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** Ends the statement. Call this after the statement has run or failed. */
  end(): void;
}

export function render(statement: Sql, writer: SqlWriter): Statement {
  const parameters: unknown[] = [];
  const ends: (() => void)[] = [];
  const bind = (value: unknown): string => writer.placeholder(parameters.push(value));
  const write = (part: SqlPart): string => {
    if (part === null || typeof part !== 'object') return bind(writer.scalar(part));
    switch (part.kind) {
      case 'raw':
        return part.text;
      case 'in':
        return writer.membership(part, bind);
      case 'ordered':
        return writer.orderedText(part.column);
      case 'rows':
        return writer.rowSource(part, bind, (end) => ends.push(end));
      case 'sql':
        return part.strings.reduce((text, next, index) => {
          const value = part.values[index - 1];
          return text + (value === undefined ? '' : write(value)) + next;
        });
    }
  };
  const text = write(statement);
  const end = (): void => {
    for (const each of ends) each();
  };
  return { text, parameters, end };
}

/** A column of rows. `values` contains the values of all rows, or is null if all rows have the value `cell`. */
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

/** Minimum number of rows for which a value shared by all rows is bound only once. */
export const MANY_FROM = 1_000;

/**
 * Collects rows by column. `writers` contains a function per column that writes its cells. In a large run, most columns
 * have the same value in all rows, and binding each of them would cost as much as binding any other column. At least
 * one column has separate values, because these determine the number of rows.
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
    first.values = repeatCell(first, count);
  return columns;
}

function take<T>(column: Gathering<T>, cell: Cell, before: number) {
  if (before === 0) column.cell = cell;
  if (column.values === null && cell !== column.cell) column.values = repeatCell(column, before);
  column.values?.push(column.write(cell));
}

function repeatCell<T>({ write, cell }: Gathering<T>, length: number) {
  return Array.from({ length }, () => write(cell));
}
