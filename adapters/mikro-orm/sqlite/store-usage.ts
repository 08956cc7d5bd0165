import { setImmediate } from 'node:timers/promises';
import type { UsagePoint } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { type Decimal, decimal, formatDecimal, ZERO } from '../../../lib/values/money/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import {
  type Cell,
  type Column,
  inputColumns,
  instantIn,
  numberIn,
  numberOf,
  type Row,
  textIn,
  textOf,
  writeDay,
} from '../sql/columns.ts';
import type { Statements } from '../sql/connection.ts';
import type { RefusedUsage, UsageChunk } from '../sql/dialect.ts';
import { firstRowsAs, isIn, raw, sql } from '../sql/sql.ts';
import {
  aggregateColumns,
  bucketColumns,
  bucketKey,
  usageDaysTable,
  usageKeysTable,
  usagePointsTable,
} from '../tables/usage/usage.ts';
import { addUnits, keyCells, unitsOf } from '../tables/usage/usage-rows.ts';
import { isAggregable } from './decimal-aggregates.ts';

/** The points of a chunk on one day. */
interface Bucket {
  readonly key: string;
  readonly cells: readonly Cell[];
  readonly accountRecordId: number;
  readonly points: { readonly point: UsagePoint; readonly keyRecordId: number }[];
}

const inputColumnsOfUsage = inputColumns({
  submission: 'bigint',
  subscription_record_id: 'bigint',
  tracking_id: 'text',
});

/** Minimum size of a chunk, in submissions, at which other work can run before the chunk is stored. */
const MANY_FROM = 500;

/** Stores usage in a transaction. There are no concurrent writers, so values can be read, changed and written back. */
export async function storeUsage(
  statements: Statements,
  chunk: UsageChunk,
): Promise<readonly RefusedUsage[]> {
  // Pause before a large chunk, because consecutive transactions would otherwise block the event loop.
  if (chunk.submissions.length >= MANY_FROM) await setImmediate();
  const taken = await takeKeys(statements, chunk);
  const units = await readUnits(statements, chunk);
  const buckets = bucketsOf(chunk, { taken, units });
  if (buckets.length > 0) await storeBuckets(statements, chunk, buckets);
  return findStoredFingerprints(statements, chunk, taken);
}

/** The record ids of the keys, by index of the submission. An entry is undefined if the tracking id is already used. */
type UsedKeys = readonly (number | undefined)[];

async function takeKeys(statements: Statements, chunk: UsageChunk) {
  const written = usageKeysTable.written;
  const names = raw(written.map(({ name }) => name).join(', '));
  const rows = chunk.submissions.map((submission) => keyCells(chunk, submission));
  const taken = await statements.rows(sql`
    insert into bw_usage_keys (${names})
    select ${names} from ${firstRowsAs('r', written, rows)} where true
    on conflict (tenant_record_id, subscription_record_id, tracking_id) do nothing
    returning record_id, subscription_record_id, tracking_id`);
  const recordIds = new Map(
    taken.map((row) => [`${row.subscription_record_id} ${row.tracking_id}`, numberIn(row, 'record_id')]),
  );
  return chunk.submissions.map(({ subscriptionRecordId, trackingId }) =>
    recordIds.get(`${subscriptionRecordId} ${trackingId}`),
  );
}

async function readUnits(statements: Statements, chunk: UsageChunk): Promise<ReadonlyMap<string, number>> {
  const names = unitsOf(chunk);
  const read = async (): Promise<ReadonlyMap<string, number>> => {
    const rows = await statements.rows(sql`
      select record_id, name from bw_usage_units
      where tenant_record_id = ${chunk.tenantRecordId} and ${isIn('name', 'text', names)}`);
    return new Map(rows.map((row) => [textIn(row, 'name'), numberIn(row, 'record_id')]));
  };
  const known = await read();
  if (known.size === names.length) return known;
  await addUnits(statements, chunk.tenantRecordId, names);
  return read();
}

function bucketsOf(
  { submissions }: UsageChunk,
  { taken, units }: { readonly taken: UsedKeys; readonly units: ReadonlyMap<string, number> },
): readonly Bucket[] {
  const buckets = new Map<string, Bucket>();
  for (const [index, { accountRecordId, subscriptionRecordId, points }] of submissions.entries()) {
    const keyRecordId = taken[index];
    if (keyRecordId === undefined) continue;
    for (const point of points) {
      const unit = units.get(point.unit);
      assertInvariant(unit !== undefined, `The unit ${point.unit} has no record id`);
      const cells = [subscriptionRecordId, writeDay(point.localDate), unit];
      const key = cells.join(' ');
      const bucket = buckets.get(key) ?? { key, cells, accountRecordId, points: [] };
      buckets.set(key, bucket);
      bucket.points.push({ point, keyRecordId });
    }
  }
  return [...buckets.values()];
}

async function storeBuckets(
  statements: Statements,
  { tenantRecordId }: UsageChunk,
  buckets: readonly Bucket[],
): Promise<void> {
  const stored = await readDays(statements, tenantRecordId, buckets);
  const dayRows: (readonly Cell[])[] = [];
  const pointRows: (readonly Cell[])[] = [];
  for (const { key, cells, accountRecordId, points } of buckets) {
    const day = stored.get(key) ?? new DayTotals();
    for (const { point, keyRecordId } of points) {
      day.add(point);
      const { instant, isDateOnly, amount } = point;
      const written = [instant, Number(isDateOnly), formatDecimal(amount), keyRecordId];
      pointRows.push([tenantRecordId, ...cells, day.count, ...written]);
    }
    dayRows.push([tenantRecordId, ...cells, accountRecordId, ...day.cells()]);
  }
  const names = raw(namesOf(usageDaysTable));
  const changed = [...aggregateColumns.map(({ name }) => name), 'point_count'];
  await statements.run(sql`
    insert into bw_usage_days (${names}) select ${names} from ${firstRowsAs('r', usageDaysTable.columns, dayRows)} where true
    on conflict (tenant_record_id, ${raw(bucketKey)})
    do update set ${raw(changed.map((name) => `${name} = excluded.${name}`).join(', '))}`);
  const pointNames = raw(namesOf(usagePointsTable));
  await statements.run(sql`
    insert into bw_usage_points (${pointNames})
    select ${pointNames} from ${firstRowsAs('r', usagePointsTable.columns, pointRows)}`);
}

async function readDays(statements: Statements, tenantRecordId: number, buckets: readonly Bucket[]) {
  const rows = buckets.map(({ cells }) => cells);
  const match = bucketColumns.map(({ name }) => `d.${name} = r.${name}`).join(' and ');
  const stored = await statements.rows(sql`
    select d.* from ${firstRowsAs('r', bucketColumns, rows)} cross join bw_usage_days d
    where d.tenant_record_id = ${tenantRecordId} and ${raw(match)}`);
  return new Map(
    stored.map((row) => [bucketColumns.map(({ name }) => row[name]).join(' '), DayTotals.of(row)]),
  );
}

async function findStoredFingerprints(statements: Statements, chunk: UsageChunk, taken: UsedKeys) {
  const { tenantRecordId, submissions } = chunk;
  const asked = submissions.flatMap(({ subscriptionRecordId, trackingId }, index) =>
    taken[index] === undefined ? [[index, subscriptionRecordId, trackingId]] : [],
  );
  if (asked.length === 0) return [];
  const stored = await statements.rows(sql`
    select r.submission, k.fingerprint from ${firstRowsAs('r', inputColumnsOfUsage, asked)} cross join bw_usage_keys k
    where k.tenant_record_id = ${tenantRecordId} and k.subscription_record_id = r.subscription_record_id
      and k.tracking_id = r.tracking_id`);
  return stored.map(({ submission, fingerprint }) => ({
    index: numberOf(submission, 'submission'),
    fingerprint: textOf(fingerprint, 'fingerprint'),
  }));
}

function namesOf({ columns }: { readonly columns: readonly Column[] }) {
  return columns.map(({ name }) => name).join(', ');
}

/**
 * The totals of a unit on a day as exact decimals. They are computed in JavaScript because SQLite cannot add decimals
 * exactly.
 */
class DayTotals {
  count = 0;
  #sum: Decimal = ZERO;
  #max: Decimal | null = null;
  #min: Decimal | null = null;
  #last: { readonly at: Instant; readonly amount: Decimal } | null = null;

  static of(row: Row): DayTotals {
    const totals = new DayTotals();
    const decimalOrNull = (column: string): Decimal | null =>
      row[column] === null ? null : decimal(textOf(row[column], column));
    totals.count = numberIn(row, 'point_count');
    totals.#sum = decimal(textIn(row, 'amount_sum'));
    totals.#max = decimalOrNull('amount_max');
    totals.#min = decimalOrNull('amount_min');
    const amount = decimalOrNull('last_amount');
    if (amount !== null) {
      totals.#last = { at: instantIn(row, 'last_recorded_for'), amount };
    }
    return totals;
  }

  /** Adds a point. The point's ordinal is the new value of `count`. */
  add({ instant: at, amount }: UsagePoint): void {
    assertInvariant(isAggregable(amount), 'The amount of a usage point has too many digits to be summed', {
      amount: formatDecimal(amount),
    });
    this.count += 1;
    // The first point of a day needs no addition. It is usually the day's only point in the chunk.
    this.#sum = this.count === 1 ? amount : this.#sum.plus(amount);
    if (this.#max === null || amount.gt(this.#max)) this.#max = amount;
    if (this.#min === null || amount.lt(this.#min)) this.#min = amount;
    if (this.#last === null || at >= this.#last.at) this.#last = { at, amount };
  }

  /** Returns the columns after the key and the account. The version of an existing day does not change. */
  cells(): readonly Cell[] {
    let [written, text]: [Decimal | null, Cell] = [null, null];
    const write = (amount: Decimal | null): Cell => {
      if (amount === written) return text;
      [written, text] = [amount, amount === null ? null : formatDecimal(amount)];
      return text;
    };
    const last = [this.#last?.at ?? null, write(this.#last?.amount ?? null)];
    return [write(this.#sum), write(this.#max), write(this.#min), ...last, this.count, 0, null];
  }
}
