import type { Page, PageRequest } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { MAX_COUNTED_RECORDS } from '../../../lib/values/limits.ts';
import { type Column, numberIn, textIn } from '../sql/columns.ts';
import type { Runner } from '../sql/runner.ts';
import {
  type Condition,
  firstRowsAs,
  isIn,
  type ListType,
  nothing,
  type RawText,
  type Rows,
  raw,
  rowsAs,
  type Sql,
  sql,
} from '../sql/sql.ts';
import { type RecordTable, recordIdColumn } from './record-table.ts';

export type Stored<R> = R & { readonly recordId: number };

/**
 * The properties that an update writes, and the records with their new values. A unique property of each record
 * identifies its row.
 */
interface Update<R, K extends keyof R, P extends keyof R> {
  readonly properties: readonly P[];
  readonly records: readonly Pick<NoInfer<R>, K | P>[];
}

/** A transaction for one tenant. Each statement of a store contains the tenant's record id. */
export class TenantScope {
  readonly runner: Runner;
  readonly tenantRecordId: number;
  /** Number of records up to which the total of a list is counted. */
  readonly countThreshold: number;
  /** Condition for rows of the tenant. */
  readonly ofTenant: Sql;

  constructor(runner: Runner, tenantRecordId: number, countThreshold: number = MAX_COUNTED_RECORDS) {
    this.runner = runner;
    this.tenantRecordId = tenantRecordId;
    this.countThreshold = countThreshold;
    this.ofTenant = sql`tenant_record_id = ${tenantRecordId}`;
  }

  /** Returns the select list for the columns that the table's `decode` reads. */
  columns({ read }: Pick<RecordTable<object>, 'read'>, alias?: string): RawText {
    return raw(this.runner.dialect.selectList({ columns: read }, alias));
  }

  /** Returns the tenant's records that satisfy `condition`, in creation order. */
  async select<R extends object>(table: RecordTable<R>, condition: Condition): Promise<readonly Stored<R>[]> {
    // The `+` sign keeps SQLite from choosing an index that matches the order instead of an index that matches the
    // condition.
    return this.selectOrdered(table, { condition, order: '+record_id' });
  }

  /** Returns the tenant's records whose column contains one of these ids, strings or numbers. */
  async selectBy<R extends object>(
    table: RecordTable<R>,
    property: keyof R & string,
    values: readonly (string | number)[],
  ): Promise<readonly Stored<R>[]> {
    const [column] = table.columnsOf([property]);
    assertInvariant(column, `${table.name} has no column for ${property}`);
    return this.select(table, isIn(column.name, column.type as ListType, values));
  }

  /** Selects up to `limit` records, sorted by the columns of `order`. */
  async selectOrdered<R extends object>(
    table: RecordTable<R>,
    query: { readonly condition: Condition; readonly order: string; readonly limit?: number },
  ): Promise<readonly Stored<R>[]> {
    const { condition, order, limit } = query;
    if (condition.isAmongNone) return [];
    return this.runner.readAs(table)`
      select ${this.columns(table)} from ${raw(table.name)}
      where tenant_record_id = ${this.tenantRecordId} and ${condition} order by ${raw(order)}
      ${limit === undefined ? nothing : sql`limit ${limit}`}`;
  }

  /** Returns the tenant's records that have these ids, in creation order. */
  async selectByIds<R extends object>(
    table: RecordTable<R>,
    ids: readonly Uuid[],
  ): Promise<readonly Stored<R>[]> {
    if (ids.length === 0) return [];
    return this.runner.readAs(table)`
      select ${this.columns(table)} from ${raw(table.name)} where ${this.haveIds(ids)} order by +record_id`;
  }

  /**
   * Returns the condition for the tenant's rows with these ids. The `+` sign prevents the use of the index on the
   * tenant's column. With that index, SQLite scans all rows of the tenant (50 of 24,000 invoices: 9 ms instead of 0.2
   * ms).
   */
  haveIds(ids: readonly Uuid[]): Sql {
    return sql`+tenant_record_id = ${this.tenantRecordId} and ${isIn('id', 'uuid', ids)}`;
  }

  ofAccounts(accountIds: readonly Uuid[]): Sql {
    const recordIds = sql`select record_id from bw_accounts where ${this.haveIds(accountIds)}`;
    const condition = this.runner.dialect.isSelected('account_record_id', recordIds);
    return { ...condition, isAmongNone: accountIds.length === 0 };
  }

  /**
   * Returns the condition for rows of one account. Because it is an equality, the index already sorts the rows in the
   * order of a page.
   */
  ofAccount(accountId: Uuid): Sql {
    return sql`account_record_id = (select record_id from bw_accounts where ${this.haveIds([accountId])})`;
  }

  /**
   * Returns a page of the rows that meet `within`, in record-id order; a negative limit sorts descending. For a
   * filtered list, `max` counts the rows that meet `among`. The counts take one statement, which the last page does
   * not need.
   * @param along index that SQLite must use, written after the table name.
   * @param isSought true if an index finds the few rows of `within`, so that SQLite must not scan all rows of the
   * tenant.
   */
  async page<R extends object>(
    table: RecordTable<R>,
    {
      request,
      within = nothing,
      among = within,
      isSought = false,
      along = nothing,
    }: {
      readonly request: PageRequest;
      readonly within?: Sql;
      readonly among?: Sql;
      readonly isSought?: boolean;
      readonly along?: Sql;
    },
  ): Promise<Page<Stored<R>>> {
    const found = sql`${raw(isSought ? '+' : '')}tenant_record_id = ${this.tenantRecordId} ${within}`;
    const direction = request.limit < 0 ? 'desc' : 'asc';
    const rows = await this.runner.readAs(table)`
      select ${this.columns(table)} from ${raw(table.name)} ${along}
      where ${found}
      order by record_id ${raw(direction)} limit ${Math.abs(request.limit)} offset ${request.offset}`;
    const most = this.countThreshold + 1;
    const count = (source: Sql, condition: Sql) => sql`
      (select count(*) from (select 1 from ${raw(table.name)} ${source} where ${condition} limit ${most}) counted)`;
    const isLast = rows.length < Math.abs(request.limit) && (rows.length > 0 || request.offset === 0);
    const known = isLast ? Math.min(request.offset + rows.length, most) : null;
    const isAll = among === within;
    const [counted] =
      known !== null && isAll
        ? [{ total: known }]
        : await this.runner.rows(sql`
            select ${known ?? count(along, found)} as total
            ${isAll ? nothing : sql`, ${count(nothing, sql`tenant_record_id = ${this.tenantRecordId} ${among}`)} as max`}`);
    const total = numberIn(counted, 'total');
    const max = isAll ? total : numberIn(counted, 'max');
    return { rows, total, max };
  }

  /** Inserts all records in one statement and returns their record ids, in order. */
  async insert<R extends { readonly id: Uuid }>(
    table: RecordTable<R>,
    records: readonly R[],
  ): Promise<readonly number[]> {
    const inOrder: number[] = [];
    // Both databases return the rows in the given order, but neither guarantees this order.
    const elsewhere = new Map<string, number>();
    await this.runner.read(sql`${this.insertInto(table, records)} returning id, record_id`, (row) => {
      const [id, recordId] = [textIn(row, 'id'), numberIn(row, 'record_id')];
      if (records[inOrder.length]?.id === id) inOrder.push(recordId);
      else elsewhere.set(id, recordId);
    });
    if (inOrder.length === records.length) return inOrder;
    return records.map(({ id }, index) => {
      const recordId = elsewhere.get(id) ?? inOrder[index];
      assertInvariant(recordId !== undefined, `${table.name} did not return the row of ${id}`);
      return recordId;
    });
  }

  /** Returns an `insert … select` of all records. The caller may add `on conflict` or `returning`. */
  insertInto<R extends object>(table: RecordTable<R>, records: Batch<R>): Sql {
    return insertInto(this.tenantRecordId, table, records);
  }

  /** Inserts all records in one statement, which ends with `ending`. Does nothing if the list is empty. */
  async insertAll<R extends object>(
    table: RecordTable<R>,
    records: Batch<R>,
    ending: Sql = nothing,
  ): Promise<void> {
    if (records.length > 0) await this.runner.run(sql`${this.insertInto(table, records)} ${ending}`);
  }

  /**
   * Writes `properties` of the records with these ids, in one statement.
   * @throws InvariantError if the tenant does not have one of the records.
   */
  async update<R extends { readonly id: Uuid }, P extends keyof R & string>(
    table: RecordTable<R>,
    change: Update<R, 'id', P>,
  ): Promise<void> {
    if (change.records.length === 0) return;
    const { affected } = await this.runner.run(this.updateOf(table, { key: 'id', ...change }));
    assertAffected(table, affected, change.records.length);
  }

  updateOf<R extends object, K extends keyof R & string, P extends keyof R & string>(
    table: RecordTable<R>,
    { key, properties, records }: Update<R, K, P> & { readonly key: K },
  ): Sql {
    const written = [key, ...properties];
    return this.#updateFrom(table, {
      keyColumns: table.columnsOf([key]),
      changed: table.columnsOf(properties),
      rows: eachOf(records, (record) => table.encodeOnly(written, record)),
    });
  }

  /**
   * Updates records that were read before. Finds the records by record id, because this lookup is the cheapest.
   * @throws InvariantError if the tenant does not have one of the records.
   */
  async updateRows<R extends object, P extends keyof R & string>(
    table: RecordTable<R>,
    change: { readonly properties: readonly P[]; readonly records: readonly Stored<Pick<R, P>>[] },
  ): Promise<void> {
    const { properties, records } = change;
    if (records.length === 0) return;
    const updated = this.#updateFrom(table, {
      keyColumns: [recordIdColumn],
      changed: table.columnsOf(properties),
      rows: eachOf(records, (record) => [record.recordId, ...table.encodeOnly(properties, record)]),
    });
    const { affected } = await this.runner.run(sql`${updated} ${amongMany(table, records)}`);
    assertAffected(table, affected, records.length);
  }

  #updateFrom(
    { name: table }: { readonly name: string },
    source: {
      readonly keyColumns: readonly Column[];
      readonly changed: readonly Column[];
      readonly rows: Rows;
    },
  ): Sql {
    const { keyColumns, changed, rows } = source;
    const assignments = changed.map(({ name }) => `${name} = r.${name}`).join(', ');
    // The table has no alias, because SQLite's `returning` accepts only the table name.
    const match = keyColumns.map(({ name }) => `${table}.${name} = r.${name}`).join(' and ');
    // The condition uses the `+` sign of `haveIds` for a unique key.
    // Otherwise PostgreSQL scans the tenant's rows until it has statistics.
    // Reading one of 1,000 accounts took 3 ms without the sign and 0.2 ms with it.
    const isSought = keyColumns.every(({ name }) => name === 'id' || name === recordIdColumn.name);
    const ofTenant = `${isSought ? '+' : ''}${table}.tenant_record_id`;
    return sql`update ${raw(table)} set ${raw(assignments)}
      from ${rowsAs('r', [...keyColumns, ...changed], rows)}
      where ${raw(ofTenant)} = ${this.tenantRecordId} and ${raw(match)}`;
  }
}

/** Returns the records of all tenants that satisfy `condition`, in creation order. */
export async function selectOfAll<R extends object>(
  runner: Pick<Runner, 'dialect' | 'readAs'>,
  table: RecordTable<R>,
  condition: Condition,
): Promise<readonly Stored<R>[]> {
  if (condition.isAmongNone) return [];
  return runner.readAs(table)`
    select ${raw(runner.dialect.selectList(table))} from ${raw(table.name)} where ${condition} order by record_id`;
}

/** Returns an `insert … select` of all records. Works for tables with and without a tenant. */
export function insertInto<R extends object>(
  tenantRecordId: number,
  table: RecordTable<R>,
  records: Batch<R>,
): Sql {
  const columns = raw(namesOf(table.written));
  const rows = eachOf(records, (record) => table.encode(tenantRecordId, record));
  // Without `where true`, SQLite would read a following `on conflict` as part of a join.
  return sql`insert into ${raw(table.name)} (${columns})
    select ${columns} from ${firstRowsAs('r', table.written, rows)} where true`;
}

const MANY_ROWS = 1_000;

/**
 * Limits the record ids of a read of many rows. The rows of an account are close together. Without the limits,
 * PostgreSQL reads the whole table to find 30,000 of 430,000 rows (240 ms instead of 70 ms).
 */
function amongMany({ name }: { readonly name: string }, records: readonly { readonly recordId: number }[]) {
  if (records.length < MANY_ROWS) return nothing;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const { recordId } of records) {
    lowest = Math.min(lowest, recordId);
    highest = Math.max(highest, recordId);
  }
  return sql`and ${raw(name)}.record_id between ${lowest} and ${highest}`;
}

function assertAffected({ name }: { readonly name: string }, affected: number, expected: number) {
  assertInvariant(affected === expected, `${name} has only ${affected} of the ${expected} rows to change`);
}

/** Items whose number is known. They are either an array, or are created during the iteration. */
interface Batch<T> extends Iterable<T> {
  readonly length: number;
}

/** Returns the results of `make`. They are computed during the iteration, so that only one is in memory at a time. */
export function eachOf<T, U>(batch: Batch<T>, make: (each: T) => U): Batch<U> {
  return {
    length: batch.length,
    *[Symbol.iterator]() {
      for (const each of batch) yield make(each);
    },
  };
}

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}
