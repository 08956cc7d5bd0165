import type { SubscriptionReads, SubscriptionWrites } from '../../../lib/ports/storage/index.ts';
import type { BlockingState } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { blockingStateAudit, lifecycleEventAudit, subscriptionAudit } from '../audit/audited-records.ts';
import { insertAudited, updateAudited, type WriteScope } from '../audit/audited-writes.ts';
import { textOf } from '../sql/columns.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import {
  haveIds,
  ofAccounts,
  select,
  selectByIds,
  selectOrdered,
  type TenantScope,
} from '../tables/record-access.ts';
import {
  blockingStatesTable,
  IS_BLOCK,
  lifecycleEventsTable,
  subscriptionsTable,
} from '../tables/subscriptions.ts';
import { bundleReads, bundleWrites } from './bundle-store.ts';

export function subscriptionReads(scope: TenantScope): SubscriptionReads {
  return {
    ...bundleReads(scope),
    findByIds: async (ids) => selectByIds(scope, subscriptionsTable, ids),
    findByKeys: async (keys) => select(scope, subscriptionsTable, isIn('external_key', 'text', keys)),
    findByBundles: async (bundleIds) =>
      select(scope, subscriptionsTable, isIn('bundle_id', 'uuid', bundleIds)),
    findEvents: async (subscriptionIds) =>
      subscriptionIds.length === 0
        ? []
        : selectOrdered(scope, lifecycleEventsTable, {
            condition: sql`${isIn('subscription_id', 'uuid', subscriptionIds)} and is_active`,
            order: 'subscription_id, effective, sequence, record_id',
          }),
    findWithdrawnEvents: async (subscriptionIds) =>
      subscriptionIds.length === 0
        ? []
        : selectOrdered(scope, lifecycleEventsTable, {
            condition: sql`${isIn('subscription_id', 'uuid', subscriptionIds)} and not is_active`,
            order: 'subscription_id, sequence, record_id',
          }),
    findEventsByIds: async (ids) => selectByIds(scope, lifecycleEventsTable, ids),
    findBlockingStates: async (blockedIds) =>
      blockedIds.length === 0
        ? []
        : selectOrdered(scope, blockingStatesTable, {
            condition: sql`${isIn('blocked_id', 'uuid', blockedIds)} and is_active`,
            order: 'effective, sequence, record_id',
          }),
    pageBlockingStates: async (blockedIds, { after, limit }) =>
      blockedIds.length === 0
        ? []
        : selectOrdered(scope, blockingStatesTable, {
            condition: sql`${isIn('blocked_id', 'uuid', blockedIds)} and is_active ${behind(after)}`,
            order: 'effective, sequence, record_id',
            limit,
          }),
    findBlocksOfAccounts: async (accountIds) =>
      accountIds.length === 0
        ? []
        : selectOrdered(scope, blockingStatesTable, {
            condition: sql`${ofAccounts(scope, accountIds)} and ${raw(IS_BLOCK)}`,
            order: 'effective, record_id',
          }),
    findLatestBlockingStates: async (accountIds, of) =>
      selectByIds(scope, blockingStatesTable, await latestOf(scope, accountIds, of)),
  };
}

/** Their ids: one probe of the index for each account, backwards from the instant, however long its history is. */
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
    from bw_accounts account where ${haveIds(scope, accountIds)}`);
  return rows.flatMap(({ latest }) => (latest === null ? [] : (textOf(latest, 'latest') as Uuid)));
}

function behind(state: BlockingState | null): Sql {
  if (state === null) return nothing;
  const { effective, sequence, recordId } = state;
  return sql`and (effective, sequence, record_id) > (${effective.at}, ${sequence}, ${recordId})`;
}

export function subscriptionWrites(scope: WriteScope): SubscriptionWrites {
  return {
    ...bundleWrites(scope),
    insertSubscriptions: async (subscriptions) =>
      insertAudited(scope, { table: subscriptionsTable, audit: subscriptionAudit }, subscriptions),
    insertEvents: async (events) =>
      insertAudited(scope, { table: lifecycleEventsTable, audit: lifecycleEventAudit }, events),
    setEventActivity: async (changes) =>
      updateAudited(
        scope,
        { table: lifecycleEventsTable, audit: lifecycleEventAudit },
        { properties: ['isActive', 'deactivatedBy'], records: changes },
      ),
    insertBlockingStates: async (states) =>
      insertAudited(scope, { table: blockingStatesTable, audit: blockingStateAudit }, states),
    withdrawBlockingStates: async (stateIds) =>
      updateAudited(
        scope,
        { table: blockingStatesTable, audit: blockingStateAudit },
        { properties: ['isActive'], records: stateIds.map((id) => ({ id, isActive: false })) },
      ),
    setChargedThrough: async (changes) =>
      updateAudited(
        scope,
        { table: subscriptionsTable, audit: subscriptionAudit },
        {
          properties: ['chargedThrough'],
          records: changes.map(({ subscriptionId, chargedThrough }) => ({
            id: subscriptionId,
            chargedThrough,
          })),
        },
      ),
  };
}
