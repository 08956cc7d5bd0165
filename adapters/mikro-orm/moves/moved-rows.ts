import type {
  MovedRows,
  RowBatch,
  RowChunk,
  RowDigest,
  TakenMove,
} from '../../../lib/ports/storage/index.ts';
import { type Column, numberIn, type Row, textIn } from '../sql/columns.ts';
import type { DatabaseTypes, Dialect } from '../sql/dialect.ts';
import type { Runner } from '../sql/runner.ts';
import { nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { holdFence } from './move-fence.ts';
import { type MovedTable, movedTable } from './moved-tables.ts';

/** Number of rows that one statement divides into chunks, and the maximum number of rows and characters in a chunk. */
const PAGE_ROWS = 50_000;
const CHUNK_ROWS = 2_500;
const CHUNK_CHARACTERS = 4_000_000;

/** Maximum number of selections that one statement compares. A busy tenant can change any number of chunks. */
const DIGESTS_AT_ONCE = 100;

/** Builds statements on the rows of the tenant that is being moved. */
export class MovedRowStatements {
  readonly #runner: Runner;
  readonly #move: TakenMove;
  readonly #types: DatabaseTypes;

  constructor(runner: Runner, move: TakenMove) {
    this.#runner = runner;
    this.#move = move;
    this.#types = runner.dialect.types;
  }

  /** Returns the end of each chunk, and the number and checksum of its rows. Reads each row once. */
  async chunks(name: string, after: string | null): Promise<readonly RowChunk[]> {
    const table = movedTable(name);
    const order = namesOf(table.order);
    const found = await this.#runner.readAs((row) => ({ ...digestOf(row), upTo: textIn(row, 'up_to') }))`
      with page as materialized (
        select ${order}, ${contentOf(table)} as content from ${raw(name)} t
        where ${this.#condition(table, { table: name, after, upTo: null })}
        order by ${order} fetch first ${raw(String(PAGE_ROWS))} rows with ties
      ), placed as (
        select ${order}, ${hash} as hash,
          count(*) over running / ${raw(String(CHUNK_ROWS))}
            + sum(length(content)) over running / ${raw(String(CHUNK_CHARACTERS))} as chunk
        from page window running as (order by ${order})
      )
      select (array_agg(${keyOf(table.order)} order by ${raw(descendingOrder(table.order))}))[1] as up_to,
        ${digests} from placed group by chunk order by chunk`;
    const isLastPage = found.reduce((sum, { count }) => sum + count, 0) < PAGE_ROWS;
    if (found.length === 0) return [{ after, upTo: null, count: 0, checksum: '0' }];
    return found.map((chunk, index) => ({
      ...chunk,
      after: found[index - 1]?.upTo ?? after,
      upTo: isLastPage && index === found.length - 1 ? null : chunk.upTo,
    }));
  }

  async digests(selections: readonly MovedRows[]): Promise<readonly RowDigest[]> {
    const found: RowDigest[] = [];
    for (let start = 0; start < selections.length; start += DIGESTS_AT_ONCE)
      found.push(...(await this.#digestsOf(selections.slice(start, start + DIGESTS_AT_ONCE))));
    return found;
  }

  async #digestsOf(selections: readonly MovedRows[]): Promise<readonly RowDigest[]> {
    const each = selections.map((rows, place) => {
      const table = movedTable(rows.table);
      return sql`
        select ${raw(String(place))} as place, ${digests} from (
          select ${hash} as hash from (
            select ${contentOf(table)} as content from ${raw(rows.table)} t where ${this.#condition(table, rows)}
          ) as rows) as hashes`;
    });
    const all = each.reduce((before, next) => sql`${before} union all ${next}`);
    return this.#runner.readAs(digestOf)`${all} order by place`;
  }

  async read(rows: MovedRows): Promise<RowBatch> {
    const table = movedTable(rows.table);
    const columns = table.columns.map(({ name }) => `array_agg(t.${name})::text as ${name}`);
    const [found] = await this.#runner.rows(sql`
      select count(*) as count, ${raw(columns.join(', '))}
      from ${raw(rows.table)} t where ${this.#condition(table, rows)}`);
    if (found === undefined || numberIn(found, 'count') === 0) return null;
    return table.columns.map(({ name }) => textIn(found, name));
  }

  async replace(rows: MovedRows, batch: RowBatch): Promise<void> {
    const table = movedTable(rows.table);
    await holdFence(this.#runner, this.#move, 'ARRIVING');
    await this.#runner.run(sql`delete from ${raw(rows.table)} t where ${this.#condition(table, rows)}`);
    if (batch === null) return;
    const arrays = table.columns.map(
      ({ type }, index) => sql`${batch[index] ?? null}::${raw(this.#types[type])}[]`,
    );
    await this.#runner.run(sql`
      insert into ${raw(rows.table)} (${namesOf(table.columns)})
      select * from unnest(${arrays.reduce((all, next) => sql`${all}, ${next}`)})`);
  }

  async deleteSome(name: string, limit: number): Promise<number> {
    await holdFence(this.#runner, this.#move, 'AWAY');
    const { affected } = await this.#runner.run(sql`
      delete from ${raw(name)} where ctid = any (array(
        select ctid from ${raw(name)} where tenant_record_id = ${this.#move.tenantRecordId} limit ${limit}))`);
    return affected;
  }

  #condition(table: MovedTable, rows: MovedRows): Sql {
    const ofTenant = sql`t.${raw(table.tenant)} = ${this.#move.tenantRecordId}`;
    if ('keys' in rows) return sql`${ofTenant} and ${this.#hasKey(table, rows.keys)}`;
    const order = sql`(${namesOf(table.order)})`;
    return sql`${ofTenant}
      ${rows.after === null ? nothing : sql`and ${order} > (${this.#valuesOf(table.order, sql`${rows.after}::json`)})`}
      ${rows.upTo === null ? nothing : sql`and ${order} <= (${this.#valuesOf(table.order, sql`${rows.upTo}::json`)})`}`;
  }

  /**
   * Returns the condition for rows with these keys. A single column is compared with an array, for which PostgreSQL
   * always uses the index.
   */
  #hasKey(table: MovedTable, keys: readonly string[]): Sql {
    const given = sql`
      select ${this.#valuesOf(table.key, sql`given.value`)} from json_array_elements(${`[${keys.join(',')}]`}::json) given`;
    const [first, ...others] = table.key;
    if (first !== undefined && others.length === 0) return sql`t.${raw(first.name)} = any (array(${given}))`;
    return sql`(${namesOf(table.key)}) in (${given})`;
  }

  #valuesOf(columns: readonly Column[], list: Sql): Sql {
    return columns
      .map(({ type }, index) => sql`(${list} ->> ${raw(String(index))})::${raw(this.#types[type])}`)
      .reduce((all, next) => sql`${all}, ${next}`);
  }
}

/** Returns the row as text, with the columns in the order of the declaration. */
function contentOf(table: MovedTable): Sql {
  return sql`row(${namesOf(table.columns)})::text`;
}

const hash = sql`hashtextextended(content, 0)::numeric`;
const digests = sql`count(*) as count, coalesce(sum(hash), 0)::text as checksum`;

function digestOf(row: Row): RowDigest {
  return { count: numberIn(row, 'count'), checksum: textIn(row, 'checksum') };
}

function namesOf(columns: readonly Column[]) {
  return raw(columns.map(({ name }) => name).join(', '));
}

function keyOf(columns: readonly Column[]) {
  return raw(`json_build_array(${columns.map(({ name }) => `${name}::text`).join(', ')})::text`);
}

function descendingOrder(columns: readonly Column[]) {
  return columns.map(({ name }) => `${name} desc`).join(', ');
}

/** Returns true if the error or its cause is a violation of a unique index. */
export function isConflict({ failureOf }: Pick<Dialect, 'failureOf'>, error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return failureOf(error).kind === 'unique' || isConflict({ failureOf }, error.cause);
}
