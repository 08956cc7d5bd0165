import type { UsageReads } from '../../../../lib/ports/storage/index.ts';
import type { Page, PageRequest } from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { MAX_COUNTED_RECORDS } from '../../../../lib/values/limits.ts';
import { type Cell, type Column, numberOf, textOf } from '../../sql/columns.ts';
import { firstRowsAs, isIn, raw, type Sql, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { usageIntervalsTable } from '../../tables/usage/usage-intervals.ts';
import { isInRange, pointRangeColumns, rangeCells } from './part-of-day.ts';

const rangeColumns: readonly Column[] = [
  { name: 'invoice', type: 'bigint', nullable: false },
  { name: 'subscription_id', type: 'uuid', nullable: false },
  ...pointRangeColumns,
  // Null = not yet.
  { name: 'billed_at', type: 'bigint', nullable: true },
];

/** The tracking ids of the points that intervals have consumed; those that were void by then are left out. */
export async function trackingIdsOf(
  scope: TenantScope,
  invoiceIds: readonly Uuid[],
  limit: number,
): Promise<ReadonlyMap<Uuid, readonly string[]>> {
  const { ranges, supplied } = await billedOf(scope, invoiceIds);
  const found = await trackingIdsIn(scope, ranges, limit);
  return new Map(
    invoiceIds.flatMap((id, index) => {
      const ids = new Set([...(found.get(index) ?? []), ...(supplied.get(index) ?? [])]);
      return ids.size === 0 ? [] : [[id, [...ids].slice(0, limit)] as const];
    }),
  );
}

/** The tracking ids of these points of subscriptions. */
export async function trackingIdsOfPoints(
  scope: TenantScope,
  points: Parameters<UsageReads['trackingIdsOfPoints']>[0],
  limit: number,
): Promise<readonly string[]> {
  const rows = points.flatMap(({ subscriptionId, ranges }) =>
    ranges.map((range) => [0, subscriptionId, ...rangeCells(range), null]),
  );
  return (await trackingIdsIn(scope, rows, limit)).get(0) ?? [];
}

/** From the last one on for a negative limit. Those that sources have told come after those that were recorded. */
export async function pageOfTrackingIds(
  scope: TenantScope,
  invoiceId: Uuid,
  request: PageRequest,
): Promise<Page<string>> {
  const { ranges, supplied } = await billedOf(scope, [invoiceId]);
  const told = supplied.get(0) ?? [];
  if (told.length > 0) {
    const recorded = (await trackingIdsIn(scope, ranges, MAX_COUNTED_RECORDS)).get(0) ?? [];
    return pageOf([...new Set([...recorded, ...told])], request);
  }
  return ranges.length === 0 ? pageOf([], request) : pageOfRecorded(scope, ranges, request);
}

async function pageOfRecorded(
  scope: TenantScope,
  ranges: readonly (readonly Cell[])[],
  { offset, limit }: PageRequest,
): Promise<Page<string>> {
  const { runner } = scope;
  const billed = billedKeys(scope, ranges);
  const direction = raw(limit < 0 ? 'desc' : 'asc');
  const rows: string[] = [];
  await runner.read(
    sql`
    select tracking_id from (${billed}) billed
    order by key_record_id ${direction} limit ${Math.abs(limit)} offset ${offset}`,
    ({ tracking_id }) => {
      rows.push(textOf(tracking_id, 'tracking_id'));
    },
  );
  const [counted] = await runner.rows(sql`
    select count(*) as total from (select 1 from (${billed}) billed limit ${MAX_COUNTED_RECORDS + 1}) counted`);
  const total = numberOf(counted?.total ?? 0, 'total');
  return { rows, total, max: total };
}

function pageOf(ids: readonly string[], { offset, limit }: PageRequest): Page<string> {
  const ordered = limit < 0 ? ids.toReversed() : ids;
  return { rows: ordered.slice(offset, offset + Math.abs(limit)), total: ids.length, max: ids.length };
}

/** By the number of the invoice, at most so many of each. */
async function trackingIdsIn(
  scope: TenantScope,
  ranges: readonly (readonly Cell[])[],
  limit: number,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const found = new Map<number, string[]>();
  if (ranges.length === 0) return found;
  await scope.runner.read(
    sql`
    select invoice, tracking_id from (
      select invoice, key_record_id, tracking_id, row_number() over (partition by invoice order by key_record_id) as place
      from (${billedKeys(scope, ranges)}) as billed
    ) as placed where place <= ${limit} order by invoice, key_record_id`,
    ({ invoice, tracking_id }) => {
      const index = numberOf(invoice, 'invoice');
      const own = found.get(index) ?? [];
      own.push(textOf(tracking_id, 'tracking_id'));
      found.set(index, own);
    },
  );
  return found;
}

/** The tracking ids, each once, of the submissions whose points these are; those that were void by then are left out. */
function billedKeys(scope: TenantScope, ranges: readonly (readonly Cell[])[]): Sql {
  return sql`
    select invoice, tracking_id, min(key_record_id) as key_record_id
    from (${storedKeys(scope, ranges)} union all ${archivedKeys(scope, ranges)}) told
    group by invoice, tracking_id`;
}

function storedKeys({ tenantRecordId }: TenantScope, ranges: readonly (readonly Cell[])[]): Sql {
  return sql`
    select r.invoice, k.tracking_id, k.record_id as key_record_id
    from ${firstRowsAs('r', rangeColumns, ranges)} cross join bw_subscriptions s cross join bw_usage_units unit
      cross join bw_usage_points p cross join bw_usage_keys k
    where s.tenant_record_id = ${tenantRecordId} and s.id = r.subscription_id
      and unit.tenant_record_id = ${tenantRecordId} and unit.name = r.unit
      and p.tenant_record_id = ${tenantRecordId} and p.subscription_record_id = s.record_id
      and p.local_date = r.local_date and p.unit_record_id = unit.record_id
      and ${raw(isInRange)}
      and k.record_id = p.key_record_id and k.tenant_record_id = ${tenantRecordId}
      and (k.voided_date is null or k.voided_date > r.billed_at)`;
}

/** The same of points that are archived. */
function archivedKeys({ runner, tenantRecordId }: TenantScope, ranges: readonly (readonly Cell[])[]): Sql {
  return sql`
    select r.invoice, one.value->>1, cast(one.value->>0 as bigint)
    from ${firstRowsAs('r', rangeColumns, ranges)} cross join bw_subscriptions s cross join bw_usage_units unit
      cross join bw_usage_archived_ids a cross join ${raw(runner.dialect.elementsOf('a.tracking_ids', 'one'))}
    where s.tenant_record_id = ${tenantRecordId} and s.id = r.subscription_id
      and unit.tenant_record_id = ${tenantRecordId} and unit.name = r.unit
      and a.tenant_record_id = ${tenantRecordId} and a.subscription_record_id = s.record_id
      and a.local_date = r.local_date and a.unit_record_id = unit.record_id
      and a.after_ordinal >= r.after_ordinal and a.up_to_ordinal <= r.up_to_ordinal
      and (r.of_day is null or (r.start_at is null and a.part = 'DAY_POINTS')
        or (a.start_at >= r.start_at and a.end_at <= r.end_at))
      and (one.value->>2 is null or cast(one.value->>2 as bigint) > r.billed_at)`;
}

interface BilledUsage {
  /** The consumed points, with the number of their invoice. */
  readonly ranges: readonly (readonly Cell[])[];
  /** By the number of the invoice, the tracking ids that usage sources have told. */
  readonly supplied: ReadonlyMap<number, readonly string[]>;
}

async function billedOf(scope: TenantScope, invoiceIds: readonly Uuid[]): Promise<BilledUsage> {
  const ranges: (readonly Cell[])[] = [];
  const told = new Map<number, string[]>();
  if (invoiceIds.length === 0) return { ranges, supplied: told };
  const { invoiceId, subscriptionId, consumed, supplied, createdDate } = usageIntervalsTable.fields;
  const wanted = ['invoiceId', 'subscriptionId', 'consumed', 'supplied', 'createdDate'] as const;
  const columns = usageIntervalsTable.columnsOf(wanted).map(({ name }) => `u.${name}`);
  const rows = await scope.runner.rows(sql`
    select ${raw(columns.join(', '))}
    from bw_usage_intervals u join bw_invoices v on v.tenant_record_id = u.tenant_record_id and v.id = u.invoice_id
    where u.tenant_record_id = ${scope.tenantRecordId} and ${isIn('u.invoice_id', 'uuid', invoiceIds)}
      and v.status <> 'VOID'`);
  const indexOf = new Map(invoiceIds.map((id, index) => [id, index]));
  for (const row of rows) {
    const index = indexOf.get(invoiceId.read(row) as Uuid);
    if (index === undefined) continue;
    const ids = supplied.read(row)?.trackingIds ?? [];
    if (ids.length > 0) told.set(index, [...(told.get(index) ?? []), ...ids]);
    const billedAt = createdDate.read(row);
    for (const range of consumed.read(row)) {
      ranges.push([index, subscriptionId.read(row), ...rangeCells(range), billedAt]);
    }
  }
  return { ranges, supplied: told };
}
