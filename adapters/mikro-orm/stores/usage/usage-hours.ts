import type { HourSum, UsageHoursRequest } from '../../../../lib/ports/storage/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { HOUR_MS } from '../../../../lib/values/limits.ts';
import { type Column, numberOf, textOf } from '../../sql/columns.ts';
import { writeDay } from '../../sql/remembered-dates.ts';
import { firstRowsAs, isIn, nothing, orderedText, raw, type Sql, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { isVoided } from './usage-pieces.ts';

const hourColumns: readonly Column[] = [
  { name: 'stretch', type: 'bigint', nullable: false },
  { name: 'local_date', type: 'date', nullable: false },
  { name: 'start_at', type: 'bigint', nullable: false },
  { name: 'end_at', type: 'bigint', nullable: false },
];

/** Each stretch reads its day once. */
export async function usageHourSums(
  { runner, tenantRecordId }: TenantScope,
  { subscriptionRecordId, stretches, unit }: UsageHoursRequest,
): Promise<readonly (readonly HourSum[])[]> {
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
      assertInvariant(amount !== null, 'A group of points has no sum');
      const sum = { hour: numberOf(row.hour, 'hour'), unit: textOf(row.name, 'name'), amount };
      sums[numberOf(row.stretch, 'stretch')]?.push(sum);
    },
  );
  return sums;
}

/** Of the unit with that name; null = of every unit. */
export function isOfUnit(column: string, unit: string | null, tenantRecordId: number): Sql {
  if (unit === null) return nothing;
  return sql`and ${raw(column)} = (
    select record_id from bw_usage_units where tenant_record_id = ${tenantRecordId} and ${isIn('name', 'text', [unit])})`;
}
