import type { ArchivedDay, UsageArchiveWrites } from '../../../../lib/ports/storage/index.ts';
import type { PointRange } from '../../../../lib/records/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { formatDecimal } from '../../../../lib/values/money/index.ts';
import { type Cell, dateIn, inputColumns, numberIn, numberOf, textIn, writeDay } from '../../sql/columns.ts';
import { firstRowsAs, raw, rowsAs, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { bucketKey } from '../../tables/usage/usage.ts';
import { archivedIdsTable, archivedPiecesTable } from '../../tables/usage/usage-archive.ts';
import { isInRange, isVoided, pointRangeColumns, rangeCells, writePart } from './usage-pieces.ts';

const boundColumns = inputColumns({ subscription_record_id: 'bigint', before: 'date' });
const pieceColumns = [
  ...inputColumns({ piece: 'bigint', part: 'text', subscription_record_id: 'bigint' }),
  ...pointRangeColumns,
];
const dayColumns = inputColumns({ subscription_record_id: 'bigint', local_date: 'date', unit: 'text' });

export function usageArchiveWrites(scope: TenantScope): UsageArchiveWrites {
  const { runner, tenantRecordId } = scope;
  return {
    /** Locks the open days. Locks rows in the same order as recordings do, to avoid deadlocks. */
    lockOpenDays: async (requests, limit) => {
      if (requests.length === 0) return [];
      const rows = requests.map(({ subscriptionRecordId, before }) => [
        subscriptionRecordId,
        writeDay(before),
      ]);
      return runner.read(
        sql`
        select d.subscription_record_id, d.local_date, unit.name, d.point_count, d.archived_count
        from bw_usage_days d join bw_usage_units unit on unit.record_id = d.unit_record_id
          join ${rowsAs('r', boundColumns, rows)} on r.subscription_record_id = d.subscription_record_id
        where d.tenant_record_id = ${tenantRecordId} and d.local_date < r.before
          and d.point_count > coalesce(d.archived_count, 0)
        order by d.subscription_record_id, d.local_date, d.unit_record_id
        limit ${limit} ${raw(runner.dialect.forUpdate === '' ? '' : `${runner.dialect.forUpdate} of d`)}`,
        (row) => ({
          subscriptionRecordId: numberIn(row, 'subscription_record_id'),
          unit: textIn(row, 'name'),
          localDate: dateIn(row, 'local_date'),
          count: numberIn(row, 'point_count'),
          archivedCount: row.archived_count === null ? 0 : numberIn(row, 'archived_count'),
        }),
      );
    },
    archive: async (days) => {
      if (days.length === 0) return;
      await keepPieces(scope, days);
      await keepTrackingIds(scope, days);
      await removePoints(scope, days);
    },
    /** Removes unused keys. A key is unused when all days of its submission have been archived completely. */
    forgetKeys: async ({ recordedBefore, after, limit }) => {
      const looked = await runner.rows(sql`
        select record_id from bw_usage_keys
        where tenant_record_id = ${tenantRecordId} and record_id > ${after} and created_date < ${recordedBefore}
        order by record_id limit ${limit}`);
      const ids = looked.map(({ record_id }) => numberOf(record_id, 'record_id'));
      const [first, last] = [ids[0], ids.at(-1)];
      if (first === undefined || last === undefined) return { last: null, forgotten: 0 };
      const forgotten = await runner.rows(sql`
        delete from bw_usage_keys
        where tenant_record_id = ${tenantRecordId} and record_id >= ${first} and record_id <= ${last}
          and created_date < ${recordedBefore} and not exists (
            select 1 from bw_usage_days d
            where d.tenant_record_id = ${tenantRecordId} and d.subscription_record_id = bw_usage_keys.subscription_record_id
              and d.local_date >= bw_usage_keys.first_day and d.local_date <= bw_usage_keys.last_day
              and d.point_count > coalesce(d.archived_count, 0))
        returning record_id`);
      return { last: ids.length < limit ? null : last, forgotten: forgotten.length };
    },
  };
}

/** Stores the totals of each part that has valid points. */
async function keepPieces({ runner, tenantRecordId }: TenantScope, days: readonly ArchivedDay[]) {
  const { dialect } = runner;
  const pieces = piecesOf(days);
  const asked = pieces.map(pieceCells);
  const kept = await runner.rows(sql`
    select piece, unit_record_id, ${raw(dialect.aggregate('sum', 'amount'))} as amount_sum,
      ${raw(dialect.aggregate('max', 'amount'))} as amount_max, ${raw(dialect.aggregate('min', 'amount'))} as amount_min,
      max(recorded_for) as last_recorded_for, max(case when place = 1 then amount end) as last_amount
    from (
      select r.piece, p.unit_record_id, p.amount, p.recorded_for,
        row_number() over (partition by r.piece order by p.recorded_for desc, p.ordinal desc) as place
      from ${firstRowsAs('r', pieceColumns, asked)} cross join bw_usage_units unit cross join bw_usage_points p
      where unit.tenant_record_id = ${tenantRecordId} and unit.name = r.unit
        and ${ofBucket(tenantRecordId)} and ${raw(isInRange)} and not ${isVoided('p', tenantRecordId)}
    ) counted group by piece, unit_record_id order by piece`);
  const rows = kept.map((row): readonly Cell[] => {
    const one = pieces[numberIn(row, 'piece')];
    assertInvariant(one, 'An unrequested usage piece was returned');
    const { subscriptionRecordId, range } = one;
    const bucket = [subscriptionRecordId, writeDay(range.localDate), numberOf(row.unit_record_id, 'unit')];
    const [sum, max, min] = [row.amount_sum, row.amount_max, row.amount_min].map((each) => {
      const amount = dialect.decimalOf(each);
      assertInvariant(amount !== null, 'A usage piece with points has no sum');
      return formatDecimal(amount);
    });
    const last = [numberIn(row, 'last_recorded_for'), textIn(row, 'last_amount')];
    const place = [range.after, writePart(range.part), range.upTo];
    return [tenantRecordId, ...bucket, ...place, sum ?? null, max ?? null, min ?? null, ...last];
  });
  if (rows.length === 0) return;
  const names = raw(archivedPiecesTable.columns.map(({ name }) => name).join(', '));
  await runner.run(sql`
    insert into bw_usage_archived_pieces (${names})
    select ${names} from ${firstRowsAs('r', archivedPiecesTable.columns, rows)}`);
}

/**
 * Stores the tracking ids. Those of voided submissions are included, because an earlier invoice may have billed them.
 */
async function keepTrackingIds({ runner, tenantRecordId }: TenantScope, days: readonly ArchivedDay[]) {
  const asked = piecesOf(days).map(pieceCells);
  const names = raw(archivedIdsTable.columns.map(({ name }) => name).join(', '));
  const submission = ['record_id', 'tracking_id', 'voided_date'] as const;
  await runner.run(sql`
    with submitted as (
      select distinct r.subscription_record_id, r.local_date, unit.record_id as unit_record_id, r.after_ordinal, r.part,
        r.up_to_ordinal, r.start_at, r.end_at, k.record_id, k.tracking_id, k.voided_date
      from ${firstRowsAs('r', pieceColumns, asked)}
        cross join bw_usage_units unit cross join bw_usage_points p cross join bw_usage_keys k
      where unit.tenant_record_id = ${tenantRecordId} and unit.name = r.unit
        and ${ofBucket(tenantRecordId)} and ${raw(isInRange)}
        and k.record_id = p.key_record_id and k.tenant_record_id = ${tenantRecordId}
    )
    insert into bw_usage_archived_ids (${names})
    select ${tenantRecordId}, subscription_record_id, local_date, unit_record_id, after_ordinal, part, up_to_ordinal,
      start_at, end_at, ${raw(runner.dialect.listOf(submission))}
    from submitted
    group by subscription_record_id, local_date, unit_record_id, after_ordinal, part, up_to_ordinal, start_at, end_at`);
}

interface Piece {
  readonly subscriptionRecordId: number;
  readonly range: PointRange;
}

function piecesOf(days: readonly ArchivedDay[]): readonly Piece[] {
  return days.flatMap(({ subscriptionRecordId, pieces }) =>
    pieces.map((range) => ({ subscriptionRecordId, range })),
  );
}

function pieceCells({ subscriptionRecordId, range }: Piece, index: number): readonly Cell[] {
  return [index, writePart(range.part), subscriptionRecordId, ...rangeCells(range)];
}

/** Removes the archived points. No points can be added in the meantime, because the rows of the days are locked. */
async function removePoints({ runner, tenantRecordId }: TenantScope, days: readonly ArchivedDay[]) {
  const rows = days.map(({ subscriptionRecordId, localDate, unit }) => [
    subscriptionRecordId,
    writeDay(localDate),
    unit,
  ]);
  const buckets = sql`
    select r.subscription_record_id, r.local_date, unit.record_id
    from ${rowsAs('r', dayColumns, rows)} join bw_usage_units unit on unit.name = r.unit
    where unit.tenant_record_id = ${tenantRecordId}`;
  await runner.run(sql`
    update bw_usage_days set archived_count = point_count
    where tenant_record_id = ${tenantRecordId} and (${raw(bucketKey)}) in (${buckets})`);
  await runner.run(sql`
    delete from bw_usage_points where tenant_record_id = ${tenantRecordId} and (${raw(bucketKey)}) in (${buckets})`);
}

function ofBucket(tenantRecordId: number) {
  return sql`p.tenant_record_id = ${tenantRecordId} and p.subscription_record_id = r.subscription_record_id
    and p.local_date = r.local_date and p.unit_record_id = unit.record_id`;
}
