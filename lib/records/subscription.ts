import {
  bigint,
  dated,
  flag,
  id,
  instant,
  key,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
} from '../values/fields/index.ts';
import { ProductCategory } from './catalog/catalog-enumerations.ts';

export const subscriptionFields = {
  recordId,
  id: id(),
  bundleId: id(),
  accountId: id({ audit: null }),
  accountRecordId: bigint(),
  externalKey: key(),
  category: oneOf(ProductCategory),
  /** From where START_OF_SUBSCRIPTION alignment counts. */
  alignStart: dated({ audit: 'startDate' }),
  /** From where START_OF_BUNDLE alignment counts. */
  bundleStart: dated({ audit: 'bundleStartDate' }),
  /** The date up to which it is invoiced; written by invoicing only. */
  chargedThrough: orNull(dated({ audit: 'chargedThroughDate' })),
  migrated: flag(),
  createdDate: instant(),
};
export interface Subscription extends RecordOf<typeof subscriptionFields> {}

/** Wire state of a subscription (subscriptions §4.3). */
export const EntitlementState = {
  PENDING: 'PENDING',
  ACTIVE: 'ACTIVE',
  BLOCKED: 'BLOCKED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
} as const;
export type EntitlementState = (typeof EntitlementState)[keyof typeof EntitlementState];

/** Where a subscription comes from (subscriptions §4.4). */
export const SourceType = { NATIVE: 'NATIVE', MIGRATED: 'MIGRATED', TRANSFERRED: 'TRANSFERRED' } as const;
export type SourceType = (typeof SourceType)[keyof typeof SourceType];

/** Types of the rows of the timeline that callers see (subscriptions §18). */
export const SubscriptionEventType = {
  START_ENTITLEMENT: 'START_ENTITLEMENT',
  START_BILLING: 'START_BILLING',
  PAUSE_ENTITLEMENT: 'PAUSE_ENTITLEMENT',
  PAUSE_BILLING: 'PAUSE_BILLING',
  RESUME_ENTITLEMENT: 'RESUME_ENTITLEMENT',
  RESUME_BILLING: 'RESUME_BILLING',
  PHASE: 'PHASE',
  CHANGE: 'CHANGE',
  STOP_ENTITLEMENT: 'STOP_ENTITLEMENT',
  STOP_BILLING: 'STOP_BILLING',
  SERVICE_STATE_CHANGE: 'SERVICE_STATE_CHANGE',
} as const;
export type SubscriptionEventType = (typeof SubscriptionEventType)[keyof typeof SubscriptionEventType];
