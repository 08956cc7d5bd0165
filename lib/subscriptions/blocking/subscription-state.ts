import {
  type BlockingState,
  ENTITLEMENT_SERVICE,
  EntitlementState,
  EntitlementStateName,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import { billingStateAt, type Transition } from '../timeline/transitions.ts';
import { Block, type BlockHistory, blocksAt } from './block-history.ts';
import { blockFlagsAt } from './states-in-force.ts';

export interface SubscriptionStateInput {
  readonly subscriptionId: Uuid;
  readonly transitions: readonly Transition[];
  /** Active states of the subscription, its bundle and its account, but for those in `inherited`. */
  readonly blockingStates: readonly BlockingState[];
  /** What is set on its bundle and its account, where that was already put in order. */
  readonly inherited?: readonly BlockHistory[];
}

/** The state that callers see at `now`: the first condition of the table that holds decides it (§4.3). */
export function subscriptionStateAt(input: SubscriptionStateInput, now: Instant): EntitlementState {
  const start = entitlementStart(input);
  const end = entitlementEnd(input);
  if (end !== undefined && end.at <= now) return EntitlementState.CANCELLED;
  if (billingStateAt(input.transitions, now) === EntitlementState.EXPIRED) return EntitlementState.EXPIRED;
  if (start !== undefined && start.at > now) return EntitlementState.PENDING;
  return isBlocked(input, now) ? EntitlementState.BLOCKED : EntitlementState.ACTIVE;
}

function isBlocked({ blockingStates, inherited = [] }: SubscriptionStateInput, now: Instant): boolean {
  if (blockFlagsAt(blockingStates, now).isBlockEntitlement) return true;
  return inherited.some((history) => (blocksAt(history, now) & Block.ENTITLEMENT) !== 0);
}

type OwnStates = Pick<SubscriptionStateInput, 'subscriptionId' | 'blockingStates'>;

/** When the service of the subscription starts: its ENT_STARTED, past or future. */
export function entitlementStart(input: OwnStates): DatedInstant | undefined {
  return ownState(input, EntitlementStateName.ENT_STARTED)?.effective;
}

/** When it ends: its ENT_CANCELLED, past or future. */
export function entitlementEnd(input: OwnStates): DatedInstant | undefined {
  return ownState(input, EntitlementStateName.ENT_CANCELLED)?.effective;
}

function ownState(input: OwnStates, stateName: EntitlementStateName): BlockingState | undefined {
  return input.blockingStates.find(
    (state) =>
      state.blockedId === input.subscriptionId &&
      state.service === ENTITLEMENT_SERVICE &&
      state.stateName === stateName,
  );
}
