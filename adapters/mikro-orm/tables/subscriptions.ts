import {
  type BlockingState,
  type Bundle,
  blockingStateFields,
  bundleFields,
  type LifecycleEvent,
  lifecycleEventFields,
  type New,
  type Subscription,
  subscriptionFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { bigint, instantAtOrNull, text, textOrNull, uuid } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A bundle with who wrote it, for searches. */
export type StoredBundle = New<Bundle> & {
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
  readonly updatedDate: Instant | null;
};

export const bundlesTable = new RecordTable<StoredBundle>(
  {
    name: 'bundles',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'external_key',
        columns: ['tenant_record_id', 'external_key'],
        where: 'retired_key is null',
        violation: {
          code: ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
          message: 'A bundle with this external key exists already; choose another key',
        },
      },
    ],
    indexes: [
      { name: 'page', columns: ['tenant_record_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
      // Also finds bundles that carried a key before the one that holds it.
      { name: 'key', columns: ['tenant_record_id', 'external_key', 'record_id'] },
    ],
  },
  {
    ...columnsOf(bundleFields),
    createdBy: textOrNull('created_by'),
    updatedBy: textOrNull('updated_by'),
    updatedDate: instantAtOrNull('updated_date'),
  },
);

/** A key that a bundle carried until it was renamed; stored once, however often the bundle carried it. */
export interface FormerBundleKey {
  readonly accountRecordId: number;
  readonly bundleId: Uuid;
  readonly externalKey: string;
}

export const formerBundleKeysTable = new RecordTable<FormerBundleKey>(
  {
    name: 'former_bundle_keys',
    ofTenant: true,
    uniques: [{ name: 'key', columns: ['tenant_record_id', 'external_key', 'bundle_id'] }],
    indexes: [{ name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] }],
  },
  {
    accountRecordId: bigint('account_record_id'),
    bundleId: uuid('bundle_id'),
    externalKey: text('external_key'),
  },
);

export const subscriptionsTable = new RecordTable<New<Subscription>>(
  {
    name: 'subscriptions',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'external_key',
        columns: ['tenant_record_id', 'external_key'],
        violation: {
          code: ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
          message: 'A subscription with this external key exists already; choose another key',
        },
      },
    ],
    indexes: [
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
      { name: 'bundle', columns: ['tenant_record_id', 'bundle_id', 'record_id'] },
    ],
  },
  columnsOf(subscriptionFields),
);

export const lifecycleEventsTable = new RecordTable<New<LifecycleEvent>>(
  {
    name: 'subscription_events',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        // subscriptions §3, storage invariant 2
        name: 'start',
        columns: ['tenant_record_id', 'subscription_id'],
        where: `is_active and type in ('CREATE', 'TRANSFER')`,
      },
    ],
    indexes: [
      { name: 'subscription', columns: ['tenant_record_id', 'subscription_id', 'effective', 'sequence'] },
      // For whether a plan is in use, which forbids its deletion, and for the accounts that a change of the plan
      // concerns.
      { name: 'of_plan', columns: ['tenant_record_id', 'plan_name', 'account_record_id'] },
    ],
  },
  columnsOf(lifecycleEventFields),
);

/** Leaves out the starts and ends of services, which every subscription has. */
export const IS_BLOCK = `is_active and state_name <> 'ENT_STARTED' and state_name <> 'ENT_CANCELLED'`;

export const blockingStatesTable = new RecordTable<New<BlockingState>>(
  {
    name: 'blocking_states',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        // subscriptions §3, storage invariant 6
        name: 'started',
        columns: ['tenant_record_id', 'blocked_id'],
        where: `is_active and service = 'entitlement-service' and state_name = 'ENT_STARTED'`,
      },
    ],
    indexes: [
      { name: 'blocked', columns: ['tenant_record_id', 'blocked_id', 'effective', 'sequence'] },
      // Every invoice run asks for the blocks of its accounts, and most have none.
      { name: 'block', columns: ['tenant_record_id', 'account_record_id'], where: IS_BLOCK },
    ],
  },
  columnsOf(blockingStateFields),
);
