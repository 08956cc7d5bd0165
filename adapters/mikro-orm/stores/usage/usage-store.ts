import type {
  HourSum,
  UsageReads,
  UsageStretch,
  UsageSum,
  UsageWrites,
} from '../../../../lib/ports/storage/index.ts';
import type { StoredUsageInterval } from '../../../../lib/records/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { HOUR_MS, MIN_YEAR } from '../../../../lib/values/limits.ts';
import { localDate, maxDate, minDate } from '../../../../lib/values/time/index.ts';
import type { WriteScope } from '../../audit/audited-writes.ts';
import { type CellRows, dateIn, idIn, inputColumns, numberIn, textIn, writeDay } from '../../sql/columns.ts';
import { firstRowsAs, isIn, nothing, orderedText, raw, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { usageThresholdsTable } from '../../tables/usage/usage.ts';
import { usageIntervalsTable } from '../../tables/usage/usage-intervals.ts';
import { usageArchiveWrites } from './usage-archive-writes.ts';
import { isVoided, usageArchiveReads, usageDays, usagePieces } from './usage-pieces.ts';
import { marksOf, recordMarked } from './usage-recording.ts';
import { trackingIdReads, voidSubmission } from './usage-tracking-ids.ts';

const wholeColumns = inputColumns({ stretch: 'bigint', first_day: 'date', last_day: 'date' });
const cutColumns = inputColumns({ stretch: 'bigint', cut_day: 'date', start_at: 'bigint', end_at: 'bigint' });

export function usageReads(scope: TenantScope): UsageReads {
  const { runner, tenantRecordId } = scope;
  return {
    sums: async ({ subscriptionRecordId, stretches, unit }) => {
      const sums: UsageSum[][] = stretches.map(() => []);
      if (stretches.length === 0) return sums;
      const ofUnit = (column: string) => isOfUnit(column, unit, tenantRecordId);
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
          assertInvariant(amount !== null, 'A group of usage points has no sum');
          sums[numberIn(row, 'stretch')]?.push({ unit: textIn(row, 'name'), amount });
        },
      );
      return sums;
    },
    hourSums: async ({ subscriptionRecordId, stretches, unit }) => {
      const sums: HourSum[][] = stretches.map(() => []);
      if (stretches.length === 0) return sums;
      const rows = stretches.map(({ day, start, end }, index) => [index, writeDay(day), start, end]);
      await runner.read(
        sql`
        select part.stretch, part.hour, unit.name, ${raw(runner.dialect.aggregate('sum', 'part.amount'))} as amount
        from (
          select r.stretch, cast((p.recorded_for - r.start_at) / ${raw(String(HOUR_MS))} as integer) as hour,
            p.unit_record_id, p.amount
          from ${firstRowsAs('r', hourColumns, rows)} cross join bw_usage_points p
          where p.tenant_record_id = ${tenantRecordId} and p.subscription_record_id = ${subscriptionRecordId}
            and p.local_date = r.local_date and p.recorded_for >= r.start_at and p.recorded_for < r.end_at
            and not ${isVoided('p', tenantRecordId)} ${isOfUnit('p.unit_record_id', unit, tenantRecordId)}
        ) part join bw_usage_units unit on unit.record_id = part.unit_record_id
        where +unit.tenant_record_id = ${tenantRecordId}
        group by part.stretch, part.hour, unit.name order by part.stretch, part.hour, ${orderedText('unit.name')}`,
        (row) => {
          const amount = runner.dialect.decimalOf(row.amount);
          assertInvariant(amount !== null, 'A group of usage points has no sum');
          const sum = { hour: numberIn(row, 'hour'), unit: textIn(row, 'name'), amount };
          sums[numberIn(row, 'stretch')]?.push(sum);
        },
      );
      return sums;
    },
    ...trackingIdReads(scope),
    intervals: async (windows) => usageIntervals(scope, windows),
    voidIntervals: async (windows) => usageIntervals(scope, windows, { areVoid: true }),
    billedOn: async (invoiceId) => {
      return runner.readAs((row) => ({
        subscriptionId: idIn(row, 'subscription_id'),
        date: dateIn(row, 'starts_at_local'),
      }))`
        select subscription_id, starts_at_local from bw_usage_intervals
        where tenant_record_id = ${tenantRecordId} and ${isIn('invoice_id', 'uuid', [invoiceId])}`;
    },
    days: async (requests) => usageDays(scope, requests),
    pieces: async (requests) => usagePieces(scope, requests),
    marks: async (subscriptionRecordIds) => marksOf(scope, subscriptionRecordIds, nothing),
    ...usageArchiveReads(scope),
  };
}

export function usageWrites(scope: WriteScope): UsageWrites {
  return {
    insertIntervals: async (intervals) => {
      await scope.insertAll(usageIntervalsTable, intervals);
    },
    voidSubmission: async (subscriptionRecordId, trackingId) =>
      voidSubmission(scope, subscriptionRecordId, trackingId),
    record: async (submissions) => recordMarked(scope, submissions),
    lockMarks: async (subscriptionRecordIds) => {
      const lock = sql`order by subscription_record_id ${raw(scope.runner.dialect.forUpdate)}`;
      return marksOf(scope, subscriptionRecordIds, lock);
    },
    announceThresholds: async (thresholds) =>
      thresholds.length === 0
        ? []
        : scope.runner.readAs(usageThresholdsTable)`
          ${scope.insertInto(usageThresholdsTable, thresholds)} on conflict do nothing
          returning ${scope.columns(usageThresholdsTable)}`,
    ...usageArchiveWrites(scope),
  };
}

function wholeRows(stretches: readonly UsageStretch[]): CellRows {
  return stretches.flatMap(({ wholeDays }, index) =>
    wholeDays === null ? [] : [[index, writeDay(wholeDays.first), writeDay(wholeDays.last)]],
  );
}

/**
 * Returns a condition for the outer bounds of all time spans, preceded by `and`, so that the planner can always limit
 * an index scan.
 */
function withinAll(stretches: readonly UsageStretch[]) {
  const [first, ...others] = stretches.flatMap(({ wholeDays }) => (wholeDays === null ? [] : [wholeDays]));
  if (first === undefined) return nothing;
  const firstDay = minDate(first.first, ...others.map((each) => each.first));
  const lastDay = maxDate(first.last, ...others.map((each) => each.last));
  return sql`and d.local_date >= ${writeDay(firstDay)} and d.local_date <= ${writeDay(lastDay)}`;
}

function cutRows(stretches: readonly UsageStretch[]): CellRows {
  return stretches.flatMap(({ start, end, cutDays }, index) =>
    cutDays.map((day) => [index, writeDay(day), start, end]),
  );
}

const hourColumns = inputColumns({
  stretch: 'bigint',
  local_date: 'date',
  start_at: 'bigint',
  end_at: 'bigint',
});

/**
 * Returns the condition for the unit, preceded by `and`. The condition is empty if `unit` is null, which means all
 * units.
 */
function isOfUnit(column: string, unit: string | null, tenantRecordId: number) {
  if (unit === null) return nothing;
  return sql`and ${raw(column)} = (
    select record_id from bw_usage_units where tenant_record_id = ${tenantRecordId} and ${isIn('name', 'text', [unit])})`;
}

const windowColumns = inputColumns({ subscription_id: 'uuid', from_date: 'date' });

const firstDay = localDate(MIN_YEAR, 1, 1);

export async function usageIntervals(
  scope: TenantScope,
  windows: Parameters<UsageReads['intervals']>[0],
  { areVoid = false } = {},
): Promise<readonly StoredUsageInterval[]> {
  if (windows.length === 0) return [];
  const rows = windows.map(({ subscriptionId, from }) => [subscriptionId, writeDay(from ?? firstDay)]);
  return scope.runner.readAs(usageIntervalsTable)`
    select ${scope.columns(usageIntervalsTable, 'c')}
    from ${firstRowsAs('w', windowColumns, rows)} cross join bw_usage_intervals c
      left join bw_invoices v on v.tenant_record_id = c.tenant_record_id and v.id = c.invoice_id
    where c.tenant_record_id = ${scope.tenantRecordId} and c.subscription_id = w.subscription_id
      and c.ends_at_local >= w.from_date and ${raw(areVoid ? "v.status = 'VOID'" : "(c.invoice_id is null or v.status <> 'VOID')")}
    order by c.record_id`;
}
