import type { PhaseType, ProductCategory } from '../catalog/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { DatedInstant, Instant } from '../values/time/index.ts';

/** Group of subscriptions of one account (subscriptions.md §3). */
export interface Bundle {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly externalKey: string;
  /** What the key is kept as since another bundle may have it (§17.1); null while the bundle holds it. */
  readonly retiredKey: string | null;
  /** Of the oldest bundle that carried the key before. */
  readonly originalCreatedDate: Instant;
  readonly createdDate: Instant;
}

export interface Subscription {
  readonly recordId: number;
  readonly id: Uuid;
  readonly bundleId: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly externalKey: string;
  readonly category: ProductCategory;
  /** Origin for START_OF_SUBSCRIPTION. */
  readonly alignStart: DatedInstant;
  /** Origin for START_OF_BUNDLE. */
  readonly bundleStart: DatedInstant;
  /** Up to when it is invoiced; written by invoicing only. */
  readonly chargedThrough: DatedInstant | null;
  readonly migrated: boolean;
  readonly createdDate: Instant;
}

/** Stored types of a lifecycle event (subscriptions.md §3). */
export const LifecycleEventType = {
  CREATE: 'CREATE',
  TRANSFER: 'TRANSFER',
  CHANGE: 'CHANGE',
  PHASE: 'PHASE',
  CANCEL: 'CANCEL',
  EXPIRED: 'EXPIRED',
  BCD_CHANGE: 'BCD_CHANGE',
  QUANTITY_CHANGE: 'QUANTITY_CHANGE',
  UNCANCEL: 'UNCANCEL',
  UNDO_CHANGE: 'UNDO_CHANGE',
} as const;
export type LifecycleEventType = (typeof LifecycleEventType)[keyof typeof LifecycleEventType];

/** Stored, dated fact about the billing view. Fields that a type does not carry are null (subscriptions.md §3). */
export interface LifecycleEvent {
  readonly recordId: number;
  readonly id: Uuid;
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
  readonly type: LifecycleEventType;
  readonly effective: DatedInstant;
  /** Tie-breaker at equal instants: per subscription, rising in the order of insertion. */
  readonly sequence: number;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly priceListName: string | null;
  readonly phaseAnchor: DatedInstant | null;
  readonly phaseAnchorType: PhaseType | null;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
  /** Text of its `EventReason` (event-reason.ts); null = none is kept. */
  readonly reason: string | null;
  readonly isActive: boolean;
  readonly deactivatedBy: Uuid | null;
  readonly createdDate: Instant;
}

export const BlockingStateType = {
  SUBSCRIPTION: 'SUBSCRIPTION',
  SUBSCRIPTION_BUNDLE: 'SUBSCRIPTION_BUNDLE',
  ACCOUNT: 'ACCOUNT',
} as const;
export type BlockingStateType = (typeof BlockingStateType)[keyof typeof BlockingStateType];

export const ENTITLEMENT_SERVICE = 'entitlement-service';

/** Reserved states of the service `entitlement-service` (subscriptions.md §3). */
export const EntitlementStateName = {
  ENT_STARTED: 'ENT_STARTED',
  ENT_CANCELLED: 'ENT_CANCELLED',
  ENT_BLOCKED: 'ENT_BLOCKED',
  ENT_CLEAR: 'ENT_CLEAR',
} as const;
export type EntitlementStateName = (typeof EntitlementStateName)[keyof typeof EntitlementStateName];

/** Stored, dated fact about an account, bundle or subscription with three flags, owned by a service. */
export interface BlockingState {
  readonly recordId: number;
  readonly id: Uuid;
  readonly blockedId: Uuid;
  readonly accountRecordId: number;
  readonly type: BlockingStateType;
  readonly service: string;
  readonly stateName: string;
  readonly isBlockChange: boolean;
  readonly isBlockEntitlement: boolean;
  readonly isBlockBilling: boolean;
  readonly effective: DatedInstant;
  readonly sequence: number;
  readonly isActive: boolean;
  readonly causedBy: Uuid | null;
  readonly createdDate: Instant;
}

/** Wire state of a subscription (subscriptions.md §4.3). */
export const EntitlementState = {
  PENDING: 'PENDING',
  ACTIVE: 'ACTIVE',
  BLOCKED: 'BLOCKED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
} as const;
export type EntitlementState = (typeof EntitlementState)[keyof typeof EntitlementState];

/** Where a subscription comes from (subscriptions.md §4.4). */
export const SourceType = { NATIVE: 'NATIVE', MIGRATED: 'MIGRATED', TRANSFERRED: 'TRANSFERRED' } as const;
export type SourceType = (typeof SourceType)[keyof typeof SourceType];

/** Types of the rows of the presented timeline (subscriptions.md §18). */
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
