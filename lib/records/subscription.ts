import {
  bigint,
  dated,
  enumeration,
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
  /** Start of START_OF_SUBSCRIPTION alignment. */
  alignStart: dated({ audit: 'startDate' }),
  /** Start of START_OF_BUNDLE alignment. */
  bundleStart: dated({ audit: 'bundleStartDate' }),
  /** End of the invoiced time; written only by invoicing. */
  chargedThrough: orNull(dated({ audit: 'chargedThroughDate' })),
  migrated: flag(),
  createdDate: instant(),
};
export interface Subscription extends RecordOf<typeof subscriptionFields> {}

/** Public state of a subscription (subscriptions §4.3). */
export const EntitlementState = enumeration('PENDING', 'ACTIVE', 'BLOCKED', 'CANCELLED', 'EXPIRED');
export type EntitlementState = keyof typeof EntitlementState;

/** Source of a subscription (subscriptions §4.4). */
export const SourceType = enumeration('NATIVE', 'MIGRATED', 'TRANSFERRED');
export type SourceType = keyof typeof SourceType;

/** Types of timeline rows (subscriptions §18). */
export const SubscriptionEventType = enumeration(
  'START_ENTITLEMENT',
  'START_BILLING',
  'PAUSE_ENTITLEMENT',
  'PAUSE_BILLING',
  'RESUME_ENTITLEMENT',
  'RESUME_BILLING',
  'PHASE',
  'CHANGE',
  'STOP_ENTITLEMENT',
  'STOP_BILLING',
  'SERVICE_STATE_CHANGE',
);
export type SubscriptionEventType = keyof typeof SubscriptionEventType;
