import type { Uuid } from '../values/ids/index.ts';
import type { DatedInstant, Instant } from '../values/time/index.ts';
import type { ProductCategory } from './catalog/catalog-enumerations.ts';

export interface Subscription {
  readonly recordId: number;
  readonly id: Uuid;
  readonly bundleId: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly externalKey: string;
  readonly category: ProductCategory;
  /** From where START_OF_SUBSCRIPTION alignment counts. */
  readonly alignStart: DatedInstant;
  /** From where START_OF_BUNDLE alignment counts. */
  readonly bundleStart: DatedInstant;
  /** The date up to which it is invoiced; written by invoicing only. */
  readonly chargedThrough: DatedInstant | null;
  readonly migrated: boolean;
  readonly createdDate: Instant;
}

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
