import {
  type BlockingState,
  BlockingStateType,
  ENTITLEMENT_SERVICE,
  EntitlementState,
  EntitlementStateName,
  type Subscription,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import { billingStateAt, type Transition } from '../timeline/transitions.ts';

export interface BlockFlags {
  readonly isBlockChange: boolean;
  readonly isBlockEntitlement: boolean;
  readonly isBlockBilling: boolean;
}

/**
 * Sorts states by instant, then in the order in which they were stored. Sequences are numbered per object; record ids
 * increase across objects.
 */
export function statesInTimeOrder(states: readonly BlockingState[]): readonly BlockingState[] {
  return states.toSorted((a, b) => a.effective.at - b.effective.at || a.recordId - b.recordId);
}

/** Returns the combined blocking flags at `at` (§14.2). Uses the latest state of each service on each object. */
export function blockFlagsAt(states: readonly BlockingState[], at: Instant): BlockFlags {
  return flagsOf(statesInForce(states.filter(({ effective }) => effective.at <= at)));
}

/** Returns the flags immediately before and after `state`, which is one of the given active states. */
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

/** Returns the latest state of each object and service, sorted by time. */
function statesInForce(states: readonly BlockingState[]): readonly BlockingState[] {
  const latest = new Map(statesInTimeOrder(states).map((state) => [blockerOf(state), state]));
  return statesInTimeOrder([...latest.values()]);
}

function flagsOf(inForce: readonly BlockingState[]): BlockFlags {
  return {
    isBlockChange: inForce.some((state) => state.isBlockChange),
    isBlockEntitlement: inForce.some((state) => state.isBlockEntitlement),
    isBlockBilling: inForce.some((state) => state.isBlockBilling),
  };
}

/** Returns a key for a service on an object. A state ends only an earlier state with the same key. */
export function blockerOf({ blockedId, service }: Pick<BlockingState, 'blockedId' | 'service'>): string {
  return `${blockedId} ${service}`;
}

/**
 * Returns true for ENT_STARTED and ENT_CANCELLED. These states mark the start and end of service and do not block
 * anything.
 */
export function isEntitlementBound(state: NamedState): boolean {
  return isEntitlementStart(state) || isEntitlementEnd(state);
}

export function isEntitlementStart({ service, stateName }: NamedState): boolean {
  return service === ENTITLEMENT_SERVICE && stateName === EntitlementStateName.ENT_STARTED;
}

export function isEntitlementEnd({ service, stateName }: NamedState): boolean {
  return service === ENTITLEMENT_SERVICE && stateName === EntitlementStateName.ENT_CANCELLED;
}

type NamedState = Pick<BlockingState, 'service' | 'stateName'>;

/** Returns the fields that are equal in all ENT_CANCELLED states (§3, reserved states). */
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

/** Kinds of blocks as bits. `|` combines the states of several objects. */
export const Block = { CHANGE: 1, ENTITLEMENT: 2, BILLING: 4 } as const;
export type Block = (typeof Block)[keyof typeof Block];

/**
 * The states of all services on one object. The object's subscriptions share this history. A service clears only its
 * own states on the same object (§14.2).
 */
export interface BlockHistory {
  /** The states in time order, without the states that start and end service. */
  readonly states: readonly BlockingState[];
  /** Bits of `Block` from each state on. */
  readonly blocks: Uint8Array;
}

/** Builds the history of an object. @param states Active states of that object. */
export function blockHistory(states: readonly BlockingState[]): BlockHistory {
  const inOrder = statesInTimeOrder(states.filter((state) => !isEntitlementBound(state)));
  const inForce = new Map<string, number>();
  const counts = new Map<Block, number>();
  const count = (blocks: number, by: 1 | -1): void => {
    for (const block of allBlocks) {
      if ((blocks & block) !== 0) counts.set(block, (counts.get(block) ?? 0) + by);
    }
  };
  const blocks = new Uint8Array(inOrder.length);
  for (const [index, state] of inOrder.entries()) {
    count(inForce.get(state.service) ?? 0, -1);
    const own = blocksOf(state);
    inForce.set(state.service, own);
    count(own, 1);
    blocks[index] = allBlocks.reduce((held, block) => (counts.get(block) ? held | block : held), 0);
  }
  return { states: inOrder, blocks };
}

/** Returns the state before `at` that has blocked the longest, or undefined if nothing blocks. */
export function longestBlockBefore(
  { states, blocks }: BlockHistory,
  { block, at }: { readonly block: Block; readonly at: Instant },
): BlockingState | undefined {
  const earlier = countUpTo(states, at - 1);
  if (((blocks[earlier - 1] ?? 0) & block) === 0) return undefined;
  const seen = new Set<string>();
  let longest: BlockingState | undefined;
  for (let index = earlier - 1; index >= 0; index -= 1) {
    const state = states[index];
    if (state === undefined || seen.has(state.service)) continue;
    seen.add(state.service);
    if ((blocksOf(state) & block) !== 0) longest = state;
  }
  return longest;
}

/** Returns the instant of the first state after `at`, or undefined if there is no later state. */
export function nextStateAfter({ states }: BlockHistory, at: Instant): Instant | undefined {
  return states[countUpTo(states, at)]?.effective.at;
}

const allBlocks = Object.values(Block);

function blocksOf({ isBlockChange, isBlockEntitlement, isBlockBilling }: BlockingState): number {
  return (
    (isBlockChange ? Block.CHANGE : 0) |
    (isBlockEntitlement ? Block.ENTITLEMENT : 0) |
    (isBlockBilling ? Block.BILLING : 0)
  );
}

function countUpTo(states: readonly BlockingState[], at: number): number {
  let [low, high] = [0, states.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((states[middle]?.effective.at ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface SubscriptionStateInput {
  readonly subscriptionId: Uuid;
  readonly transitions: readonly Transition[];
  /** Active states of the subscription, its bundle and its account, except those in `inherited`. */
  readonly blockingStates: readonly BlockingState[];
  /** Prepared states of the subscription's bundle and account. */
  readonly inherited?: readonly BlockHistory[];
}

/**
 * Returns the public state of a subscription at `now`. The first matching condition of the table in §4.3 determines the
 * state.
 */
export function subscriptionStateAt(input: SubscriptionStateInput, now: Instant): EntitlementState {
  const start = entitlementStart(input);
  const end = entitlementEnd(input);
  if (end !== undefined && end.at <= now) return EntitlementState.CANCELLED;
  if (billingStateAt(input.transitions, now) === EntitlementState.EXPIRED) return EntitlementState.EXPIRED;
  if (start !== undefined && start.at > now) return EntitlementState.PENDING;
  const isBlocked =
    blockFlagsAt(input.blockingStates, now).isBlockEntitlement ||
    (input.inherited ?? []).some(({ states, blocks }) => {
      const inForce = blocks[countUpTo(states, now) - 1] ?? 0;
      return (inForce & Block.ENTITLEMENT) !== 0;
    });
  return isBlocked ? EntitlementState.BLOCKED : EntitlementState.ACTIVE;
}

type OwnStates = Pick<SubscriptionStateInput, 'subscriptionId' | 'blockingStates'>;

export function entitlementStart(input: OwnStates): DatedInstant | undefined {
  return ownState(input, isEntitlementStart)?.effective;
}

export function entitlementEnd(input: OwnStates): DatedInstant | undefined {
  return ownState(input, isEntitlementEnd)?.effective;
}

function ownState({ subscriptionId, blockingStates }: OwnStates, is: (state: BlockingState) => boolean) {
  return blockingStates.find((state) => state.blockedId === subscriptionId && is(state));
}
