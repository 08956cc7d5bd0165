import type { Instant } from '../time/index.ts';
import type { BlockingState } from './model.ts';

export interface BlockFlags {
  readonly isBlockChange: boolean;
  readonly isBlockEntitlement: boolean;
  readonly isBlockBilling: boolean;
}

/** By instant, then sequence. */
export function statesInTimeOrder(states: readonly BlockingState[]): readonly BlockingState[] {
  return states.toSorted((a, b) => a.effective.at - b.effective.at || a.sequence - b.sequence);
}

/**
 * The aggregate flags at `at` of the active states given (subscriptions.md §14.2): of each object and service the latest
 * one counts, so a service clears only its own states and only on the same object.
 */
export function blockFlagsAt(states: readonly BlockingState[], at: Instant): BlockFlags {
  const latest = new Map<string, BlockingState>();
  for (const state of statesInTimeOrder(states)) {
    if (state.effective.at <= at) latest.set(`${state.blockedId} ${state.service}`, state);
  }
  const inForce = [...latest.values()];
  return {
    isBlockChange: inForce.some((state) => state.isBlockChange),
    isBlockEntitlement: inForce.some((state) => state.isBlockEntitlement),
    isBlockBilling: inForce.some((state) => state.isBlockBilling),
  };
}
