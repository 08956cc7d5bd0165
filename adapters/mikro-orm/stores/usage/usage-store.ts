import type { UsageReads, UsageStretch, UsageSum, UsageWrites } from '../../../../lib/ports/storage/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { formatDecimal } from '../../../../lib/values/money/index.ts';
import { maxDate, minDate } from '../../../../lib/values/time/index.ts';
import type { WriteScope } from '../../audit/audited-writes.ts';
import { type Cell, type Column, numberOf, type Row, textOf } from '../../sql/columns.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { writeDay } from '../../sql/remembered-dates.ts';
import { firstRowsAs, isIn, nothing, orderedText, raw, rowsAs, type Sql, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { aggregateColumns, bucketColumns, bucketKey } from '../../tables/usage.ts';
import { isOfUnit, usageHourSums } from './usage-hours.ts';
import { insertUsageIntervals, usageBilledOn, usageIntervals } from './usage-intervals.ts';
import { isVoided, usageDays, usagePieces } from './usage-pieces.ts';
import { pageOfTrackingIds, trackingIdsOf, trackingIdsOfPoints } from './usage-tracking-ids.ts';

const stretchColumn: Column = { name: 'stretch', type: 'bigint', nullable: false };
const wholeColumns: readonly Column[] = [
  stretchColumn,
  { name: 'first_day', type: 'date', nullable: false },
  { name: 'last_day', type: 'date', nullable: false },
];
const cutColumns: readonly Column[] = [
  stretchColumn,
  { name: 'cut_day', type: 'date', nullable: false },
  { name: 'start_at', type: 'bigint', nullable: false },
  { name: 'end_at', type: 'bigint', nullable: false },
];

export function usageReads(scope: TenantScope): UsageReads {
  const { runner, tenantRecordId } = scope;
  return {
    sums: async ({ subscriptionRecordId, stretches, unit }) => {
      const sums: UsageSum[][] = stretches.map(() => []);
      if (stretches.length === 0) return sums;
      const ofUnit = (column: string): Sql => isOfUnit(column, unit, tenantRecordId);
      await runner.read(
        sql`
        select part.stretch, unit.name, ${raw(runner.dialect.aggregate('sum', 'part.amount'))} as amount
        from (
          select w.stretch, d.unit_record_id, d.amount_sum as amount
          from ${firstRowsAs('w', wholeColumns, wholeRows(stretches))} cross join bw_usage_days d
          where d.tenant_record_id = ${tenantRecordId} and d.subscription_record_id = ${subscriptionRecordId}
            and d.local_date between w.first_day and w.last_day ${withinAll(stretches)} and d.amount_max is not null
            ${ofUnit('d.unit_record_id')}
          union all
          select c.stretch, p.unit_record_id, p.amount
          from ${firstRowsAs('c', cutColumns, cutRows(stretches))} cross join bw_usage_points p
          where p.tenant_record_id = ${tenantRecordId} and p.subscription_record_id = ${subscriptionRecordId}
            and p.local_date = c.cut_day and p.recorded_for >= c.start_at and p.recorded_for < c.end_at
            and not ${isVoided('p', tenantRecordId)} ${ofUnit('p.unit_record_id')}
        ) part join bw_usage_units unit on unit.record_id = part.unit_record_id
        where +unit.tenant_record_id = ${tenantRecordId}
        group by part.stretch, unit.name order by part.stretch, ${orderedText('unit.name')}`,
        (row) => {
          const amount = runner.dialect.decimalOf(row.amount);
          assertInvariant(amount !== null, 'A group of points has no sum');
          sums[numberOf(row.stretch, 'stretch')]?.push({ unit: textOf(row.name, 'name'), amount });
        },
      );
      return sums;
    },
    hourSums: async (request) => usageHourSums(scope, request),
    trackingIds: async (invoiceIds, limit) => trackingIdsOf(scope, invoiceIds, limit),
    pageOfTrackingIds: async (invoiceId, request) => pageOfTrackingIds(scope, invoiceId, request),
    trackingIdsOfPoints: async (points, limit) => trackingIdsOfPoints(scope, points, limit),
    intervals: async (windows) => usageIntervals(scope, windows),
    billedOn: async (invoiceId) => usageBilledOn(scope, invoiceId),
    days: async (requests) => usageDays(scope, requests),
    pieces: async (requests) => usagePieces(scope, requests),
  };
}

export function usageWrites(scope: WriteScope): UsageWrites {
  return {
    insertIntervals: async (intervals) => insertUsageIntervals(scope, intervals),
    voidSubmission: async (subscriptionRecordId, trackingId) => {
      const { runner, tenantRecordId, authorship } = scope;
      const key = sql`tenant_record_id = ${tenantRecordId} and subscription_record_id = ${subscriptionRecordId}
        and ${isIn('tracking_id', 'text', [trackingId])}`;
      const [voided] = await runner.rows(sql`
        update bw_usage_keys set voided_date = ${authorship.createdDate} where ${key} and voided_date is null
        returning record_id, first_day, last_day`);
      if (voided === undefined) {
        return (await runner.rows(sql`select 1 from bw_usage_keys where ${key}`)).length > 0;
      }
      const days = await lockDays(scope, subscriptionRecordId, voided);
      await recompute(scope, days);
      return true;
    },
  };
}

/** The rows of the days on which the submission has points, in the order in which whoever records takes them. */
async function lockDays(
  { runner, tenantRecordId }: TenantScope,
  subscriptionRecordId: number,
  { record_id, first_day, last_day }: Row,
): Promise<readonly (readonly Cell[])[]> {
  const touched = await runner.rows(sql`
    select distinct ${raw(bucketKey)} from bw_usage_points
    where tenant_record_id = ${tenantRecordId} and subscription_record_id = ${subscriptionRecordId}
      and local_date between ${textOf(first_day, 'first_day')} and ${textOf(last_day, 'last_day')}
      and key_record_id = ${numberOf(record_id, 'record_id')}`);
  const rows = touched.map(bucketCells);
  const locked = await runner.rows(sql`
    select ${raw(bucketKey)} from bw_usage_days
    where tenant_record_id = ${tenantRecordId} and subscription_record_id = ${subscriptionRecordId}
      and (${raw(bucketKey)}) in (select ${raw(bucketKey)} from ${rowsAs('r', bucketColumns, rows)})
    order by ${raw(bucketKey)} ${raw(runner.dialect.forUpdate)}`);
  assertInvariant(locked.length === rows.length, 'A day of voided usage has no row');
  return locked.map(bucketCells);
}

/** Writes anew what the points that are left come to; the number of the last one stays, so that no ordinal comes twice. */
async function recompute(
  { runner, tenantRecordId }: TenantScope,
  days: readonly (readonly Cell[])[],
): Promise<void> {
  const { dialect } = runner;
  const bucket = raw(bucketKey);
  const left = await runner.rows(sql`
    select ${bucket}, ${raw(dialect.aggregate('sum', 'amount'))} as amount_sum,
      ${raw(dialect.aggregate('max', 'amount'))} as amount_max, ${raw(dialect.aggregate('min', 'amount'))} as amount_min,
      max(recorded_for) as last_recorded_for, max(case when place = 1 then amount end) as last_amount
    from (
      select p.subscription_record_id, p.local_date, p.unit_record_id, p.amount, p.recorded_for, row_number() over (
        partition by p.subscription_record_id, p.local_date, p.unit_record_id
        order by p.recorded_for desc, p.ordinal desc) as place
      from ${firstRowsAs('r', bucketColumns, days)} cross join bw_usage_points p
      where p.tenant_record_id = ${tenantRecordId} and ${raw(inBucket('p'))}
        and not ${isVoided('p', tenantRecordId)}
    ) counted group by ${bucket}`);
  const leftOf = new Map(left.map((row) => [bucketCells(row).join(' '), row]));
  const rows = days.map((cells) => [...cells, ...aggregatesOf(leftOf.get(cells.join(' ')), dialect)]);
  const changed = [...aggregateColumns.map(({ name }) => `${name} = r.${name}`), 'version = version + 1'];
  await runner.run(sql`
    update bw_usage_days set ${raw(changed.join(', '))}
    from ${rowsAs('r', [...bucketColumns, ...aggregateColumns], rows)}
    where bw_usage_days.tenant_record_id = ${tenantRecordId} and ${raw(inBucket('bw_usage_days'))}`);
}

/** In the order of their columns; of a day without points if nothing is left. */
function aggregatesOf(left: Row | undefined, dialect: Dialect): readonly Cell[] {
  if (left === undefined) return ['0', null, null, null, null];
  const { amount_sum, amount_max, amount_min, last_recorded_for, last_amount } = left;
  const [sum, max, min] = [amount_sum, amount_max, amount_min].map((aggregated) => {
    const amount = dialect.decimalOf(aggregated);
    return amount === null ? null : formatDecimal(amount);
  });
  const last = [numberOf(last_recorded_for, 'last_recorded_for'), textOf(last_amount, 'last_amount')];
  return [sum ?? null, max ?? null, min ?? null, ...last];
}

function wholeRows(stretches: readonly UsageStretch[]): readonly (readonly Cell[])[] {
  return stretches.flatMap(({ wholeDays }, index) =>
    wholeDays === null ? [] : [[index, writeDay(wholeDays.first), writeDay(wholeDays.last)]],
  );
}

/** All of the stretches lie within these days: an index is read between them, whatever it expects of the rows. */
function withinAll(stretches: readonly UsageStretch[]): Sql {
  const [first, ...others] = stretches.flatMap(({ wholeDays }) => (wholeDays === null ? [] : [wholeDays]));
  if (first === undefined) return nothing;
  const firstDay = minDate(first.first, ...others.map((each) => each.first));
  const lastDay = maxDate(first.last, ...others.map((each) => each.last));
  return sql`and d.local_date >= ${writeDay(firstDay)} and d.local_date <= ${writeDay(lastDay)}`;
}

function cutRows(stretches: readonly UsageStretch[]): readonly (readonly Cell[])[] {
  return stretches.flatMap(({ start, end, cutDays }, index) =>
    cutDays.map((day) => [index, writeDay(day), start, end]),
  );
}

function inBucket(alias: string): string {
  return bucketColumns.map(({ name }) => `${alias}.${name} = r.${name}`).join(' and ');
}

function bucketCells(row: Row): readonly Cell[] {
  return bucketColumns.map(({ name }) => row[name] as Cell);
}
