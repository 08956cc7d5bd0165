import type { InvoiceReads } from '../../../lib/ports/storage/index.ts';
import { itemTypesWith } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { MIN_YEAR } from '../../../lib/values/limits.ts';
import { formatLocalDate, localDate } from '../../../lib/values/time/index.ts';
import { dateIn, idIn, inputColumns, orNullIn } from '../sql/columns.ts';
import { firstRowsAs, isIn, literals, type RawText, raw, sql } from '../sql/sql.ts';
import { coverageTable } from '../tables/invoices.ts';
import type { TenantScope } from '../tables/record-access.ts';

// Each condition names a kind, because each kind has its own index by subscription and date. Items are found by their
// subscription, because an index by item would have to be updated with each charge. SQLite keeps the order of a cross
// join, which starts from the given rows. The rows contain the tenant, so that PostgreSQL does not scan the tenant's
// rows before it has statistics.

const windowColumns = inputColumns({ subscription_id: 'uuid', from_date: 'date' });

const firstDay = localDate(MIN_YEAR, 1, 1);

/**
 * SQL for the start of the last row that begins before the window. Earlier rows end before the window, because the rows
 * of a subscription do not overlap. An index by end date would have to be updated with each charge.
 */
const lastBegun = `coalesce((
  select p.start_date from bw_coverage p
  where p.tenant_record_id = w.tenant_record_id and p.subscription_id = w.subscription_id and p.kind = 'RECURRING'
    and p.start_date <= w.from_date
  order by p.start_date desc limit 1), w.from_date)`;

export function coverageReads(
  scope: TenantScope,
): Pick<InvoiceReads, 'loadCoverage' | 'loadCoverageOfItems' | 'lastCharges'> {
  return {
    loadCoverage: async (windows) => {
      if (windows.length === 0) return [];
      const given = firstRowsAs(
        'g',
        windowColumns,
        windows.map(({ subscriptionId, from }) => [subscriptionId, formatLocalDate(from ?? firstDay)]),
      );
      const inWindow = (condition: string) => sql`
        select ${scope.columns(coverageTable, 'c')} from r cross join bw_coverage c
        where c.tenant_record_id = r.tenant_record_id and c.subscription_id = r.subscription_id and ${raw(condition)}`;
      return scope.runner.readAs(coverageTable)`
        with w as materialized (
          select cast(${scope.tenantRecordId} as bigint) as tenant_record_id, g.* from ${given}
        ), r as materialized (
          select w.*, ${raw(lastBegun)} as begun_date from w
        )
        select * from (
          ${inWindow(`c.kind = 'RECURRING' and c.start_date >= r.begun_date and c.end_date > r.from_date`)}
          union all ${inWindow(`c.kind = 'FIXED' and c.start_date >= r.from_date`)}
          union all ${inWindow(`c.kind = 'FREE' and c.start_date >= r.from_date`)}
        ) as found
        order by record_id`;
    },
    loadCoverageOfItems: async (itemIds) => {
      if (itemIds.length === 0) return [];
      return scope.runner.readAs(coverageTable)`
        select * from (${ofItems(scope, itemIds, scope.columns(coverageTable, 'c'))}) as found
          order by record_id`;
    },
    lastCharges: async (subscriptionIds, sinceItem) => lastCharges(scope, subscriptionIds, sinceItem),
  };
}

export async function deleteCoverageOfItems(scope: TenantScope, itemIds: readonly Uuid[]): Promise<void> {
  if (itemIds.length === 0) return;
  await scope.runner.run(sql`
    delete from bw_coverage where ${scope.ofTenant}
      and record_id in (select record_id from (${ofItems(scope, itemIds, raw('c.record_id'))}) as found)`);
}

/** Selects the rows of these items. Each row is within the period of its item. */
function ofItems(scope: TenantScope, itemIds: readonly Uuid[], columns: RawText) {
  const ofKind = (condition: string) => sql`
    select ${columns} from i cross join bw_coverage c
    where c.tenant_record_id = i.tenant_record_id and c.subscription_id = i.subscription_id
      and c.item_id = i.id and ${raw(condition)}`;
  return sql`
    with i as materialized (
      select tenant_record_id, id, subscription_id, start_date, end_date from bw_invoice_items
      where ${scope.haveIds(itemIds)}
    )
    ${ofKind(`c.kind = 'RECURRING' and c.start_date >= i.start_date and c.start_date < i.end_date`)}
    union all ${ofKind(`c.kind = 'FIXED' and c.start_date = i.start_date`)}
    union all ${ofKind(`c.kind = 'FREE' and c.start_date = i.start_date`)}`;
}

/**
 * Returns SQL for the last RECURRING days in force on a COMMITTED invoice. The days of a subscription do not overlap.
 */
const ofLastDays = (columns: string) => `(
  select ${columns}
  from bw_coverage c join bw_invoice_items i on i.id = c.item_id join bw_invoices v on v.id = i.invoice_id
  where c.tenant_record_id = s.tenant_record_id and c.subscription_id = s.id and c.kind = 'RECURRING'
    and v.status = 'COMMITTED'
  order by c.start_date desc limit 1)`;

/** SQL for the first item, per subscription, of the run that billed the last days in force. */
const firstItemToRead = `min(coalesce((
  select min(f.record_id) from ${ofLastDays('v.id, v.group_id')} as l
  cross join bw_invoice_items f
  where f.tenant_record_id = s.tenant_record_id and f.invoice_id in (l.id, l.group_id)), 0))`;

/**
 * Returns the last charge of each subscription. Scans the items of the accounts, because an index by subscription would
 * be written with each charge. The scan starts at the run that billed the latest days still in force, so that the cost
 * does not grow with the history. All invoices of one run count as one charge, as does usage without an item.
 * `inForceThrough` includes days that were repaired after the last charge.
 */
async function lastCharges(
  scope: TenantScope,
  subscriptionIds: readonly Uuid[],
  sinceItem: number | null = null,
): ReturnType<InvoiceReads['lastCharges']> {
  if (subscriptionIds.length === 0) return [];
  const tenant = scope.tenantRecordId;
  const isRequested = (column: string) => isIn(column, 'uuid', subscriptionIds);
  return scope.runner.readAs((row) => ({
    subscriptionId: idIn(row, 'subscription_id'),
    start: dateIn(row, 'last_start'),
    end: orNullIn(row, 'last_end', dateIn),
    inForceThrough: orNullIn(row, 'in_force_through', dateIn),
  }))`
    with s as materialized (
      select tenant_record_id, account_record_id, id from bw_subscriptions where ${scope.haveIds(subscriptionIds)}
    ), a as materialized (
      select tenant_record_id, account_record_id, ${sinceItem === null ? raw(firstItemToRead) : sql`cast(${sinceItem} as bigint)`} as since
      from s group by tenant_record_id, account_record_id
    ), charges as materialized (
      select i.subscription_id, v.group_id, i.created_date, i.record_id, i.item_type,
        coalesce(i.start_date, i.end_date) as start_date, i.end_date
      from a cross join bw_invoice_items i join bw_invoices v on v.id = i.invoice_id
      where i.tenant_record_id = a.tenant_record_id and i.account_record_id = a.account_record_id
        and i.record_id >= a.since and i.item_type in ${literals(itemTypesWith('chargesPlan'))}
        and ${isRequested('i.subscription_id')} and v.status = 'COMMITTED' and not v.is_migration
        and coalesce(i.start_date, i.end_date) is not null
      union all
      select u.subscription_id, v.group_id, u.created_date, 0, 'USAGE', u.starts_at_local, u.ends_at_local
      from bw_usage_intervals u left join bw_invoices v on v.id = u.invoice_id
      where u.tenant_record_id = ${tenant} and ${isRequested('u.subscription_id')}
        and (u.invoice_id is null or v.status = 'COMMITTED')
    ), repairs as materialized (
      select i.subscription_id, w.group_id, r.record_id, r.end_date
      from a cross join bw_invoice_items r join bw_invoices w on w.id = r.invoice_id
      join bw_invoice_items i on i.id = r.linked_item_id join bw_invoices v on v.id = i.invoice_id
      where r.tenant_record_id = a.tenant_record_id and r.account_record_id = a.account_record_id
        and r.record_id >= a.since and r.item_type = 'REPAIR_ADJ' and w.status <> 'VOID' and not w.is_migration
        and i.item_type = 'RECURRING' and ${isRequested('i.subscription_id')} and v.status = 'COMMITTED'
    ), last as (
      select c.*, row_number() over (
        partition by subscription_id order by created_date desc, record_id desc) as place
      from charges c
    ), in_force as (
      select s.id as subscription_id, ${raw(ofLastDays('c.end_date'))} as end_date from s
      union all
      select l.subscription_id, r.end_date
      from last l join repairs r on r.subscription_id = l.subscription_id
      where l.place = 1 and r.record_id > l.record_id and r.group_id <> l.group_id
    ), dates as (
      select l.subscription_id, max(c.start_date) as last_start, max(c.end_date) as last_end,
        max(case when c.item_type in ${literals(itemTypesWith('coversDays'))} then 1 else 0 end) as has_price
      from last l join charges c on c.subscription_id = l.subscription_id
      where l.place = 1
        and (c.group_id = l.group_id
          or (c.group_id is null and l.group_id is null and c.created_date = l.created_date))
      group by l.subscription_id
    )
    select d.subscription_id, d.last_start, d.last_end, max(f.end_date) as in_force_through
    from dates d left join in_force f on f.subscription_id = d.subscription_id and d.has_price = 1
    group by d.subscription_id, d.last_start, d.last_end`;
}
