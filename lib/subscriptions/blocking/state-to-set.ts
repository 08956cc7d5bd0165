import {
  type Account,
  type BlockingState,
  BlockingStateType,
  type Bundle,
  ENTITLEMENT_SERVICE,
  type Subscription,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type DatedInstant, type Instant, truncateToSecond } from '../../values/time/index.ts';
import type { EditTools } from '../timeline/lifecycle-events.ts';
import { firstBlockedDifference } from './blocked-intervals.ts';
import { type BlockFlags, blockerOf, statesInTimeOrder } from './states-in-force.ts';

/** What a state is set on, with the account, whose lock is held. */
export type BlockedObject =
  | { readonly type: typeof BlockingStateType.ACCOUNT; readonly account: Account }
  | {
      readonly type: typeof BlockingStateType.SUBSCRIPTION_BUNDLE;
      readonly account: Account;
      readonly bundle: Pick<Bundle, 'id'>;
    }
  | {
      readonly type: typeof BlockingStateType.SUBSCRIPTION;
      readonly account: Account;
      readonly subscription: Pick<Subscription, 'id' | 'bundleId'>;
    };

/** A state that a service wants in force on an object from a date on. */
export interface StateToSet extends BlockFlags {
  readonly object: BlockedObject;
  readonly service: string;
  readonly stateName: string;
  readonly effective: DatedInstant;
}

/** How setting a state changes what is stored. */
export interface StatePlan {
  readonly block: StateToSet;
  /** null if it says nothing new. */
  readonly added: BlockingState | null;
  /** Stored states that now say nothing new. */
  readonly withdrawn: readonly BlockingState[];
  /** The date from which billing can differ; null = it does not. */
  readonly billedOtherwiseFrom: DatedInstant | null;
}

/** A state that is not stored yet comes after all others of its instant. */
const NOT_STORED = Number.MAX_SAFE_INTEGER;

/** The object and those that it belongs to: states on any of them hold for it too (§14.2). */
export function blockedPath(object: BlockedObject): readonly [Uuid, ...Uuid[]] {
  switch (object.type) {
    case BlockingStateType.ACCOUNT:
      return [object.account.id];
    case BlockingStateType.SUBSCRIPTION_BUNDLE:
      return [object.bundle.id, object.account.id];
    case BlockingStateType.SUBSCRIPTION:
      return [object.subscription.id, object.subscription.bundleId, object.account.id];
  }
}

/**
 * Adds a state to those of its service on its object (§14.1 rule 2). A state that equals its predecessor in name and flags
 * is redundant: it is not stored, or it is withdrawn if it is stored. Kept all the same are states that an earlier one
 * stored later can give a meaning (R38, §14.3).
 * @param states active states of the object; further ones do no harm.
 */
export function planState(states: readonly BlockingState[], block: StateToSet, tools: EditTools): StatePlan {
  const added = stateOf(states, block, tools);
  const own = states.filter((state) => blockerOf(state) === blockerOf(added));
  const ordered = statesInTimeOrder([...own, added]);
  const redundant: BlockingState[] = [];
  let previous: BlockingState | undefined;
  for (const state of ordered) {
    // One without a date is said of the present, so a call that is repeated stores nothing.
    const isSaidOfNow = state === added && state.effective.at === truncateToSecond(tools.now);
    if (
      previous !== undefined &&
      isEqual(state, previous) &&
      (isSaidOfNow || !isKept(state, previous, tools.now))
    ) {
      redundant.push(state);
    } else {
      previous = state;
    }
  }
  if (redundant.includes(added)) return { block, added: null, withdrawn: [], billedOtherwiseFrom: null };
  return {
    block,
    added,
    withdrawn: redundant,
    billedOtherwiseFrom: firstBlockedDifference(own, ordered),
  };
}

function isEqual(a: BlockingState, b: BlockingState): boolean {
  return (
    a.stateName === b.stateName &&
    a.isBlockChange === b.isBlockChange &&
    a.isBlockEntitlement === b.isBlockEntitlement &&
    a.isBlockBilling === b.isBlockBilling
  );
}

/**
 * True if a state is kept although it equals its predecessor: an end of a block, a pause, and what is still to come while
 * the predecessor is in force. A pause or resume between the two may follow, and then the later one has an effect.
 */
function isKept(state: BlockingState, previous: BlockingState, now: Instant): boolean {
  if (state.effective.at === previous.effective.at) return false;
  const blocks = state.isBlockChange || state.isBlockEntitlement || state.isBlockBilling;
  const isToCome = previous.effective.at <= now && now < state.effective.at;
  return !blocks || state.service === ENTITLEMENT_SERVICE || isToCome;
}

function stateOf(
  states: readonly BlockingState[],
  block: StateToSet,
  { now, nextId }: EditTools,
): BlockingState {
  const { object, service, stateName, isBlockChange, isBlockEntitlement, isBlockBilling } = block;
  const [blockedId] = blockedPath(object);
  const ofObject = states.filter((state) => state.blockedId === blockedId);
  return {
    recordId: NOT_STORED,
    id: nextId(),
    blockedId,
    accountRecordId: object.account.recordId,
    type: object.type,
    service,
    stateName,
    isBlockChange,
    isBlockEntitlement,
    isBlockBilling,
    effective: block.effective,
    sequence: ofObject.reduce((last, { sequence }) => Math.max(last, sequence), 0) + 1,
    isActive: true,
    causedBy: null,
    createdDate: now,
  };
}
