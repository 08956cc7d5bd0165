import type { CheckReads } from '../../../../lib/ports/storage/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { decimal } from '../../../../lib/values/money/index.ts';
import { dateOf, numberOf, textOf } from '../../sql/columns.ts';
import { writeDay } from '../../sql/remembered-dates.ts';
import { isIn, nothing, raw, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { bucketColumns } from '../../tables/usage/usage.ts';
import { usageIntervalsTable } from '../../tables/usage/usage-intervals.ts';
import { isVoided } from './usage-pieces.ts';

export function usageCheckReads(scope: TenantScope): Pick<CheckReads, 'usageDaysAfter' | 'billedItems'> {
  return {
    usageDaysAfter: async (request) => usageDaysAfter(scope, request),
    billedItems: async (invoiceIds) => billedItems(scope, invoiceIds),
  };
}

const order = 'account_record_id, local_date, subscription_record_id, unit_record_id';
const inBucket = (other: string): string =>
  bucketColumns.map(({ name }) => `${other}.${name} = d.${name}`).join(' and ');
const ofDay = bucketColumns.map(({ name }) => `d.${name}`).join(', ');

async function usageDaysAfter(
  { runner, tenantRecordId }: TenantScope,
  { accountRecordIds, after, limit }: Parameters<CheckReads['usageDaysAfter']>[0],
): ReturnType<CheckReads['usageDaysAfter']> {
  if (accountRecordIds.length === 0) return [];
  const { dialect } = runner;
  const beyond =
    after === null
      ? nothing
      : sql`and (${raw(order)}) > (${after.accountRecordId}, ${writeDay(after.localDate)}, ${after.subscriptionRecordId}, ${after.unitRecordId})`;
  const points = sql`d cross join bw_usage_points p
    where p.tenant_record_id = ${tenantRecordId} and ${raw(inBucket('p'))}`;
  const rows = await runner.rows(sql`
    with d as materialized (
      select ${raw(order)}, amount_sum, amount_max, point_count from bw_usage_days
      where tenant_record_id = ${tenantRecordId} and ${isIn('account_record_id', 'bigint', accountRecordIds)} ${beyond}
      order by ${raw(order)} limit ${limit}
    ), stored as (
      select ${raw(ofDay)}, count(*) as points, min(p.ordinal) as first_ordinal from ${points} group by ${raw(ofDay)}
    ), counted as (
      select ${raw(ofDay)}, ${raw(dialect.aggregate('sum', 'p.amount'))} as points_sum,
        ${raw(dialect.aggregate('max', 'p.amount'))} as points_max
      from ${points} and not ${isVoided('p', tenantRecordId)} group by ${raw(ofDay)}
    )
    select ${raw(order.replaceAll(/\w+/g, 'd.$&'))}, unit.name, d.amount_sum, d.amount_max, d.point_count,
      s.points, s.first_ordinal, c.points_sum, c.points_max
    from d join bw_usage_units unit on unit.record_id = d.unit_record_id and unit.tenant_record_id = ${tenantRecordId}
      left join stored s on ${raw(inBucket('s'))} left join counted c on ${raw(inBucket('c'))}
    order by ${raw(order.replaceAll(/\w+/g, 'd.$&'))}`);
  return rows.map((row) => ({
    accountRecordId: numberOf(row.account_record_id, 'account_record_id'),
    subscriptionRecordId: numberOf(row.subscription_record_id, 'subscription_record_id'),
    localDate: dateOf(row.local_date, 'local_date'),
    unitRecordId: numberOf(row.unit_record_id, 'unit_record_id'),
    unit: textOf(row.name, 'name'),
    stored: {
      sum: decimal(textOf(row.amount_sum, 'amount_sum')),
      max: row.amount_max === null ? null : decimal(textOf(row.amount_max, 'amount_max')),
      count: numberOf(row.point_count, 'point_count'),
    },
    points: {
      sum: dialect.decimalOf(row.points_sum ?? null),
      max: dialect.decimalOf(row.points_max ?? null),
      count: row.points === null ? 0 : numberOf(row.points, 'points'),
      first: row.first_ordinal === null ? null : numberOf(row.first_ordinal, 'first_ordinal'),
    },
  }));
}

async function billedItems(
  { runner, tenantRecordId }: TenantScope,
  invoiceIds: readonly Uuid[],
): ReturnType<CheckReads['billedItems']> {
  if (invoiceIds.length === 0) return [];
  const { invoiceId, itemIds } = usageIntervalsTable.fields;
  const columns = usageIntervalsTable.columnsOf(['invoiceId', 'itemIds']);
  const rows = await runner.rows(sql`
    select ${raw(runner.dialect.selectList({ columns }))} from bw_usage_intervals
    where tenant_record_id = ${tenantRecordId} and ${isIn('invoice_id', 'uuid', invoiceIds)}`);
  return rows.flatMap((row) => {
    const billing = invoiceId.read(row) as Uuid;
    return itemIds.read(row).map((itemId) => ({ invoiceId: billing, itemId }));
  });
}
