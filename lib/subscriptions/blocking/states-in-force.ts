import { type BlockingState, ENTITLEMENT_SERVICE, EntitlementStateName } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

export interface BlockFlags {
  readonly isBlockChange: boolean;
  readonly isBlockEntitlement: boolean;
  readonly isBlockBilling: boolean;
}

/** By instant, then in the order of storing. Each object counts its own sequence; record ids rise across objects. */
export function statesInTimeOrder(states: readonly BlockingState[]): readonly BlockingState[] {
  return states.toSorted((a, b) => a.effective.at - b.effective.at || a.recordId - b.recordId);
}

/**
 * The aggregate flags at `at` of the active states given (§14.2): for each object and service the latest one counts, so a
 * service clears only its own states and only on the same object.
 */
export function blockFlagsAt(states: readonly BlockingState[], at: Instant): BlockFlags {
  return flagsOf(statesInForce(states.filter(({ effective }) => effective.at <= at)));
}

/** The aggregate flags just before and just after `state`, which is one of the active states given. */
export function blockFlagsAround(
  states: readonly BlockingState[],
  state: BlockingState,
): { readonly before: BlockFlags; readonly after: BlockFlags } {
  const ordered = statesInTimeOrder(states);
  const index = ordered.indexOf(state);
  return {
    before: flagsOf(statesInForce(ordered.slice(0, index))),
    after: flagsOf(statesInForce(ordered.slice(0, index + 1))),
  };
}

/** The latest of these states for each object and service, the earliest first. */
export function statesInForce(states: readonly BlockingState[]): readonly BlockingState[] {
  const latest = new Map(statesInTimeOrder(states).map((state) => [blockerOf(state), state]));
  return statesInTimeOrder([...latest.values()]);
}

/** What holds for a subscription while these states are in force. */
export function flagsOf(inForce: readonly BlockingState[]): BlockFlags {
  return {
    isBlockChange: inForce.some((state) => state.isBlockChange),
    isBlockEntitlement: inForce.some((state) => state.isBlockEntitlement),
    isBlockBilling: inForce.some((state) => state.isBlockBilling),
  };
}

/** Who blocks what: a state ends only the previous one of the same service on the same object. */
export function blockerOf({ blockedId, service }: Pick<BlockingState, 'blockedId' | 'service'>): string {
  return `${blockedId} ${service}`;
}

/** True for the start and the end of a subscription's service, which nobody sets as a block. */
export function isEntitlementBound({
  service,
  stateName,
}: Pick<BlockingState, 'service' | 'stateName'>): boolean {
  return (
    service === ENTITLEMENT_SERVICE &&
    (stateName === EntitlementStateName.ENT_STARTED || stateName === EntitlementStateName.ENT_CANCELLED)
  );
}
