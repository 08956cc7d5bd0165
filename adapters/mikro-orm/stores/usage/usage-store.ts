import type { UsageReads, UsageStretch, UsageSum, UsageWrites } from '../../../../lib/ports/storage/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { maxDate, minDate } from '../../../../lib/values/time/index.ts';
import type { WriteScope } from '../../audit/audited-writes.ts';
import { type Cell, type Column, numberOf, textOf } from '../../sql/columns.ts';
import { writeDay } from '../../sql/remembered-dates.ts';
import { firstRowsAs, nothing, orderedText, raw, type Sql, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { usageArchiveReads } from './usage-archive-reads.ts';
import { usageArchiveWrites } from './usage-archive-writes.ts';
import { isOfUnit, usageHourSums } from './usage-hours.ts';
import { insertUsageIntervals, usageBilledOn, usageIntervals } from './usage-intervals.ts';
import { isVoided, usageDays, usagePieces } from './usage-pieces.ts';
import { recordMarked } from './usage-recording.ts';
import { lockUsageMarks, tellThresholds, usageMarks } from './usage-thresholds.ts';
import { pageOfTrackingIds, trackingIdsOf, trackingIdsOfPoints } from './usage-tracking-ids.ts';
import { voidSubmission } from './usage-void.ts';

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
    voidIntervals: async (windows) => usageIntervals(scope, windows, { areVoid: true }),
    billedOn: async (invoiceId) => usageBilledOn(scope, invoiceId),
    days: async (requests) => usageDays(scope, requests),
    pieces: async (requests) => usagePieces(scope, requests),
    marks: async (subscriptionRecordIds) => usageMarks(scope, subscriptionRecordIds),
    ...usageArchiveReads(scope),
  };
}

export function usageWrites(scope: WriteScope): UsageWrites {
  return {
    insertIntervals: async (intervals) => insertUsageIntervals(scope, intervals),
    voidSubmission: async (subscriptionRecordId, trackingId) =>
      voidSubmission(scope, subscriptionRecordId, trackingId),
    record: async (submissions) => recordMarked(scope, submissions),
    lockMarks: async (subscriptionRecordIds) => lockUsageMarks(scope, subscriptionRecordIds),
    tellThresholds: async (thresholds) => tellThresholds(scope, thresholds),
    ...usageArchiveWrites(scope),
  };
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
