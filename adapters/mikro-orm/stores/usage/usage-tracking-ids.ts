import type { InvoiceSelection, UsageReads } from '../../../../lib/ports/storage/index.ts';
import { type Page, type PageRequest, VoidOutcome } from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { MAX_COUNTED_RECORDS } from '../../../../lib/values/limits.ts';
import { formatDecimal } from '../../../../lib/values/money/index.ts';
import type { WriteScope } from '../../audit/audited-writes.ts';
import { type Cell, type CellRows, inputColumns, numberOf, type Row, textOf } from '../../sql/columns.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { firstRowsAs, isIn, raw, rowsAs, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { aggregateColumns, bucketColumns, bucketKey } from '../../tables/usage/usage.ts';
import { usageIntervalsTable } from '../../tables/usage/usage-intervals.ts';
import { areOf } from '../invoice-store.ts';
import { isInRange, isVoided, pointRangeColumns, rangeCells } from './usage-pieces.ts';

const rangeColumns = [
  ...inputColumns({ invoice: 'bigint', subscription_id: 'uuid' }),
  ...pointRangeColumns,
  // null = not billed yet.
  ...inputColumns({ billed_at: 'bigint' }),
];

export function trackingIdReads(
  scope: TenantScope,
): Pick<UsageReads, 'trackingIds' | 'trackingIdsOfPoints' | 'pageOfTrackingIds'> {
  return {
    /**
     * Returns the tracking ids of consumed points. Excludes ids that had already been voided when the points were
     * billed.
     */
    trackingIds: async (of, limitOf) => {
      const { invoiceIds, ranges, supplied } = await loadBilledUsage(scope, of);
      if (ranges.length === 0 && supplied.size === 0) return new Map();
      const limit = await limitOf();
      const found = await trackingIdsIn(scope, ranges, limit);
      return new Map(
        invoiceIds.flatMap((id, index) => {
          const ids = new Set([...(found.get(index) ?? []), ...(supplied.get(index) ?? [])]);
          return ids.size === 0 ? [] : [[id, [...ids].slice(0, limit)] as const];
        }),
      );
    },
    trackingIdsOfPoints: async (points, limit) => {
      const rows = points.flatMap(({ subscriptionId, ranges }) =>
        ranges.map((range) => [0, subscriptionId, ...rangeCells(range), null]),
      );
      return (await trackingIdsIn(scope, rows, limit)).get(0) ?? [];
    },
    /**
     * Returns a page of tracking ids. A negative limit counts from the end. Ids from usage sources come after the
     * recorded ids.
     */
    pageOfTrackingIds: async (invoiceId, request) => {
      const { ranges, supplied } = await loadBilledUsage(scope, [invoiceId]);
      const told = supplied.get(0) ?? [];
      if (told.length > 0) {
        const recorded = (await trackingIdsIn(scope, ranges, MAX_COUNTED_RECORDS)).get(0) ?? [];
        return pageOf([...new Set([...recorded, ...told])], request);
      }
      return ranges.length === 0 ? pageOf([], request) : pageOfRecorded(scope, ranges, request);
    },
  };
}

async function pageOfRecorded(
  scope: TenantScope,
  ranges: CellRows,
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

/** Returns tracking ids by index of the invoice, up to `limit` per invoice. */
async function trackingIdsIn(scope: TenantScope, ranges: CellRows, limit: number) {
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

/**
 * Selects the distinct tracking ids of these points. Excludes ids that had already been voided when the points were
 * billed.
 */
function billedKeys(scope: TenantScope, ranges: CellRows) {
  return sql`
    select invoice, tracking_id, min(key_record_id) as key_record_id
    from (${storedKeys(scope, ranges)} union all ${archivedKeys(scope, ranges)}) told
    group by invoice, tracking_id`;
}

function storedKeys({ tenantRecordId }: TenantScope, ranges: CellRows) {
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

function archivedKeys({ runner, tenantRecordId }: TenantScope, ranges: CellRows) {
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
  /** The invoices with usage. */
  readonly invoiceIds: readonly Uuid[];
  /** The consumed points, each with the index of its invoice. */
  readonly ranges: CellRows;
  /** The tracking ids from usage sources, by index of the invoice. */
  readonly supplied: ReadonlyMap<number, readonly string[]>;
}

async function loadBilledUsage(scope: TenantScope, of: InvoiceSelection): Promise<BilledUsage> {
  const invoiceIds: Uuid[] = [];
  const ranges: (readonly Cell[])[] = [];
  const told = new Map<number, string[]>();
  const areOfInvoices = areOf(scope, 'u.invoice_id', of);
  if (areOfInvoices.isAmongNone) return { invoiceIds, ranges, supplied: told };
  const { invoiceId, subscriptionId, consumed, supplied, createdDate } = usageIntervalsTable.fields;
  const wanted = ['invoiceId', 'subscriptionId', 'consumed', 'supplied', 'createdDate'] as const;
  const columns = usageIntervalsTable.columnsOf(wanted).map(({ name }) => `u.${name}`);
  const rows = await scope.runner.rows(sql`
    select ${raw(columns.join(', '))}
    from bw_usage_intervals u join bw_invoices v on v.tenant_record_id = u.tenant_record_id and v.id = u.invoice_id
    where u.tenant_record_id = ${scope.tenantRecordId} and ${areOfInvoices}
      and v.status <> 'VOID'`);
  const indexOf = new Map<Uuid, number>();
  for (const row of rows) {
    const id = invoiceId.read(row) as Uuid;
    const index = indexOf.get(id) ?? invoiceIds.push(id) - 1;
    indexOf.set(id, index);
    const ids = supplied.read(row)?.trackingIds ?? [];
    if (ids.length > 0) told.set(index, [...(told.get(index) ?? []), ...ids]);
    const billedAt = createdDate.read(row);
    for (const range of consumed.read(row)) {
      ranges.push([index, subscriptionId.read(row), ...rangeCells(range), billedAt]);
    }
  }
  return { invoiceIds, ranges, supplied: told };
}

export async function voidSubmission(
  scope: WriteScope,
  subscriptionRecordId: number,
  trackingId: string,
): Promise<VoidOutcome> {
  const { runner, tenantRecordId } = scope;
  const key = sql`tenant_record_id = ${tenantRecordId} and subscription_record_id = ${subscriptionRecordId}
    and ${isIn('tracking_id', 'text', [trackingId])}`;
  const [voided] = await runner.rows(sql`
    update bw_usage_keys set voided_date = ${sinceRuns(scope, subscriptionRecordId)} where ${key} and voided_date is null
    returning record_id, first_day, last_day`);
  if (voided === undefined) {
    const stored = await runner.rows(sql`select 1 from bw_usage_keys where ${key}`);
    return stored.length > 0 ? VoidOutcome.VOID : VoidOutcome.UNKNOWN;
  }
  const days = await lockDays(scope, subscriptionRecordId, voided);
  const touched = await daysWithPoints(scope, subscriptionRecordId, voided);
  if (isArchived(days, touched)) return VoidOutcome.ARCHIVED;
  await recompute(scope, touched);
  return VoidOutcome.VOID;
}

/**
 * Returns the current time. If a run has billed usage of the subscription in the same millisecond, returns a later
 * time.
 */
function sinceRuns({ tenantRecordId, authorship }: WriteScope, subscriptionRecordId: number) {
  return sql`(select max(moment) from (
    select ${authorship.createdDate} as moment
    union all
    select u.created_date + 1 from bw_subscriptions s join bw_usage_intervals u
      on u.tenant_record_id = s.tenant_record_id and u.subscription_id = s.id
    where s.tenant_record_id = ${tenantRecordId} and s.record_id = ${subscriptionRecordId}) told)`;
}

/** Locks all days of the submission, in the same order as recordings do. */
async function lockDays(
  { runner, tenantRecordId }: TenantScope,
  subscriptionRecordId: number,
  { first_day, last_day }: Row,
): Promise<readonly Row[]> {
  return runner.rows(sql`
    select local_date, archived_count from bw_usage_days
    where tenant_record_id = ${tenantRecordId} and subscription_record_id = ${subscriptionRecordId}
      and local_date between ${textOf(first_day, 'first_day')} and ${textOf(last_day, 'last_day')}
    order by ${raw(bucketKey)} ${raw(runner.dialect.forUpdate)}`);
}

/**
 * Returns the buckets in which the submission has points that are not archived. Takes a lock, so that no points are
 * archived in the meantime.
 */
async function daysWithPoints(
  { runner, tenantRecordId }: TenantScope,
  subscriptionRecordId: number,
  { record_id, first_day, last_day }: Row,
): Promise<CellRows> {
  const touched = await runner.rows(sql`
    select distinct ${raw(bucketKey)} from bw_usage_points
    where tenant_record_id = ${tenantRecordId} and subscription_record_id = ${subscriptionRecordId}
      and local_date between ${textOf(first_day, 'first_day')} and ${textOf(last_day, 'last_day')}
      and key_record_id = ${numberOf(record_id, 'record_id')}`);
  return touched.map(bucketCells);
}

/**
 * Returns true if the submission has archived points. The points of a submission on one day are archived together, so
 * one archived day on which the submission has no points left is sufficient. The result can also be true if only a day
 * between the submission's own days is archived.
 */
function isArchived(days: readonly Row[], touched: CellRows) {
  const left = new Set(touched.map(([, date]) => date));
  return days.some(
    ({ local_date, archived_count }) => archived_count !== null && !left.has(local_date as Cell),
  );
}

/** Computes the totals again. The last ordinal does not change, so that no ordinal is used twice. */
async function recompute({ runner, tenantRecordId }: TenantScope, days: CellRows) {
  const { dialect } = runner;
  const bucket = raw(bucketKey);
  const left = await runner.rows(sql`
    select ${bucket}, ${raw(dialect.aggregate('sum', 'amount_sum'))} as amount_sum,
      ${raw(dialect.aggregate('max', 'amount_max'))} as amount_max, ${raw(dialect.aggregate('min', 'amount_min'))} as amount_min,
      max(recorded_for) as last_recorded_for, max(case when place = 1 then last_amount end) as last_amount
    from (
      select used.*, row_number() over (
        partition by subscription_record_id, local_date, unit_record_id
        order by recorded_for desc, ordinal desc) as place
      from (
        select p.subscription_record_id, p.local_date, p.unit_record_id, p.amount as amount_sum, p.amount as amount_max,
          p.amount as amount_min, p.amount as last_amount, p.recorded_for, p.ordinal
        from ${firstRowsAs('r', bucketColumns, days)} cross join bw_usage_points p
        where p.tenant_record_id = ${tenantRecordId} and ${raw(inBucket('p'))}
          and not ${isVoided('p', tenantRecordId)}
        union all
        select a.subscription_record_id, a.local_date, a.unit_record_id, a.amount_sum, a.amount_max,
          a.amount_min, a.last_amount, a.last_recorded_for, a.up_to_ordinal
        from ${firstRowsAs('r', bucketColumns, days)} cross join bw_usage_archived_pieces a
        where a.tenant_record_id = ${tenantRecordId} and ${raw(inBucket('a'))}
      ) used
    ) counted group by ${bucket}`);
  const leftOf = new Map(left.map((row) => [bucketCells(row).join(' '), row]));
  const rows = days.map((cells) => [...cells, ...aggregatesOf(leftOf.get(cells.join(' ')), dialect)]);
  const changed = [...aggregateColumns.map(({ name }) => `${name} = r.${name}`), 'version = version + 1'];
  await runner.run(sql`
    update bw_usage_days set ${raw(changed.join(', '))}
    from ${rowsAs('r', [...bucketColumns, ...aggregateColumns], rows)}
    where bw_usage_days.tenant_record_id = ${tenantRecordId} and ${raw(inBucket('bw_usage_days'))}`);
}

/** Returns the totals in the order of the columns. If no points remain, returns the totals of an empty day. */
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

function inBucket(alias: string) {
  return bucketColumns.map(({ name }) => `${alias}.${name} = r.${name}`).join(' and ');
}

function bucketCells(row: Row): readonly Cell[] {
  return bucketColumns.map(({ name }) => row[name] as Cell);
}
