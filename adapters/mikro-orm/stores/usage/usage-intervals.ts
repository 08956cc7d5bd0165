import type { UsageReads } from '../../../../lib/ports/storage/index.ts';
import type { StoredUsageInterval } from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { MIN_YEAR } from '../../../../lib/values/limits.ts';
import { localDate } from '../../../../lib/values/time/index.ts';
import { type Column, dateOf, textOf } from '../../sql/columns.ts';
import { writeDay } from '../../sql/remembered-dates.ts';
import { firstRowsAs, isIn, raw, sql } from '../../sql/sql.ts';
import { insertInto, recordColumns, type TenantScope } from '../../tables/record-access.ts';
import { usageIntervalsTable } from '../../tables/usage/usage-intervals.ts';

const windowColumns: readonly Column[] = [
  { name: 'subscription_id', type: 'uuid', nullable: false },
  { name: 'from_date', type: 'date', nullable: false },
];

const firstDay = localDate(MIN_YEAR, 1, 1);

export async function usageIntervals(
  scope: TenantScope,
  windows: Parameters<UsageReads['intervals']>[0],
  { areVoid = false } = {},
): Promise<readonly StoredUsageInterval[]> {
  if (windows.length === 0) return [];
  const rows = windows.map(({ subscriptionId, from }) => [subscriptionId, writeDay(from ?? firstDay)]);
  return scope.runner.read(
    sql`
    select ${raw(recordColumns(scope, usageIntervalsTable, 'c'))}
    from ${firstRowsAs('w', windowColumns, rows)} cross join bw_usage_intervals c
      left join bw_invoices v on v.tenant_record_id = c.tenant_record_id and v.id = c.invoice_id
    where c.tenant_record_id = ${scope.tenantRecordId} and c.subscription_id = w.subscription_id
      and c.ends_at_local >= w.from_date and ${raw(areVoid ? "v.status = 'VOID'" : "(c.invoice_id is null or v.status <> 'VOID')")}
    order by c.record_id`,
    (row) => usageIntervalsTable.decode(row),
  );
}

export async function usageBilledOn(
  { runner, tenantRecordId }: TenantScope,
  invoiceId: Uuid,
): ReturnType<UsageReads['billedOn']> {
  const rows = await runner.rows(sql`
    select subscription_id, starts_at_local from bw_usage_intervals
    where tenant_record_id = ${tenantRecordId} and ${isIn('invoice_id', 'uuid', [invoiceId])}`);
  return rows.map((row) => ({
    subscriptionId: textOf(row.subscription_id, 'subscription_id') as Uuid,
    date: dateOf(row.starts_at_local, 'starts_at_local'),
  }));
}

export async function insertUsageIntervals(
  scope: TenantScope,
  intervals: readonly StoredUsageInterval[],
): Promise<void> {
  if (intervals.length === 0) return;
  await scope.runner.run(insertInto(scope, usageIntervalsTable, intervals));
}
