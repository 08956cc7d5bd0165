import type { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Cell, Column, Field, Fields, Row } from '../sql/columns.ts';

/** Prefix of every table: they live inside the host's database. */
export const TABLE_PREFIX = 'bw_';

export interface IndexSpec {
  /** Suffix of its name; the table's name goes in front. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Predicate of a partial index, in SQL that both databases read. */
  readonly where?: string;
}

export interface UniqueSpec extends IndexSpec {
  /** What a violation means to the caller; without it, a violation is a defect. */
  readonly violation?: { readonly code: ErrorCode; readonly message: string };
}

export function uniqueName(table: string, unique: UniqueSpec): string {
  return `${table}_${unique.name}_unique`;
}

/** A table as the schema declares it. */
export interface TableSpec {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The column that is its key, or the columns that together are. */
  readonly primaryKey: string | readonly string[];
  readonly uniques: readonly UniqueSpec[];
  readonly indexes: readonly IndexSpec[];
}

interface TableInput {
  /** Without prefix. */
  readonly name: string;
  /** True: every row carries `tenant_record_id` (platform §17 rule 2). */
  readonly ofTenant: boolean;
  readonly uniques?: readonly UniqueSpec[];
  readonly indexes?: readonly IndexSpec[];
}

export const recordIdColumn: Column = { name: 'record_id', type: 'identity', nullable: false };
/** Whose row it is, in every table of tenants. */
export const TENANT_COLUMN = 'tenant_record_id';

const tenantColumn: Column = { name: TENANT_COLUMN, type: 'bigint', nullable: false };

/** A table whose rows are records of the domain; the one place that says which property is stored in which column. */
export class RecordTable<R extends object> implements TableSpec {
  readonly name: string;
  readonly primaryKey = 'record_id';
  readonly uniques: readonly UniqueSpec[];
  readonly indexes: readonly IndexSpec[];
  readonly fields: Fields<R>;
  readonly ofTenant: boolean;
  /** All columns. */
  readonly columns: readonly Column[];
  /** The columns that `decode` reads: all except the tenant's, which the reader has asked for, and those kept aside. */
  readonly read: readonly Column[];
  /** The columns that an insert fills, in the order of `encode`. */
  readonly written: readonly Column[];
  /**
   * Every property that is read, without a value. An object that gets more than a dozen properties one by one becomes a
   * hash table in V8, and copying it with `...` takes 14 microseconds instead of 0.1.
   */
  readonly #shape: Readonly<Record<string, unknown>>;
  readonly #entries: readonly (readonly [keyof R & string, Field<unknown>])[];
  readonly #readEntries: readonly (readonly [keyof R & string, Field<unknown>])[];

  constructor(input: TableInput, fields: Fields<R>) {
    this.name = TABLE_PREFIX + input.name;
    this.ofTenant = input.ofTenant;
    this.uniques = input.uniques ?? [];
    this.indexes = input.indexes ?? [];
    this.fields = fields;
    this.#entries = Object.entries(fields) as [keyof R & string, Field<unknown>][];
    this.#readEntries = this.#entries.filter(([, { isKeptAside }]) => !isKeptAside);
    const names = this.#readEntries.map(([property]) => property);
    this.#shape = Object.fromEntries(['recordId', ...names].map((name) => [name, null]));
    const own = this.#entries.flatMap(([, field]) => field.columns);
    this.written = input.ofTenant ? [tenantColumn, ...own] : own;
    this.columns = [recordIdColumn, ...this.written];
    this.read = [recordIdColumn, ...this.columnsOf(names)];
  }

  encode(tenantRecordId: number, record: R): readonly Cell[] {
    const cells: Cell[] = this.ofTenant ? [tenantRecordId] : [];
    for (const [property, field] of this.#entries) field.write(record[property], cells);
    return cells;
  }

  decode(row: Row): R & { readonly recordId: number } {
    const record: Record<string, unknown> = { ...this.#shape, recordId: Number(row.record_id) };
    for (const [property, field] of this.#readEntries) record[property] = field.read(row);
    return record as R & { readonly recordId: number };
  }

  /** The columns of these properties. */
  columnsOf(properties: readonly (keyof R & string)[]): readonly Column[] {
    return properties.flatMap((property) => this.fields[property].columns);
  }

  /** The cells of these properties of one record, in the order of `columnsOf`. */
  encodeOnly<K extends keyof R & string>(properties: readonly K[], record: Pick<R, K>): readonly Cell[] {
    const cells: Cell[] = [];
    for (const property of properties) this.fields[property].write(record[property], cells);
    return cells;
  }
}
