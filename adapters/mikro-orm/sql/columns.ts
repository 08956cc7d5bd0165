import { BillingError, ErrorCode, InvariantError } from '../../../lib/values/errors/index.ts';
import { toSnakeCase } from '../../../lib/values/fields/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { Decimal, decimal, formatDecimal, stringifyExactJson } from '../../../lib/values/money/index.ts';
import { isStorable } from '../../../lib/values/text/index.ts';
import {
  type DatedInstant,
  formatInstant,
  formatLocalDate,
  type Instant,
  instant,
  type LocalDate,
  parseLocalDate,
} from '../../../lib/values/time/index.ts';

/** Column types. Each dialect has an exact database type for each of them. */
export type ColumnType =
  /** The primary key `record_id`, an identity column. */
  'identity' | 'bigint' | 'integer' | 'uuid' | 'text' | 'boolean' | 'date' | 'decimal' | 'json';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly isInstant?: true;
}

/** Returns nullable columns for rows that are passed to a statement. */
export function inputColumns(types: Readonly<Record<string, ColumnType>>): readonly Column[] {
  return Object.entries(types).map(([name, type]) => ({ name, type, nullable: true }));
}

/** A value for the database. The value of a JSON column is JSON text. */
export type Cell = string | number | boolean | null;
export type CellRows = readonly (readonly Cell[])[];
/** A row as the driver returns it, with the driver's types for numbers, dates and booleans. */
export type Row = Readonly<Record<string, unknown>>;

/** Describes how a property of a record is stored in one or more columns. */
export interface Field<T> {
  readonly columns: readonly Column[];
  /** True if the property is written with the record but read only on request. */
  readonly isSearchOnly?: true;
  write(value: T, cells: Cell[]): void;
  read(row: Row): T;
}

/** One field per property. The compiler reports a missing field. */
export type Fields<R> = { readonly [K in keyof R]-?: Field<R[K]> };

interface Conversion<T> {
  readonly type: ColumnType;
  readonly isInstant?: true;
  /** True if records can share a decoded value. The value must be immutable and larger than a number. */
  readonly isShared?: true;
  encode(value: T): Cell;
  decode(stored: unknown, column: string): T;
}

function columnOf(
  name: string,
  conversion: Pick<Conversion<unknown>, 'type' | 'isInstant'>,
  nullable: boolean,
): Column {
  const { type, isInstant } = conversion;
  return { name, type, nullable, ...(isInstant ? { isInstant } : {}) };
}

/** Number of characters above which text is not cached. Otherwise large documents would stay in memory. */
const MOST_SHARED_CHARACTERS = 1_000;

/**
 * Returns a function that reads a column and reuses the previous value, because consecutive rows often have the same
 * account, plan, price or day.
 */
function reader<T>(name: string, { decode, isShared }: Conversion<T>): (stored: unknown) => T {
  if (!isShared) return (stored) => decode(stored, name);
  let last: { readonly stored: unknown; readonly value: T } | undefined;
  return (stored) => {
    if (last !== undefined && last.stored === stored) return last.value;
    const value = decode(stored, name);
    if (typeof stored === 'string' && stored.length <= MOST_SHARED_CHARACTERS) last = { stored, value };
    return value;
  };
}

/** Returns a function that writes a column and reuses the cell of the previous value. */
function writer<T>({ encode, isShared }: Conversion<T>): (value: T) => Cell {
  if (!isShared) return encode;
  let last: { readonly value: T; readonly cell: Cell } | undefined;
  return (value) => {
    if (typeof value !== 'object') return encode(value);
    if (last?.value !== value) last = { value, cell: encode(value) };
    return last.cell;
  };
}

/** Returns a field that is stored in one column. The field rejects null, both on reading and on writing. */
function requiredField<T>(name: string, conversion: Conversion<T>): Field<T> {
  const read = reader(name, conversion);
  const write = writer(conversion);
  return {
    columns: [columnOf(name, conversion, false)],
    write: (value, cells) => cells.push(write(value)),
    read: (row) => read(row[name]),
  };
}

function nullable<T>(name: string, conversion: Conversion<T>): Field<T | null> {
  const read = reader(name, conversion);
  const write = writer(conversion);
  return {
    columns: [columnOf(name, conversion, true)],
    write: (value, cells) => cells.push(value === null ? null : write(value)),
    read: (row) => {
      const stored = row[name];
      return stored === null || stored === undefined ? null : read(stored);
    },
  };
}

/** Reads a column of a row as a number. Throws if there is no row. */
export const numberIn = (row: Row | undefined, column: string) => numberOf(row?.[column], column);
export const textIn = (row: Row | undefined, column: string) => textOf(row?.[column], column);
export const idIn = (row: Row | undefined, column: string) => textOf(row?.[column], column) as Uuid;
export const dateIn = (row: Row | undefined, column: string) => dateOf(row?.[column], column);
export const instantIn = (row: Row | undefined, column: string) => instant(numberOf(row?.[column], column));

/** Returns a function that reads a column and returns null if the column is null. */
export function orNullIn<T>(
  row: Row | undefined,
  column: string,
  read: (row: Row, column: string) => T,
): T | null {
  return row === undefined || row[column] === null || row[column] === undefined ? null : read(row, column);
}

/** Returns a function that reads these columns. The name of a column is the property name in snake case. */
export function rowReader<M extends FieldMakers>(makers: M): (row: Row) => ValuesOf<FieldsOf<M>> {
  const fields = Object.entries(fieldsOf(makers));
  return (row) => Object.fromEntries(fields.map(([name, { read }]) => [name, read(row)])) as never;
}

/** Returns a stored number. PostgreSQL's driver returns 64-bit integers as text. */
export function numberOf(stored: unknown, column: string): number {
  const value = typeof stored === 'number' ? stored : Number(stored ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : unreadable(stored, column);
}

export function textOf(stored: unknown, column: string): string {
  return typeof stored === 'string' ? stored : unreadable(stored, column);
}

export function dateOf(stored: unknown, column: string): LocalDate {
  return readDay(textOf(stored, column));
}

function booleanOf(stored: unknown, column: string) {
  if (typeof stored === 'boolean') return stored;
  return stored === 0 || stored === 1 ? stored === 1 : unreadable(stored, column);
}

/**
 * Returns the error for a value that cannot be read. Either the host's driver parses types differently, or the table
 * was edited manually.
 */
function unreadable(stored: unknown, column: string): never {
  throw new InvariantError(`Column ${column} contains an unreadable ${typeof stored}: ${String(stored)}`, {
    column,
  });
}

/** Parses safe integers as numbers and all other numbers as exact decimals. */
function parseStoredJson(text: string): unknown {
  return JSON.parse(text, storedNumber as (key: string, value: unknown) => unknown);
}

function storedNumber(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  return Number.isSafeInteger(value) ? value : new Decimal(context.source ?? String(value));
}

function storable(text: string) {
  if (isStorable(text)) return text;
  throw new BillingError({
    code: ErrorCode.INVALID_PARAMETER,
    message: `The text contains a character that cannot be stored (NUL or an unpaired surrogate): ${JSON.stringify(text.slice(0, 64))}`,
  });
}

const numbers: Conversion<number> = { type: 'integer', encode: (value) => value, decode: numberOf };
const bigNumbers: Conversion<number> = { ...numbers, type: 'bigint' };
const texts: Conversion<string> = { type: 'text', isShared: true, encode: storable, decode: textOf };
// Booleans are sent as numbers, which both databases accept.
const booleans: Conversion<boolean> = { type: 'boolean', encode: Number, decode: booleanOf };
const uuids: Conversion<Uuid> = {
  type: 'uuid',
  isShared: true,
  encode: (value) => value,
  decode: (stored, column) => textOf(stored, column) as Uuid,
};
const instants: Conversion<Instant> = {
  type: 'bigint',
  isInstant: true,
  encode: (value) => value,
  decode: (stored, column) => instant(numberOf(stored, column)),
};
const dates: Conversion<LocalDate> = {
  type: 'date',
  encode: writeDay,
  decode: dateOf,
};
const decimals: Conversion<Decimal> = {
  type: 'decimal',
  isShared: true,
  encode: (value) => formatDecimal(value),
  decode: (stored, column) => decimal(textOf(stored, column)),
};
const documents: Conversion<unknown> = {
  type: 'json',
  encode: (value) => stringifyExactJson(value),
  decode: (stored, column) => parseStoredJson(textOf(stored, column)),
};

export const bigint = (name: string) => requiredField(name, bigNumbers);
export const bigintOrNull = (name: string) => nullable(name, bigNumbers);
export const integer = (name: string) => requiredField(name, numbers);
export const integerOrNull = (name: string) => nullable(name, numbers);
export const text = (name: string) => requiredField(name, texts);
export const textOrNull = (name: string) => nullable(name, texts);
export const boolean = (name: string) => requiredField(name, booleans);
export const booleanOrNull = (name: string) => nullable(name, booleans);
export const uuid = (name: string) => requiredField(name, uuids);
export const uuidOrNull = (name: string) => nullable(name, uuids);
export const instantAt = (name: string) => requiredField(name, instants);
export const instantAtOrNull = (name: string) => nullable(name, instants);
export const date = (name: string) => requiredField(name, dates);
export const dateOrNull = (name: string) => nullable(name, dates);
export const amount = (name: string) => requiredField(name, decimals);
export const amountOrNull = (name: string) => nullable(name, decimals);

/** Returns an enumeration field. Its values are not validated, because the engine wrote them. */
export const oneOf = <T extends string>(name: string) => requiredField<T>(name, texts as Conversion<T>);
export const oneOfOrNull = <T extends string>(name: string) => nullable<T>(name, texts as Conversion<T>);

export const json = <T>(name: string) => requiredField<T>(name, documents as Conversion<T>);
export const jsonOrNull = <T>(name: string) => nullable<T>(name, documents as Conversion<T>);
/** Returns a field for a document with values that have no JSON form, such as amounts. `read` restores these values. */
export const jsonRead = <S, T>(name: string, read: (stored: S) => T) =>
  requiredField(name, documentsRead(read));
export const jsonReadOrNull = <S, T>(name: string, read: (stored: S) => T) =>
  nullable(name, documentsRead(read));

function documentsRead<S, T>(read: (stored: S) => T): Conversion<T> {
  return { ...documents, decode: (stored, column) => read(documents.decode(stored, column) as S) };
}

type FieldMakers = Readonly<Record<string, (column: string) => Field<unknown>>>;
type FieldsOf<M extends FieldMakers> = { readonly [K in keyof M]: ReturnType<M[K]> };

/** Returns the fields of these kinds. The name of a column is the property name in snake case. */
export function fieldsOf<M extends FieldMakers>(makers: M): FieldsOf<M> {
  const fields = Object.entries(makers).map(([name, make]) => [name, make(toSnakeCase(name))]);
  return Object.fromEntries(fields);
}

/** The record that fields store. */
export type ValuesOf<F> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Returns fields that only searches use. They are written with the record but not read with it. */
export function searchOnly<M extends FieldMakers>(makers: M) {
  const fields = Object.entries(fieldsOf(makers)).map(([name, field]) => [
    name,
    { ...field, isSearchOnly: true },
  ]);
  return Object.fromEntries(fields) as {
    readonly [K in keyof M]: ReturnType<M[K]> extends Field<infer T> ? Field<T | undefined> : never;
  };
}

/**
 * Returns a field for a date with its instant (subscriptions §2 rule 8). The column `<name>` contains the instant, and
 * `<name>_local` contains the local date.
 */
export function datedInstant(name: string): Field<DatedInstant> {
  const at = instantAt(name);
  const day = date(`${name}_local`);
  return {
    columns: [...at.columns, ...day.columns],
    write: (value, cells) => {
      at.write(value.at, cells);
      day.write(value.date, cells);
    },
    read: (row) => ({ at: at.read(row), date: day.read(row) }),
  };
}

export function datedOrNull(name: string): Field<DatedInstant | null> {
  const at = instantAtOrNull(name);
  const day = dateOrNull(`${name}_local`);
  return {
    columns: [...at.columns, ...day.columns],
    write: (value, cells) => {
      at.write(value?.at ?? null, cells);
      day.write(value?.date ?? null, cells);
    },
    read: (row) => {
      const [instantRead, dateRead] = [at.read(row), day.read(row)];
      return instantRead === null || dateRead === null ? null : { at: instantRead, date: dateRead };
    },
  };
}

/**
 * Maximum number of cached conversions. The thousands of rows in a run contain only a few different days and instants.
 */
const MOST_REMEMBERED = 1_000;

const daysRead = new Map<string, LocalDate>();
const daysWritten = new Map<LocalDate, string>();
const instantsWritten = new Map<Instant, string>();

export function readDay(text: string): LocalDate {
  return getOrCompute(daysRead, text, parseLocalDate);
}

export function writeDay(date: LocalDate): string {
  return getOrCompute(daysWritten, date, formatLocalDate);
}

export function writeInstant(at: Instant): string {
  return getOrCompute(instantsWritten, at, formatInstant);
}

function getOrCompute<K, V>(known: Map<K, V>, key: K, make: (key: K) => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MOST_REMEMBERED) known.clear();
  const made = make(key);
  known.set(key, made);
  return made;
}
