import { enumeration, f, type RecordOf } from '../values/fields/index.ts';
import { ProductCategory } from './catalog/catalog-enumerations.ts';

export const subscriptionFields = {
  recordId: f.recordId,
  id: f.id(),
  bundleId: f.id(),
  accountId: f.id({ audit: null }),
  accountRecordId: f.bigint(),
  externalKey: f.key(),
  category: f.oneOf(ProductCategory),
  /** Date from which phases are measured under the alignment START_OF_SUBSCRIPTION. */
  alignStart: f.dated({ audit: 'startDate' }),
  /** Start of START_OF_BUNDLE alignment. */
  bundleStart: f.dated({ audit: 'bundleStartDate' }),
  /** End of the invoiced time. Only the invoicing module writes this field. */
  chargedThrough: f.orNull(f.dated({ audit: 'chargedThroughDate' })),
  migrated: f.flag(),
  /** The end of the trial that was last announced (subscriptions §21.1). */
  announcedTrialEnd: f.orNull(f.instant({ audit: null })),
  createdDate: f.instant(),
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
