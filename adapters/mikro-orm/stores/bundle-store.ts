import type { BundleReads, BundleSearch, BundleWrites } from '../../../lib/ports/storage/index.ts';
import type { Bundle, Page } from '../../../lib/records/index.ts';
import { bundleAudit } from '../audit/audited-records.ts';
import { insertAudited, updateAudited, type WriteScope } from '../audit/audited-writes.ts';
import { clauseConditions } from '../sql/search-conditions.ts';
import { isIn, nothing, type Sql, sql } from '../sql/sql.ts';
import {
  haveIds,
  ofAccount,
  ofAccounts,
  page,
  select,
  selectByIds,
  type TenantScope,
} from '../tables/record-access.ts';
import { bundlesTable, type StoredBundle } from '../tables/subscriptions.ts';

export function bundleReads(scope: TenantScope): BundleReads {
  const find = async (condition: Sql): Promise<readonly Bundle[]> =>
    (await select(scope, bundlesTable, condition)).map(bundleOf);
  const pageOf = async (options: Parameters<typeof page>[2]): Promise<Page<Bundle>> => {
    const found = await page(scope, bundlesTable, options);
    return { ...found, rows: found.rows.map(bundleOf) };
  };
  return {
    findBundlesByIds: async (ids) => (await selectByIds(scope, bundlesTable, ids)).map(bundleOf),
    findBundlesByKeys: async (keys) =>
      keys.length === 0 ? [] : find(sql`${isIn('external_key', 'text', keys)}`),
    findBundlesByPastKeys: async (keys) => (keys.length === 0 ? [] : find(havePastKeys(scope, keys))),
    findBundlesByAccounts: async (accountIds) =>
      accountIds.length === 0 ? [] : find(ofAccounts(scope, accountIds)),
    pageBundlesOfAccount: async (accountId, request) =>
      pageOf({ request, within: sql`and ${ofAccount(scope, accountId)}` }),
    pageBundles: async (request) => pageOf({ request }),
    searchBundles: async (search, request) =>
      pageOf({
        request,
        within: searchCondition(scope, search),
        among: nothing,
        isSought: search.kind === 'text',
      }),
  };
}

export function bundleWrites(scope: WriteScope): BundleWrites {
  const { userName, createdDate } = scope.authorship;
  const kind = { table: bundlesTable, audit: bundleAudit };
  const written = { updatedBy: userName, updatedDate: createdDate };
  return {
    insertBundles: async (bundles) => {
      const stored = bundles.map(
        (bundle): StoredBundle => ({
          ...bundle,
          createdBy: userName,
          updatedBy: userName,
          updatedDate: bundle.createdDate,
        }),
      );
      await insertAudited(scope, kind, stored);
    },
    keepBundleKeys: async (bundleIds) => {
      if (bundleIds.length === 0) return;
      await scope.runner.run(sql`
        insert into bw_former_bundle_keys (tenant_record_id, account_record_id, bundle_id, external_key)
        select tenant_record_id, account_record_id, id, external_key from bw_bundles
        where ${haveIds(scope, bundleIds)} on conflict do nothing`);
    },
    setBundleKeys: async (changes) =>
      updateAudited(scope, kind, {
        properties: ['externalKey', 'retiredKey', 'updatedBy', 'updatedDate'],
        records: changes.map(({ id, externalKey, retiredKey }) => ({
          id,
          externalKey,
          retiredKey,
          ...written,
        })),
      }),
  };
}

/**
 * Each of the two finds its rows by its own index; for a plain `union` SQLite would walk through all bundles of the
 * tenant.
 */
function havePastKeys(scope: TenantScope, keys: readonly string[]): Sql {
  const { tenantRecordId } = scope;
  return sql`record_id in (
    select record_id from bw_bundles
    where tenant_record_id = ${tenantRecordId} and ${isIn('external_key', 'text', keys)}
    union all select b.record_id from bw_former_bundle_keys f join bw_bundles b on b.id = f.bundle_id
    where f.tenant_record_id = ${tenantRecordId} and ${isIn('f.external_key', 'text', keys)})`;
}

function searchCondition(scope: TenantScope, search: BundleSearch): Sql {
  if (search.kind === 'clauses') return clauseConditions(search.clauses);
  const { id, text } = search;
  const ofTenant = sql`select record_id from bw_bundles where tenant_record_id = ${scope.tenantRecordId}`;
  const byKey = sql`${ofTenant} and external_key = ${text}`;
  if (id === null) return sql`and record_id in (${byKey})`;
  // Each of the three finds its rows by an index of its own.
  return sql`and record_id in (${byKey} union select record_id from bw_bundles where ${haveIds(scope, [id])}
    union ${ofTenant} and ${ofAccount(scope, id)})`;
}

function bundleOf({
  createdBy: _createdBy,
  updatedBy: _updatedBy,
  updatedDate: _updatedDate,
  ...bundle
}: StoredBundle & { readonly recordId: number }): Bundle {
  return bundle;
}
