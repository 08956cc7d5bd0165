import type { ToldThreshold } from '../../../../lib/records/index.ts';
import { numberOf } from '../../sql/columns.ts';
import { isIn, nothing, raw, type Sql, sql } from '../../sql/sql.ts';
import { insertInto, recordColumns, type TenantScope } from '../../tables/record-access.ts';
import { usageMarksTable, usageThresholdsTable } from '../../tables/usage/usage-thresholds.ts';

/** In one order for all, so that none waits for another that waits for it; the last rows that a recording locks. */
export async function markSubscriptions(
  scope: TenantScope,
  subscriptionRecordIds: readonly number[],
): Promise<void> {
  if (subscriptionRecordIds.length === 0) return;
  const marks = subscriptionRecordIds
    .toSorted((a, b) => a - b)
    .map((subscriptionRecordId) => ({ subscriptionRecordId, version: 1 }));
  await scope.runner.run(sql`${insertInto(scope, usageMarksTable, marks)}
    on conflict (tenant_record_id, subscription_record_id) do update set version = bw_usage_marks.version + 1`);
}

export function usageMarks(
  scope: TenantScope,
  subscriptionRecordIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  return marksOf(scope, subscriptionRecordIds, nothing);
}

export function lockUsageMarks(
  scope: TenantScope,
  subscriptionRecordIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { forUpdate } = scope.runner.dialect;
  return marksOf(scope, subscriptionRecordIds, sql`order by subscription_record_id ${raw(forUpdate)}`);
}

async function marksOf(
  { runner, tenantRecordId }: TenantScope,
  subscriptionRecordIds: readonly number[],
  ending: Sql,
): Promise<ReadonlyMap<number, number>> {
  if (subscriptionRecordIds.length === 0) return new Map();
  const rows = await runner.rows(sql`
    select subscription_record_id, version from bw_usage_marks
    where tenant_record_id = ${tenantRecordId} and ${isIn('subscription_record_id', 'bigint', subscriptionRecordIds)}
    ${ending}`);
  return new Map(
    rows.map(({ subscription_record_id, version }) => [
      numberOf(subscription_record_id, 'subscription_record_id'),
      numberOf(version, 'version'),
    ]),
  );
}

export async function tellThresholds(
  scope: TenantScope,
  thresholds: readonly ToldThreshold[],
): Promise<readonly ToldThreshold[]> {
  if (thresholds.length === 0) return [];
  return scope.runner.read(
    sql`${insertInto(scope, usageThresholdsTable, thresholds)} on conflict do nothing
    returning ${raw(recordColumns(scope, usageThresholdsTable))}`,
    (row) => usageThresholdsTable.decode(row),
  );
}
