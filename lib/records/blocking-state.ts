import {
  bigint,
  dated,
  enumeration,
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

export const BlockingStateType = enumeration('SUBSCRIPTION', 'SUBSCRIPTION_BUNDLE', 'ACCOUNT');
export type BlockingStateType = keyof typeof BlockingStateType;

export const ENTITLEMENT_SERVICE = 'entitlement-service';

/** The service of overdue states (overdue §2.1). */
export const OVERDUE_SERVICE = 'overdue-service';

/** The service and state of closed accounts (accounts §9). */
export const ACCOUNT_SERVICE = 'account-service';
export const CLOSED_STATE_NAME = 'CLOSE_ACCOUNT';

/** Reserved states of the service `entitlement-service` (subscriptions §3). */
export const EntitlementStateName = enumeration('ENT_STARTED', 'ENT_CANCELLED', 'ENT_BLOCKED', 'ENT_CLEAR');
export type EntitlementStateName = keyof typeof EntitlementStateName;

/** A dated state of an account, bundle or subscription with three blocking flags, owned by a service. */
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
