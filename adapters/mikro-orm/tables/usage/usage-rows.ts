import type { UsageSubmission } from '../../../../lib/records/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import { maxDate, minDate } from '../../../../lib/values/time/index.ts';
import type { Cell } from '../../sql/columns.ts';
import type { Statements } from '../../sql/connection.ts';
import type { UsageChunk } from '../../sql/dialect.ts';
import { firstRowsAs, sql } from '../../sql/sql.ts';
import { usageKeysTable, usageUnitsTable } from './usage.ts';

export function unitsOf({ submissions }: UsageChunk): readonly string[] {
  const names = new Set<string>();
  for (const { points } of submissions) for (const { unit } of points) names.add(unit);
  return [...names].sort();
}

/** Adds missing unit names. Waits for other transactions that are adding the same names. */
export async function addUnits(
  statements: Statements,
  tenantRecordId: number,
  names: readonly string[],
): Promise<void> {
  const rows = names.map((name) => usageUnitsTable.encode(tenantRecordId, { name }));
  await statements.run(sql`
    insert into bw_usage_units (tenant_record_id, name)
    select tenant_record_id, name from ${firstRowsAs('r', usageUnitsTable.written, rows)} where true
    on conflict (tenant_record_id, name) do nothing`);
}

export function keyCells({ tenantRecordId }: UsageChunk, submission: UsageSubmission): readonly Cell[] {
  const { subscriptionRecordId, trackingId, fingerprint, createdBy, createdDate } = submission;
  return usageKeysTable.encode(tenantRecordId, {
    subscriptionRecordId,
    trackingId,
    fingerprint,
    ...daysOf(submission),
    createdBy,
    createdDate,
    voidedDate: null,
  });
}

function daysOf({ points }: UsageSubmission) {
  const [first] = points;
  assertInvariant(first, 'A usage submission has no points');
  let { localDate: firstDay, localDate: lastDay } = first;
  for (const { localDate } of points) {
    firstDay = minDate(firstDay, localDate);
    lastDay = maxDate(lastDay, localDate);
  }
  return { firstDay, lastDay };
}
