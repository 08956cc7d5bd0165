import { enumeration, f, type RecordOf } from '../values/fields/index.ts';

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

/** A dated state of an account, bundle or subscription. It has three blocking flags and belongs to a service. */
export const blockingStateFields = {
  recordId: f.recordId,
  id: f.id(),
  blockedId: f.id({ audit: 'blockableId' }),
  accountRecordId: f.bigint(),
  type: f.oneOf(BlockingStateType),
  service: f.text(),
  stateName: f.text({ audit: 'state' }),
  isBlockChange: f.flag({ audit: 'blockChange' }),
  isBlockEntitlement: f.flag({ audit: 'blockEntitlement' }),
  isBlockBilling: f.flag({ audit: 'blockBilling' }),
  effective: f.dated({ audit: 'effectiveDate' }),
  sequence: f.integer({ audit: null }),
  isActive: f.flag(),
  causedBy: f.orNull(f.id({ audit: null })),
  createdDate: f.instant(),
};
export interface BlockingState extends RecordOf<typeof blockingStateFields> {}
