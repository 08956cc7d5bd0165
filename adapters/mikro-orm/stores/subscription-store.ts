import type {
  BundleReads,
  BundleSearch,
  BundleWrites,
  SubscriptionReads,
  SubscriptionWrites,
} from '../../../lib/ports/storage/index.ts';
import type { BlockingState, Bundle, Page } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import {
  blockingStateAudit,
  bundleAudit,
  lifecycleEventAudit,
  subscriptionAudit,
} from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { textOf } from '../sql/columns.ts';
import { clauseConditions } from '../sql/search-conditions.ts';
import { type Condition, isIn, narrowCondition, nothing, raw, sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';
import {
  blockingStatesTable,
  bundlesTable,
  IS_BLOCK,
  lifecycleEventsTable,
  type StoredBundle,
  subscriptionsTable,
} from '../tables/subscriptions.ts';

export function subscriptionReads(scope: TenantScope): SubscriptionReads {
  return {
    ...bundleReads(scope),
    findByIds: async (ids) => scope.selectByIds(subscriptionsTable, ids),
    findByKeys: async (keys) => scope.selectBy(subscriptionsTable, 'externalKey', keys),
    findByBundles: async (bundleIds) => scope.selectBy(subscriptionsTable, 'bundleId', bundleIds),
    findByAccounts: async (accountIds) => scope.select(subscriptionsTable, scope.ofAccounts(accountIds)),
    findEvents: async (subscriptionIds) =>
      scope.selectOrdered(lifecycleEventsTable, {
        condition: narrowCondition(isIn('subscription_id', 'uuid', subscriptionIds), sql`and is_active`),
        order: 'subscription_id, effective, sequence, record_id',
      }),
    findWithdrawnEvents: async (subscriptionIds) =>
      scope.selectOrdered(lifecycleEventsTable, {
        condition: narrowCondition(isIn('subscription_id', 'uuid', subscriptionIds), sql`and not is_active`),
        order: 'subscription_id, sequence, record_id',
      }),
    findEventsByIds: async (ids) => scope.selectByIds(lifecycleEventsTable, ids),
    findBlockingStates: async (blockedIds) =>
      scope.selectOrdered(blockingStatesTable, {
        condition: narrowCondition(isIn('blocked_id', 'uuid', blockedIds), sql`and is_active`),
        order: 'effective, sequence, record_id',
      }),
    pageBlockingStates: async (blockedIds, { after, limit }) =>
      scope.selectOrdered(blockingStatesTable, {
        condition: narrowCondition(
          isIn('blocked_id', 'uuid', blockedIds),
          sql`and is_active ${behind(after)}`,
        ),
        order: 'effective, sequence, record_id',
        limit,
      }),
    findBlocksOfAccounts: async (accountIds) =>
      scope.selectOrdered(blockingStatesTable, {
        condition: narrowCondition(scope.ofAccounts(accountIds), sql`and ${raw(IS_BLOCK)}`),
        order: 'effective, record_id',
      }),
    findLatestBlockingStates: async (accountIds, of) =>
      scope.selectByIds(blockingStatesTable, await latestOf(scope, accountIds, of)),
  };
}

/** Returns the id of each account's latest state. Each account takes one index lookup, however long its history is. */
async function latestOf(
  scope: TenantScope,
  accountIds: readonly Uuid[],
  { service, at }: { readonly service: string; readonly at: Instant },
): Promise<readonly Uuid[]> {
  if (accountIds.length === 0) return [];
  const rows = await scope.runner.rows(sql`
    select (
      select state.id from bw_blocking_states state
      where state.tenant_record_id = ${scope.tenantRecordId} and state.blocked_id = account.id
        and state.effective <= ${at} and state.service = ${service} and state.is_active
      order by state.effective desc, state.sequence desc, state.record_id desc limit 1) as latest
    from bw_accounts account where ${scope.haveIds(accountIds)}`);
  return rows.flatMap(({ latest }) => (latest === null ? [] : (textOf(latest, 'latest') as Uuid)));
}

function behind(state: BlockingState | null) {
  if (state === null) return nothing;
  const { effective, sequence, recordId } = state;
  return sql`and (effective, sequence, record_id) > (${effective.at}, ${sequence}, ${recordId})`;
}

export function subscriptionWrites(scope: WriteScope): SubscriptionWrites {
  return {
    ...bundleWrites(scope),
    insertSubscriptions: async (subscriptions) => scope.insertAudited(subscriptionAudit, subscriptions),
    insertEvents: async (events) => scope.insertAudited(lifecycleEventAudit, events),
    setEventActivity: async (records) =>
      scope.updateAudited(lifecycleEventAudit, { properties: ['isActive', 'deactivatedBy'], records }),
    insertBlockingStates: async (states) => scope.insertAudited(blockingStateAudit, states),
    withdrawBlockingStates: async (stateIds) => {
      const records = stateIds.map((id) => ({ id, isActive: false }));
      await scope.updateAudited(blockingStateAudit, { properties: ['isActive'], records });
    },
    setChargedThrough: async (changes) => {
      const records = changes.map(({ subscriptionId: id, chargedThrough }) => ({ id, chargedThrough }));
      await scope.updateAudited(subscriptionAudit, { properties: ['chargedThrough'], records });
    },
    setAnnouncedTrialEnds: async (records) =>
      scope.update(subscriptionsTable, { properties: ['announcedTrialEnd'], records }),
  };
}

function bundleReads(scope: TenantScope): BundleReads {
  const find = async (condition: Condition): Promise<readonly Bundle[]> =>
    (await scope.select(bundlesTable, condition)).map(bundleOf);
  const pageOf = async (options: Parameters<TenantScope['page']>[1]): Promise<Page<Bundle>> => {
    const found = await scope.page(bundlesTable, options);
    return { ...found, rows: found.rows.map(bundleOf) };
  };
  return {
    findBundlesByIds: async (ids) => (await scope.selectByIds(bundlesTable, ids)).map(bundleOf),
    findBundlesByKeys: async (keys) => find(isIn('external_key', 'text', keys)),
    findBundlesByPastKeys: async (keys) => (keys.length === 0 ? [] : find(havePastKeys(scope, keys))),
    findBundlesByAccounts: async (accountIds) => find(scope.ofAccounts(accountIds)),
    pageBundlesOfAccount: async (accountId, request) =>
      pageOf({ request, within: sql`and ${scope.ofAccount(accountId)}` }),
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

function bundleWrites(scope: WriteScope): BundleWrites {
  const { userName, createdDate } = scope.authorship;
  const written = { updatedBy: userName, updatedDate: createdDate };
  return {
    insertBundles: async (bundles) => {
      const by = { createdBy: userName, updatedBy: userName };
      const stored = bundles.map((bundle) => ({ ...bundle, ...by, updatedDate: bundle.createdDate }));
      await scope.insertAudited(bundleAudit, stored);
    },
    keepBundleKeys: async (bundleIds) => {
      if (bundleIds.length === 0) return;
      await scope.runner.run(sql`
        insert into bw_former_bundle_keys (tenant_record_id, account_record_id, bundle_id, external_key)
        select tenant_record_id, account_record_id, id, external_key from bw_bundles
        where ${scope.haveIds(bundleIds)} on conflict do nothing`);
    },
    setBundleKeys: async (changes) =>
      scope.updateAudited(bundleAudit, {
        properties: ['externalKey', 'retiredKey', 'updatedBy', 'updatedDate'],
        records: changes.map((change) => ({ ...change, ...written })),
      }),
  };
}

/**
 * Returns the condition for bundles that had one of these keys. Each part uses its own index. With a plain `union`,
 * SQLite would scan all bundles of the tenant.
 */
function havePastKeys(scope: TenantScope, keys: readonly string[]) {
  const { tenantRecordId } = scope;
  return sql`record_id in (
    select record_id from bw_bundles
    where tenant_record_id = ${tenantRecordId} and ${isIn('external_key', 'text', keys)}
    union all select b.record_id from bw_former_bundle_keys f join bw_bundles b on b.id = f.bundle_id
    where f.tenant_record_id = ${tenantRecordId} and ${isIn('f.external_key', 'text', keys)})`;
}

function searchCondition(scope: TenantScope, search: BundleSearch) {
  if (search.kind === 'clauses') return clauseConditions(search.clauses);
  const { id, text } = search;
  const ofTenant = sql`select record_id from bw_bundles where ${scope.ofTenant}`;
  const byKey = sql`${ofTenant} and external_key = ${text}`;
  if (id === null) return sql`and record_id in (${byKey})`;
  // Each part uses its own index.
  return sql`and record_id in (${byKey} union select record_id from bw_bundles where ${scope.haveIds([id])}
    union ${ofTenant} and ${scope.ofAccount(id)})`;
}

function bundleOf({
  createdBy: _createdBy,
  updatedBy: _updatedBy,
  updatedDate: _updatedDate,
  ...bundle
}: StoredBundle & { readonly recordId: number }): Bundle {
  return bundle;
}
