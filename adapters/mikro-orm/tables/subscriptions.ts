import {
  type Bundle,
  blockingStateFields,
  bundleFields,
  lifecycleEventFields,
  type New,
  subscriptionFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { bigint, fieldsOf, instantAtOrNull, text, textOrNull, uuid } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A bundle with its authors. Only searches use the authors. */
export type StoredBundle = New<Bundle> & {
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
  readonly updatedDate: Instant | null;
};

const bundleColumns = {
  ...columnsOf(bundleFields),
  ...fieldsOf({ createdBy: textOrNull, updatedBy: textOrNull, updatedDate: instantAtOrNull }),
};

export const bundlesTable = new RecordTable<StoredBundle>('bundles', bundleColumns, {
  uniques: { id: 'id', external_key: 'tenant_record_id, external_key where retired_key is null' },
  violations: {
    external_key: {
      code: ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
      message: (key) => `A bundle with ${key} already exists; choose a different key`,
    },
  },
  indexes: {
    page: 'tenant_record_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
    // The index includes bundles whose key a later bundle has taken over.
    key: 'tenant_record_id, external_key, record_id',
  },
});

/**
 * Former keys of renamed bundles. Each former key of a bundle is stored once, even if the bundle had the key several
 * times.
 */
export const formerBundleKeysTable = new RecordTable(
  'former_bundle_keys',
  fieldsOf({ accountRecordId: bigint, bundleId: uuid, externalKey: text }),
  {
    uniques: { key: 'tenant_record_id, external_key, bundle_id' },
    indexes: { account: 'tenant_record_id, account_record_id, record_id' },
  },
);

export const subscriptionsTable = new RecordTable('subscriptions', columnsOf(subscriptionFields), {
  uniques: { id: 'id', external_key: 'tenant_record_id, external_key' },
  violations: {
    external_key: {
      code: ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
      message: (key) => `A subscription with ${key} already exists; choose a different key`,
    },
  },
  indexes: {
    account: 'tenant_record_id, account_record_id, record_id',
    bundle: 'tenant_record_id, bundle_id, record_id',
  },
});

export const lifecycleEventsTable = new RecordTable('subscription_events', columnsOf(lifecycleEventFields), {
  uniques: {
    id: 'id',
    // A subscription has exactly one active CREATE or TRANSFER (subscriptions §3).
    start: `tenant_record_id, subscription_id where is_active and type in ('CREATE', 'TRANSFER')`,
  },
  indexes: {
    subscription: 'tenant_record_id, subscription_id, effective, sequence',
    // This index shows whether a plan is in use and therefore cannot be deleted. The index also shows which accounts a
    // change of the plan affects.
    of_plan: 'tenant_record_id, plan_name, account_record_id',
  },
});

/**
 * SQL condition for blocking states, without the states that mark the start and end of service. Every subscription has
 * such states.
 */
export const IS_BLOCK = `is_active and state_name <> 'ENT_STARTED' and state_name <> 'ENT_CANCELLED'`;

export const blockingStatesTable = new RecordTable('blocking_states', columnsOf(blockingStateFields), {
  uniques: {
    id: 'id',
    // A subscription has exactly one active ENT_STARTED (subscriptions §3).
    started: `tenant_record_id, blocked_id where is_active and service = 'entitlement-service' and state_name = 'ENT_STARTED'`,
  },
  indexes: {
    blocked: 'tenant_record_id, blocked_id, effective, sequence',
    // Every invoice run reads the blocks of its accounts, and most accounts have no blocks.
    block: `tenant_record_id, account_record_id where ${IS_BLOCK}`,
  },
});
