import type { BlockingState, Bundle, LifecycleEvent, New, Subscription } from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import {
  bigint,
  boolean,
  dated,
  datedOrNull,
  instantAt,
  instantAtOrNull,
  integer,
  integerOrNull,
  oneOf,
  oneOfOrNull,
  text,
  textOrNull,
  uuid,
  uuidOrNull,
} from '../sql/columns.ts';
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
    id: uuid('id'),
    accountId: uuid('account_id'),
    accountRecordId: bigint('account_record_id'),
    externalKey: text('external_key'),
    retiredKey: textOrNull('retired_key'),
    originalCreatedDate: instantAt('original_created_date'),
    createdBy: textOrNull('created_by'),
    createdDate: instantAt('created_date'),
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
  {
    id: uuid('id'),
    bundleId: uuid('bundle_id'),
    accountId: uuid('account_id'),
    accountRecordId: bigint('account_record_id'),
    externalKey: text('external_key'),
    category: oneOf('category'),
    alignStart: dated('align_start'),
    bundleStart: dated('bundle_start'),
    chargedThrough: datedOrNull('charged_through'),
    migrated: boolean('migrated'),
    createdDate: instantAt('created_date'),
  },
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
  {
    id: uuid('id'),
    subscriptionId: uuid('subscription_id'),
    accountRecordId: bigint('account_record_id'),
    type: oneOf('type'),
    effective: dated('effective'),
    sequence: integer('sequence'),
    planName: textOrNull('plan_name'),
    phaseName: textOrNull('phase_name'),
    priceListName: textOrNull('price_list_name'),
    phaseAnchor: datedOrNull('phase_anchor'),
    phaseAnchorType: oneOfOrNull('phase_anchor_type'),
    billCycleDay: integerOrNull('bill_cycle_day'),
    quantity: integerOrNull('quantity'),
    reason: textOrNull('reason'),
    isActive: boolean('is_active'),
    deactivatedBy: uuidOrNull('deactivated_by'),
    createdDate: instantAt('created_date'),
  },
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
  {
    id: uuid('id'),
    blockedId: uuid('blocked_id'),
    accountRecordId: bigint('account_record_id'),
    type: oneOf('type'),
    service: text('service'),
    stateName: text('state_name'),
    isBlockChange: boolean('is_block_change'),
    isBlockEntitlement: boolean('is_block_entitlement'),
    isBlockBilling: boolean('is_block_billing'),
    effective: dated('effective'),
    sequence: integer('sequence'),
    isActive: boolean('is_active'),
    causedBy: uuidOrNull('caused_by'),
    createdDate: instantAt('created_date'),
  },
);
