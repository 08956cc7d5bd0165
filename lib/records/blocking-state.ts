import {
  bigint,
  dated,
  flag,
  id,
  instant,
  integer,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../values/fields/index.ts';

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
export const blockingStateFields = {
  recordId,
  id: id(),
  blockedId: id({ audit: 'blockableId' }),
  accountRecordId: bigint(),
  type: oneOf(BlockingStateType),
  service: text(),
  stateName: text({ audit: 'state' }),
  isBlockChange: flag({ audit: 'blockChange' }),
  isBlockEntitlement: flag({ audit: 'blockEntitlement' }),
  isBlockBilling: flag({ audit: 'blockBilling' }),
  effective: dated({ audit: 'effectiveDate' }),
  sequence: integer({ audit: null }),
  isActive: flag(),
  causedBy: orNull(id({ audit: null })),
  createdDate: instant(),
};
export interface BlockingState extends RecordOf<typeof blockingStateFields> {}
