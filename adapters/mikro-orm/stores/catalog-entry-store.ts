import type { CatalogEntryReads, CatalogEntryWrites } from '../../../lib/ports/storage/index.ts';
import { ChangeType, EntryKind } from '../../../lib/records/index.ts';
import { isStorable } from '../../../lib/values/text/index.ts';
import { type AuditedTable, catalogEntryAudit, planRowAudit } from '../audit/audited-records.ts';
import type { Audited, WriteScope } from '../audit/audited-writes.ts';
import { textIn } from '../sql/columns.ts';
import { isIn, raw, rowsAs, sql } from '../sql/sql.ts';
import { catalogEntriesTable, planRowsTable } from '../tables/catalogs.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { lifecycleEventsTable } from '../tables/subscriptions.ts';
import type { RevisionsOfSession } from './tenant-settings.ts';

const planNameColumns = lifecycleEventsTable.columnsOf(['planName']);

export function catalogEntryReads(scope: TenantScope): CatalogEntryReads {
  return {
    ofScope: async (accountRecordId) =>
      scope.select(
        catalogEntriesTable,
        accountRecordId === null
          ? sql`account_record_id is null`
          : sql`account_record_id = ${accountRecordId}`,
      ),
    ofAccounts: async (accountIds) => scope.select(catalogEntriesTable, scope.ofAccounts(accountIds)),
    named: async (names) =>
      scope.select(catalogEntriesTable, sql`(${isIn('name', 'text', names)} or kind = ${EntryKind.CATALOG})`),
    childrenOf: async (parentIds) => scope.selectBy(catalogEntriesTable, 'parentId', parentIds),
    rowsOf: async (planNames) =>
      scope.selectOrdered(planRowsTable, {
        condition: isIn('plan_name', 'text', planNames),
        order: 'plan_name, effective_date, created_order',
      }),
    plansChangedSince: async (revision) => {
      return scope.runner.readAs((row) => textIn(row, 'plan_name'))`
        select distinct plan_name from bw_catalog_plan_rows
        where ${scope.ofTenant} and since_revision > ${revision}`;
    },
    existForAccounts: async () => {
      const rows = await scope.runner.rows(sql`
        select 1 from bw_catalog_entries
        where ${scope.ofTenant} and account_record_id is not null limit 1`);
      return rows.length > 0;
    },
    usedPlans: async (planNames) => {
      if (planNames.length === 0) return [];
      const names = planNames.filter(isStorable).map((name) => [name]);
      // This query looks up the first plan name at or after this name in the index.
      // With `exists`, PostgreSQL would scan all events.
      return scope.runner.readAs((row) => textIn(row, 'plan_name'))`
        select n.plan_name from ${rowsAs('n', planNameColumns, names)}
        where n.plan_name = (
          select plan_name from bw_subscription_events
          where ${scope.ofTenant} and plan_name >= n.plan_name
          order by plan_name limit 1)
        or n.plan_name = (
          select o.parent_plan_name from bw_override_plans o
          where o.tenant_record_id = ${scope.tenantRecordId} and o.parent_plan_name = n.plan_name
            and o.plan_name = (
              select plan_name from bw_subscription_events
              where tenant_record_id = o.tenant_record_id and plan_name >= o.plan_name
              order by plan_name limit 1)
          order by o.override_hash limit 1)`;
    },
  };
}

export function catalogEntryWrites(scope: WriteScope, revisions: RevisionsOfSession): CatalogEntryWrites {
  return {
    apply: async ({ addedEntries = [], addedRows = [], erasedEntries = [], erasedRows = [] }) => {
      await erase(scope, catalogEntryAudit, erasedEntries);
      await erase(scope, planRowAudit, erasedRows);
      await scope.insertAudited(catalogEntryAudit, addedEntries);
      const sinceRevision = (await revisions.read()).catalogRevision + 1;
      const rows = addedRows.map((row) => ({ ...row, sinceRevision }));
      await scope.insertAudited(planRowAudit, rows);
      await revisions.set(sql`catalog_revision = catalog_revision + 1`);
    },
  };
}

async function erase<R extends Audited>(
  scope: WriteScope,
  audit: AuditedTable<R>,
  records: readonly (R & { readonly recordId: number })[],
): Promise<void> {
  if (records.length === 0) return;
  const ids = records.map(({ id }) => id);
  await scope.runner.run(sql`delete from ${raw(audit.table.name)} where ${scope.haveIds(ids)}`);
  for (const record of records) scope.noteChange<R>(audit, { record, changeType: ChangeType.DELETE });
}
