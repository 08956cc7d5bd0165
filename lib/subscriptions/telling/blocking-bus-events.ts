import type { New } from '../../records/index.ts';
import {
  type BlockingState,
  BusEventType,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type NewBusEvent,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatInstant, formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import type { BlockFlags } from '../blocking/states-in-force.ts';

/** How a state that takes effect changes what is in force. */
export interface BlockingOccurrence {
  /** Aggregate flags of its object, just before and just after it. */
  readonly before: BlockFlags;
  readonly after: BlockFlags;
  /** True if it asks for an invoice run (invoicing §8.1). */
  readonly changesBilling: boolean;
  /** Target date of that run; null = today. */
  readonly targetDate: LocalDate | null;
}

/**
 * The bus event of a state, other than start and end of the service, that has taken effect: BUNDLE_PAUSE, BUNDLE_RESUME,
 * or BLOCKING_STATE of any service but the engine's own (§21, platform §10.4).
 */
export function blockingStateEvent(
  accountId: Uuid,
  state: New<BlockingState>,
  occurrence: BlockingOccurrence,
): NewBusEvent {
  const type = typeOf(state);
  const { changesBilling, targetDate } = occurrence;
  return {
    type,
    accountRecordId: state.accountRecordId,
    payload: {
      accountId,
      blockedId: state.blockedId,
      blockingType: state.type,
      changesBilling,
      targetDate: targetDate && formatLocalDate(targetDate),
      metaData: type === BusEventType.BLOCKING_STATE ? metaDataOf(state, occurrence) : null,
    },
  };
}

function typeOf({ service, stateName }: New<BlockingState>) {
  if (service !== ENTITLEMENT_SERVICE) return BusEventType.BLOCKING_STATE;
  return stateName === EntitlementStateName.ENT_BLOCKED
    ? BusEventType.BUNDLE_PAUSE
    : BusEventType.BUNDLE_RESUME;
}

function metaDataOf(
  state: New<BlockingState>,
  { before, after }: BlockingOccurrence,
): Readonly<Record<string, unknown>> {
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
    blockableId: state.blockedId,
    service: state.service,
    stateName: state.stateName,
    blockingType: state.type,
    effectiveDate: formatInstant(state.effective.at),
    ...Object.fromEntries(spelt),
  };
}
