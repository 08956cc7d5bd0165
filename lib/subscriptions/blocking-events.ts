import type { Uuid } from '../ids/index.ts';
import type { New } from '../ports/storage/index.ts';
import { BusEventType, type NewBusEvent } from '../queue/model.ts';
import { formatInstant } from '../time/index.ts';
import type { BlockFlags } from './blocking-in-force.ts';
import type { BlockingState } from './model.ts';

/** BLOCKING_STATE: a state other than those of entitlement has taken effect (subscriptions.md §21, platform.md §10.4). */
export function blockingStateEvent(
  accountId: Uuid,
  state: New<BlockingState>,
  flags: { readonly before: BlockFlags; readonly after: BlockFlags },
): NewBusEvent {
  const { before, after } = flags;
  const transitions = {
    ransitionedToBlockedBilling: !before.isBlockBilling && after.isBlockBilling,
    ransitionedToUnblockedBilling: before.isBlockBilling && !after.isBlockBilling,
    ransitionedToBlockedEntitlement: !before.isBlockEntitlement && after.isBlockEntitlement,
    ransitionedToUnblockedEntitlement: before.isBlockEntitlement && !after.isBlockEntitlement,
  };
  // Both spellings are on the wire: `transitionedTo…` and `isTransitionedTo…`.
  const spelt = Object.entries(transitions).flatMap(([name, value]) => [
    [`t${name}`, value],
    [`isT${name}`, value],
  ]);
  return {
    type: BusEventType.BLOCKING_STATE,
    accountRecordId: state.accountRecordId,
    payload: {
      accountId,
      blockedId: state.blockedId,
      metaData: {
        blockableId: state.blockedId,
        service: state.service,
        stateName: state.stateName,
        blockingType: state.type,
        effectiveDate: formatInstant(state.effective.at),
        ...Object.fromEntries(spelt),
      },
    },
  };
}
