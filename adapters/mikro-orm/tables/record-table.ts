import type { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Cell, Column, Field, Fields, Row } from '../sql/columns.ts';

/** Prefix of all tables. It is needed because the tables are in the host's database. */
export const TABLE_PREFIX = 'bw_';

export interface IndexSpec {
  /** Suffix of the index name. The table name precedes it. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Condition of a partial index, in SQL that both databases accept. */
  readonly where?: string;
}

export interface UniqueSpec extends IndexSpec {
  /** The error that callers get after a violation. A violation without such an error is a defect of the engine. */
  readonly violation?: Violation;
}

export interface Violation {
  readonly code: ErrorCode;
  /** The column that the message shows. Defaults to the last column of the index. */
  readonly column?: string;
  /**
   * Returns the message. `key` is the conflicting value with its name, such as `external key "acme"`, or `this external
   * key` if a statement with several rows has failed.
   */
  readonly message: (key: string) => string;
}

export function uniqueName(table: string, unique: UniqueSpec): string {
  return `${table}_${unique.name}_unique`;
}

/** A table as the schema declares it. */
export interface TableSpec {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key. */
  readonly primaryKey: string | readonly string[];
  readonly uniques: readonly UniqueSpec[];
  readonly indexes: readonly IndexSpec[];
}

/**
 * Indexes by name. An index lists its columns and, if partial, `where` and the condition, such as `id, name where
 * is_active`.
 */
export type Indexes = Readonly<Record<string, string>>;

interface TableOptions {
  /** If false, the rows have no `tenant_record_id`. By default, all rows have one (platform §17 rule 2). */
  readonly ofTenant?: false;
  readonly uniques?: Indexes;
  /** Errors for violations of unique indexes, by the name of the index. */
  readonly violations?: Readonly<Record<string, Violation>>;
  readonly indexes?: Indexes;
}

export function indexSpecs(indexes: Indexes = {}): readonly IndexSpec[] {
  return Object.entries(indexes).map(([name, text]) => {
    const [columns = '', where] = text.split(' where ');
    return { name, columns: columns.split(', '), ...(where === undefined ? {} : { where }) };
  });
}

export const recordIdColumn: Column = { name: 'record_id', type: 'identity', nullable: false };
/** The tenant of the row. */
export const TENANT_COLUMN = 'tenant_record_id';
export const tenantColumn: Column = { name: TENANT_COLUMN, type: 'bigint', nullable: false };

/** A table whose rows are records. Only this class maps properties to columns. */
export class RecordTable<R extends object> implements TableSpec {
  readonly name: string;
  readonly primaryKey = 'record_id';
  readonly uniques: readonly UniqueSpec[];
  readonly indexes: readonly IndexSpec[];
  readonly fields: Fields<R>;
  readonly ofTenant: boolean;
  /** All columns. */
  readonly columns: readonly Column[];
  /**
   * Columns that `decode` reads. They exclude columns in separate tables. They also exclude the tenant's column,
   * because the reader knows the tenant.
   */
  readonly read: readonly Column[];
  /** Columns that an insert writes, in the order of `encode`. */
  readonly written: readonly Column[];
  /**
   * Template object with all properties that are read. V8 turns an object that gets more than a dozen properties one by
   * one into a hash table, and copying a hash table with `...` takes 14 microseconds instead of 0.1.
   */
  readonly #shape: Readonly<Record<string, unknown>>;
  readonly #entries: readonly (readonly [keyof R & string, Field<unknown>])[];
  readonly #readEntries: readonly (readonly [keyof R & string, Field<unknown>])[];

  /** @param name without prefix. */
  constructor(
    name: string,
    fields: Fields<R>,
    { ofTenant, uniques, violations = {}, indexes }: TableOptions = {},
  ) {
    this.name = TABLE_PREFIX + name;
    this.ofTenant = ofTenant !== false;
    this.uniques = indexSpecs(uniques).map((spec) => {
      const violation = violations[spec.name];
      return violation === undefined ? spec : { ...spec, violation };
    });
    this.indexes = indexSpecs(indexes);
    this.fields = fields;
    this.#entries = Object.entries(fields) as [keyof R & string, Field<unknown>][];
    this.#readEntries = this.#entries.filter(([, { isSearchOnly }]) => !isSearchOnly);
    const names = this.#readEntries.map(([property]) => property);
    this.#shape = Object.fromEntries(['recordId', ...names].map((name) => [name, null]));
    const own = this.#entries.flatMap(([, field]) => field.columns);
    this.written = this.ofTenant ? [tenantColumn, ...own] : own;
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

  columnsOf(properties: readonly (keyof R & string)[]): readonly Column[] {
    return properties.flatMap((property) => this.fields[property].columns);
  }

  /** Returns the cells of these properties, in the order of `columnsOf`. */
  encodeOnly<K extends keyof R & string>(properties: readonly K[], record: Pick<R, K>): readonly Cell[] {
    const cells: Cell[] = [];
    for (const property of properties) this.fields[property].write(record[property], cells);
    return cells;
  }
}
