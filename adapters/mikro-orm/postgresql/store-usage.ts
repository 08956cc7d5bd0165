import { formatDecimal } from '../../../lib/values/money/index.ts';
import { type Cell, type Column, type ColumnType, numberOf, textOf, writeDay } from '../sql/columns.ts';
import type { Statements } from '../sql/connection.ts';
import type { RefusedUsage, UsageChunk } from '../sql/dialect.ts';
import { nothing, raw, rowsAs, sql } from '../sql/sql.ts';
import { bucketKey, usageKeysTable } from '../tables/usage/usage.ts';
import { addUnits, keyCells, unitsOf } from '../tables/usage/usage-rows.ts';
import { PLANNED_AGAIN } from './statement-batch.ts';

const submissionColumn = column('submission', 'bigint');
const offeredColumns = [submissionColumn, ...usageKeysTable.written];
const unitColumns = [column('place', 'bigint'), column('name', 'text')];
const pointColumns = [
  column('position', 'bigint'),
  submissionColumn,
  column('subscription_record_id', 'bigint'),
  column('account_record_id', 'bigint'),
  column('unit_place', 'bigint'),
  column('local_date', 'date'),
  column('recorded_for', 'bigint'),
  column('is_date_only', 'boolean'),
  column('amount', 'decimal'),
];

function column(name: string, type: ColumnType): Column {
  return { name, type, nullable: false };
}

/**
 * Minimum number of points for which the statement is planned in each call. The generic plan is suitable only for fewer
 * points.
 */
const MANY_FROM = 10;

/**
 * Stores a chunk in a single statement, which is its own transaction and takes one round trip. Unknown units take two
 * additional round trips.
 */
export async function storeUsage(
  statements: Statements,
  chunk: UsageChunk,
): Promise<readonly RefusedUsage[]> {
  const units = unitsOf(chunk);
  const answers = await statements.rows(storeChunkStatement(chunk, units));
  if (answers.some(({ are_known }) => are_known === false)) {
    // Units are never deleted, so each unit is added only once.
    await addUnits(statements, chunk.tenantRecordId, units);
    return storeUsage(statements, chunk);
  }
  const unresolved = answers.flatMap(({ submission, fingerprint }) =>
    fingerprint === null ? [numberOf(submission, 'submission')] : [],
  );
  // The next statement sees the rows that other transactions have stored since the previous statement began.
  const seen = unresolved.length === 0 ? [] : await statements.rows(fingerprintsOf(chunk, unresolved));
  return [...answers.filter(({ fingerprint }) => fingerprint !== null), ...seen].map(
    ({ submission, fingerprint }) => ({
      index: numberOf(submission, 'submission'),
      fingerprint: textOf(fingerprint, 'fingerprint'),
    }),
  );
}

/**
 * Returns the statement that stores a chunk. Keys and then days are locked in a fixed order, so chunks never
 * deadlock. The row of a day stays locked until the end, so its points have consecutive numbers in commit order.
 *
 * Record ids of units and keys are joined as arrays. For joins with rows that the statement has just inserted, the
 * planner expects one row and uses nested loops (600 ms for 1,000 points).
 */
function storeChunkStatement(chunk: UsageChunk, units: readonly string[]) {
  const { tenantRecordId } = chunk;
  const written = raw(namesOf(usageKeysTable.written));
  const bucket = raw(bucketKey);
  const points = pointRows(chunk, units);
  return sql`
    with unit as materialized (
      select count(*) = ${units.length} as are_known, array_agg(u.record_id order by n.place) as ids
      from ${rowsAs('n', unitColumns, [...units.entries()])} cross join bw_usage_units u
      where u.tenant_record_id = ${tenantRecordId} and u.name = n.name
    ), offered as materialized (
      select * from ${rowsAs('r', offeredColumns, offeredRows(chunk))}
    ), taken as (
      insert into bw_usage_keys (${written})
      select ${written} from offered where (select are_known from unit) order by submission
      on conflict (tenant_record_id, subscription_record_id, tracking_id) do nothing
      returning record_id, subscription_record_id, tracking_id
    ), own as materialized (
      select submission, subscription_record_id, tracking_id, coalesce(taken.record_id, 0) as key_record_id
      from offered left join taken using (subscription_record_id, tracking_id)
    ), keys as materialized (
      select array_agg(key_record_id order by submission) as ids from own
    ), point as materialized (
      select p.*, (select ids from unit)[unit_place + 1] as unit_record_id,
        (select ids from keys)[submission + 1] as key_record_id
      from ${rowsAs('p', pointColumns, points)}
      where (select ids from keys)[submission + 1] > 0
    ), bucket as materialized (
      select ${bucket}, min(account_record_id) as account_record_id, sum(amount) as amount_sum,
        max(amount) as amount_max, min(amount) as amount_min, max(recorded_for) as last_recorded_for,
        (array_agg(amount order by recorded_for desc, position desc))[1] as last_amount, count(*) as point_count
      from point group by ${bucket}
    ), day as (
      insert into bw_usage_days as d (tenant_record_id, ${bucket}, account_record_id, amount_sum, amount_max, amount_min,
        last_recorded_for, last_amount, point_count, version)
      select ${tenantRecordId}, ${bucket}, account_record_id, amount_sum, amount_max, amount_min, last_recorded_for,
        last_amount, point_count, 0
      from bucket order by ${bucket}
      on conflict (tenant_record_id, ${bucket}) do update set
        amount_sum = d.amount_sum + excluded.amount_sum,
        amount_max = greatest(d.amount_max, excluded.amount_max),
        amount_min = least(d.amount_min, excluded.amount_min),
        last_amount = case when d.last_recorded_for > excluded.last_recorded_for
          then d.last_amount else excluded.last_amount end,
        last_recorded_for = greatest(d.last_recorded_for, excluded.last_recorded_for),
        point_count = d.point_count + excluded.point_count
      returning ${bucket}, point_count
    ), stored as (
      insert into bw_usage_points (tenant_record_id, ${bucket}, ordinal, recorded_for, is_date_only, amount, key_record_id)
      select ${tenantRecordId}, ${bucket},
        day.point_count + 1 - row_number() over (partition by ${bucket} order by position desc),
        recorded_for, is_date_only, amount, key_record_id
      from point join day using (${bucket})
      returning 1
    )
    select submission, are_known, stored_key.fingerprint
    from own cross join unit left join lateral (${storedKey(tenantRecordId)}) as stored_key on true
    where key_record_id = 0 ${points.length < MANY_FROM ? nothing : raw(PLANNED_AGAIN)}`;
}

function fingerprintsOf(chunk: UsageChunk, submissions: readonly number[]) {
  const wanted = new Set(submissions);
  const rows = [...offeredRows(chunk)].filter((_cells, index) => wanted.has(index));
  return sql`
    select submission, stored_key.fingerprint
    from ${rowsAs('own', offeredColumns, rows)}
      left join lateral (${storedKey(chunk.tenantRecordId)}) as stored_key on true`;
}

/**
 * Returns the stored key of a submission. Each submission has its own lookup, because there are few submissions but
 * many keys.
 */
function storedKey(tenantRecordId: number) {
  return sql`
    select k.fingerprint from bw_usage_keys k
    where k.tenant_record_id = ${tenantRecordId} and k.subscription_record_id = own.subscription_record_id
      and k.tracking_id = own.tracking_id limit 1`;
}

/**
 * Returns one row per submission. Each row starts with the number of the submission in the chunk, followed by the
 * submission's key.
 */
function offeredRows(chunk: UsageChunk) {
  return {
    length: chunk.submissions.length,
    *[Symbol.iterator](): Iterator<readonly Cell[]> {
      for (const [index, submission] of chunk.submissions.entries()) {
        yield [index, ...keyCells(chunk, submission)];
      }
    },
  };
}

function pointRows({ submissions }: UsageChunk, units: readonly string[]) {
  const placeOf = new Map(units.map((name, place) => [name, place]));
  return {
    length: submissions.reduce((count, { points }) => count + points.length, 0),
    *[Symbol.iterator](): Iterator<readonly Cell[]> {
      let position = 0;
      for (const [index, { subscriptionRecordId, accountRecordId, points }] of submissions.entries()) {
        for (const { unit, instant, localDate, isDateOnly, amount } of points) {
          position += 1;
          const owner = [position, index, subscriptionRecordId, accountRecordId, placeOf.get(unit) ?? null];
          yield [...owner, writeDay(localDate), instant, Number(isDateOnly), formatDecimal(amount)];
        }
      }
    },
  };
}

function namesOf(columns: readonly Column[]) {
  return columns.map(({ name }) => name).join(', ');
}
