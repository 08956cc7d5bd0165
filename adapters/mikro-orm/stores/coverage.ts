import type { InvoiceReads } from '../../../lib/ports/storage/index.ts';
import type { CoverageRow } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { MIN_YEAR } from '../../../lib/values/limits.ts';
import { formatLocalDate, localDate } from '../../../lib/values/time/index.ts';
import type { Column } from '../sql/columns.ts';
import { firstRowsAs, raw, type Sql, sql } from '../sql/sql.ts';
import { coverageTable } from '../tables/invoices.ts';
import { haveIds, recordColumns, type TenantScope } from '../tables/record-access.ts';

// A statement names the kind of the rows that it looks for: each kind has its own index by subscription and date, and
// rows of an item are found along its subscription. An index by item would have to be written with each charge of a run.
// SQLite keeps the order of a cross join: from the given rows to what is stored for them, not along the whole tenant. The
// given rows carry the tenant, so that no walk along it seems as cheap to PostgreSQL before it has counted what there is.

const windowColumns: readonly Column[] = [
  { name: 'subscription_id', type: 'uuid', nullable: false },
  { name: 'from_date', type: 'date', nullable: false },
];

const firstDay = localDate(MIN_YEAR, 1, 1);

/**
 * Start of the last row that had begun when the window opens: rows of a subscription do not overlap, so none before it
 * reaches into the window. This saves an index by end date, which would have to be written with each charge of a run.
 */
const lastBegun = `coalesce((
  select p.start_date from bw_coverage p
  where p.tenant_record_id = w.tenant_record_id and p.subscription_id = w.subscription_id and p.kind = 'RECURRING'
    and p.start_date <= w.from_date
  order by p.start_date desc limit 1), w.from_date)`;

export async function loadCoverage(
  scope: TenantScope,
  windows: Parameters<InvoiceReads['loadCoverage']>[0],
): Promise<readonly CoverageRow[]> {
  if (windows.length === 0) return [];
  const given = firstRowsAs(
    'g',
    windowColumns,
    windows.map(({ subscriptionId, from }) => [subscriptionId, formatLocalDate(from ?? firstDay)]),
  );
  const inWindow = (condition: string): Sql => sql`
    select ${raw(recordColumns(scope, coverageTable, 'c'))} from r cross join bw_coverage c
    where c.tenant_record_id = r.tenant_record_id and c.subscription_id = r.subscription_id and ${raw(condition)}`;
  return scope.runner.read(
    sql`
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
    order by record_id`,
    (row) => coverageTable.decode(row),
  );
}

export async function loadCoverageOfItems(
  scope: TenantScope,
  itemIds: readonly Uuid[],
): Promise<readonly CoverageRow[]> {
  if (itemIds.length === 0) return [];
  return scope.runner.read(
    sql`select * from (${ofItems(scope, itemIds, recordColumns(scope, coverageTable, 'c'))}) as found
      order by record_id`,
    (row) => coverageTable.decode(row),
  );
}

export async function deleteCoverageOfItems(scope: TenantScope, itemIds: readonly Uuid[]): Promise<void> {
  if (itemIds.length === 0) return;
  await scope.runner.run(sql`
    delete from bw_coverage where tenant_record_id = ${scope.tenantRecordId}
      and record_id in (select record_id from (${ofItems(scope, itemIds, 'c.record_id')}) as found)`);
}

/** The rows of these items, which lie within their periods. */
function ofItems(scope: TenantScope, itemIds: readonly Uuid[], columns: string): Sql {
  const ofKind = (condition: string): Sql => sql`
    select ${raw(columns)} from i cross join bw_coverage c
    where c.tenant_record_id = i.tenant_record_id and c.subscription_id = i.subscription_id
      and c.item_id = i.id and ${raw(condition)}`;
  return sql`
    with i as materialized (
      select tenant_record_id, id, subscription_id, start_date, end_date from bw_invoice_items
      where ${haveIds(scope, itemIds)}
    )
    ${ofKind(`c.kind = 'RECURRING' and c.start_date >= i.start_date and c.start_date < i.end_date`)}
    union all ${ofKind(`c.kind = 'FIXED' and c.start_date = i.start_date`)}
    union all ${ofKind(`c.kind = 'FREE' and c.start_date = i.start_date`)}`;
}
