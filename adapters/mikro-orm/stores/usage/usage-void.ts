import { VoidOutcome } from '../../../../lib/records/index.ts';
import { formatDecimal } from '../../../../lib/values/money/index.ts';
import type { WriteScope } from '../../audit/audited-writes.ts';
import { type Cell, numberOf, type Row, textOf } from '../../sql/columns.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { firstRowsAs, isIn, raw, rowsAs, type Sql, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { aggregateColumns, bucketColumns, bucketKey } from '../../tables/usage/usage.ts';
import { isVoided } from './usage-pieces.ts';

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

/** Now, but after every run that has billed something of the subscription: within one millisecond the order counts, too. */
function sinceRuns({ tenantRecordId, authorship }: WriteScope, subscriptionRecordId: number): Sql {
  return sql`(select max(moment) from (
    select ${authorship.createdDate} as moment
    union all
    select u.created_date + 1 from bw_subscriptions s join bw_usage_intervals u
      on u.tenant_record_id = s.tenant_record_id and u.subscription_id = s.id
    where s.tenant_record_id = ${tenantRecordId} and s.record_id = ${subscriptionRecordId}) told)`;
}

/** All days from the first to the last of the submission, in the order in which whoever records takes them. */
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

/** The buckets on which the submission has points that are not archived; nobody archives any meanwhile. */
async function daysWithPoints(
  { runner, tenantRecordId }: TenantScope,
  subscriptionRecordId: number,
  { record_id, first_day, last_day }: Row,
): Promise<readonly (readonly Cell[])[]> {
  const touched = await runner.rows(sql`
    select distinct ${raw(bucketKey)} from bw_usage_points
    where tenant_record_id = ${tenantRecordId} and subscription_record_id = ${subscriptionRecordId}
      and local_date between ${textOf(first_day, 'first_day')} and ${textOf(last_day, 'last_day')}
      and key_record_id = ${numberOf(record_id, 'record_id')}`);
  return touched.map(bucketCells);
}

/**
 * Points of a submission are archived day by day, all of one together: it has archived ones where none is left on a day that
 * has such, and may have them where such a day lies between its own.
 */
function isArchived(days: readonly Row[], touched: readonly (readonly Cell[])[]): boolean {
  const left = new Set(touched.map(([, date]) => date));
  return days.some(
    ({ local_date, archived_count }) => archived_count !== null && !left.has(local_date as Cell),
  );
}

/** Writes anew what the points that are left, and those that are archived, come to; the number of the last one stays, so that no ordinal comes twice. */
async function recompute(
  { runner, tenantRecordId }: TenantScope,
  days: readonly (readonly Cell[])[],
): Promise<void> {
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

function inBucket(alias: string): string {
  return bucketColumns.map(({ name }) => `${alias}.${name} = r.${name}`).join(' and ');
}

function bucketCells(row: Row): readonly Cell[] {
  return bucketColumns.map(({ name }) => row[name] as Cell);
}
