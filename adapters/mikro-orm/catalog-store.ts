import { assertInvariant } from '../../lib/errors/index.ts';
import { type CatalogReads, type CatalogWrites, ChangeType } from '../../lib/ports/storage/index.ts';
import type { WriteScope } from './audited-writes.ts';
import { type Column, numberOf } from './columns.ts';
import { insert, type TenantScope } from './record-access.ts';
import { raw, sql } from './sql.ts';
import { catalogVersionsTable } from './tables/catalogs.ts';

/** The source text is large and is read only when somebody asks for the upload. */
const withoutSource: { readonly columns: readonly Column[] } = {
  columns: catalogVersionsTable.columns.filter(({ name }) => name !== 'source_text'),
};

export function catalogReads(scope: TenantScope): CatalogReads {
  return {
    versions: async () => {
      const rows = await scope.runner.rows(sql`
        select ${raw(scope.runner.dialect.selectList(withoutSource))} from bw_catalog_versions
        where tenant_record_id = ${scope.tenantRecordId} order by effective_date`);
      return rows.map((row) => {
        const { sourceText: _, ...version } = catalogVersionsTable.decode(row);
        return version;
      });
    },
    revision: async () => {
      const [tenant] = await scope.runner.rows(sql`
        select catalog_revision from bw_tenants where record_id = ${scope.tenantRecordId}`);
      assertInvariant(tenant, `Tenant ${scope.tenantRecordId} does not exist`);
      return numberOf(tenant.catalog_revision, 'catalog_revision');
    },
  };
}

export function catalogWrites(scope: WriteScope): CatalogWrites {
  return {
    lock: async () => {
      await scope.runner.run(sql`
        select record_id from bw_tenants where record_id = ${scope.tenantRecordId}
        ${raw(scope.runner.dialect.forUpdate)}`);
    },
    insert: async (versions) => {
      const [first] = versions;
      assertInvariant(first, 'An upload holds at least one catalog version');
      const recordIds = await insert(scope, catalogVersionsTable, versions);
      versions.forEach((version, index) => {
        scope.changes.add({
          tableName: 'TENANT_KVS',
          changeType: ChangeType.INSERT,
          targetId: version.id,
          targetRecordId: recordIds[index] ?? 0,
          accountRecordId: null,
          snapshot: null,
        });
      });
      await scope.runner.run(sql`
        update bw_tenants set catalog_revision = catalog_revision + 1 where record_id = ${scope.tenantRecordId}`);
      return first.id;
    },
  };
}
