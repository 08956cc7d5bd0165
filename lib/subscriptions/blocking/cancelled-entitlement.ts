import {
  BlockingStateType,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type Subscription,
} from '../../records/index.ts';

/** What its ENT_CANCELLED says of a subscription, whatever has brought it (§3, reserved states). */
export function cancelledEntitlement({ id, accountRecordId }: Pick<Subscription, 'id' | 'accountRecordId'>) {
  return {
    blockedId: id,
    accountRecordId,
    type: BlockingStateType.SUBSCRIPTION,
    service: ENTITLEMENT_SERVICE,
    stateName: EntitlementStateName.ENT_CANCELLED,
    isBlockChange: true,
    isBlockEntitlement: true,
    isBlockBilling: false,
    isActive: true,
  };
}
