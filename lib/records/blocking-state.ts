import type { Uuid } from '../values/ids/index.ts';
import type { DatedInstant, Instant } from '../values/time/index.ts';

export const BlockingStateType = {
  SUBSCRIPTION: 'SUBSCRIPTION',
  SUBSCRIPTION_BUNDLE: 'SUBSCRIPTION_BUNDLE',
  ACCOUNT: 'ACCOUNT',
} as const;
export type BlockingStateType = (typeof BlockingStateType)[keyof typeof BlockingStateType];

export const ENTITLEMENT_SERVICE = 'entitlement-service';

/** Its states on accounts are their overdue states (overdue §2.1). */
export const OVERDUE_SERVICE = 'overdue-service';

/** What closes accounts sets this state on them (accounts §9). */
export const ACCOUNT_SERVICE = 'account-service';
export const CLOSED_STATE_NAME = 'CLOSE_ACCOUNT';

/** Reserved states of the service `entitlement-service` (subscriptions §3). */
export const EntitlementStateName = {
  ENT_STARTED: 'ENT_STARTED',
  ENT_CANCELLED: 'ENT_CANCELLED',
  ENT_BLOCKED: 'ENT_BLOCKED',
  ENT_CLEAR: 'ENT_CLEAR',
} as const;
export type EntitlementStateName = (typeof EntitlementStateName)[keyof typeof EntitlementStateName];

/** A stored, dated fact about an account, bundle or subscription with three flags, owned by a service. */
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
