import {
  type Account,
  type BlockingState,
  BlockingStateType,
  type Bundle,
  ENTITLEMENT_SERVICE,
  type Subscription,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  addDays,
  type DatedInstant,
  type Instant,
  instantAt,
  type LocalDate,
  localTimeOf,
  minDate,
  type TimeZone,
  truncateToSecond,
} from '../../values/time/index.ts';
import type { EditTools } from '../timeline/lifecycle-events.ts';
import { type BlockFlags, blockerOf, statesInTimeOrder } from './states-in-force.ts';

/** A half-open interval without billing. */
export interface BlockedInterval {
  readonly start: DatedInstant;
  /** End of the interval. Null means open. */
  readonly end: DatedInstant | null;
}

/**
 * Returns the blocked intervals in time order, without overlap (§19.3 rules 1 to 3). Ignores an interval shorter than a
 * day if it belongs to a single service and object.
 */
export function blockedIntervals(
  states: readonly BlockingState[],
  billingEnd: Instant | null,
  zone: TimeZone,
): readonly BlockedInterval[] {
  if (states.length === 0) return [];
  const counting =
    billingEnd === null ? states : states.filter(({ effective }) => effective.at <= billingEnd);
  // A calendar day is shorter than 24 hours when clocks go forward (§19.3 rule 2).
  const nextDayOf = ({ at, date }: DatedInstant) => instantAt(addDays(date, 1), localTimeOf(at, zone), zone);
  return mergeIntervals(
    ownIntervals(counting).filter(({ start, end }) => end === null || end.at >= nextDayOf(start)),
  );
}

/**
 * Returns the first date on which blocked time differs between the two sets of states, or null if there is no
 * difference.
 */
export function firstBlockedDifference(
  before: readonly BlockingState[],
  after: readonly BlockingState[],
): DatedInstant | null {
  const [was, is] = [ownIntervals(before), ownIntervals(after)];
  const index = Math.max(was.length, is.length) - 1;
  for (let place = 0; place <= index; place += 1) {
    const difference = differenceOf(was[place], is[place]);
    if (difference !== null) return withIntervalAt(difference, [...was, ...is]);
  }
  return null;
}

/**
 * Returns the first day whose billing changes when an end of billing is added or removed. If the end is within a day
 * after the start of a block, billing changes from the start of that block.
 * @param states Active states of the subscription, its bundle and its account.
 */
export function firstDayAtEnd(states: readonly BlockingState[], end: DatedInstant): LocalDate {
  const over = ownIntervals(states).filter((interval) => interval.end !== null && interval.end.at > end.at);
  return withIntervalAt(end, over).date;
}

/** Returns the blocked intervals of each service and object, including intervals shorter than a day. */
function ownIntervals(states: readonly BlockingState[]): readonly BlockedInterval[] {
  const groups = Map.groupBy(statesInTimeOrder(states), blockerOf);
  return [...groups.values()].flatMap(intervalsOfBlocker);
}

function intervalsOfBlocker(ordered: readonly BlockingState[]): readonly BlockedInterval[] {
  const intervals: BlockedInterval[] = [];
  let start: DatedInstant | null = null;
  for (const { effective, isBlockBilling } of ordered) {
    if (isBlockBilling) start ??= effective;
    else if (start !== null) {
      intervals.push({ start, end: effective });
      start = null;
    }
  }
  if (start !== null) intervals.push({ start, end: null });
  return intervals;
}

function mergeIntervals(intervals: readonly BlockedInterval[]): readonly BlockedInterval[] {
  const result: BlockedInterval[] = [];
  for (const next of intervals.toSorted((a, b) => a.start.at - b.start.at)) {
    const last = result.at(-1);
    if (last === undefined || (last.end !== null && last.end.at < next.start.at)) result.push(next);
    else result[result.length - 1] = { start: last.start, end: laterEnd(last.end, next.end) };
  }
  return result;
}

function laterEnd(a: DatedInstant | null, b: DatedInstant | null): DatedInstant | null {
  if (a === null || b === null) return null;
  return a.at < b.at ? b : a;
}

function differenceOf(was: BlockedInterval | undefined, is: BlockedInterval | undefined) {
  if (was === undefined || is === undefined) return (was ?? is)?.start ?? null;
  if (was.start.at !== is.start.at) return earlier(was.start, is.start);
  if (was.end?.at === is.end?.at) return null;
  return was.end === null || is.end === null ? (was.end ?? is.end) : earlier(was.end, is.end);
}

function earlier(a: DatedInstant, b: DatedInstant): DatedInstant {
  return a.at <= b.at ? a : b;
}

/**
 * Moves a difference back to the start of the blocked interval that contains it. An interval shorter than a day is
 * counted or ignored as a whole, so a change inside the interval also affects its start.
 */
function withIntervalAt(difference: DatedInstant, intervals: readonly BlockedInterval[]): DatedInstant {
  const dayBefore = addDays(difference.date, -1);
  const dates = intervals
    .map(({ start }) => start)
    .filter((start) => start.at <= difference.at && start.date >= dayBefore)
    .map(({ date }) => date);
  return { at: difference.at, date: minDate(difference.date, ...dates) };
}

/** The object to which a state belongs, with its locked account. */
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

export interface StateToSet extends BlockFlags {
  readonly object: BlockedObject;
  readonly service: string;
  readonly stateName: string;
  readonly effective: DatedInstant;
}

export interface StatePlan {
  readonly block: StateToSet;
  /** The state to add, or null if an equal state is already in force. */
  readonly added: BlockingState | null;
  /** Stored states that have become redundant. */
  readonly withdrawn: readonly BlockingState[];
  /** The first date on which billing changes, or null if billing does not change. */
  readonly billedOtherwiseFrom: DatedInstant | null;
}

/** Sequence of a state that is not stored yet. It sorts the state after all other states of its instant. */
const NOT_STORED = Number.MAX_SAFE_INTEGER;

/** Returns the object and its parents. States of the parents apply to the object too (§14.2). */
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
 * Adds a state of a service on an object (§14.1 rule 2). If the state equals its predecessor, it is withdrawn or not
 * stored, unless a state that is stored later with an earlier date can make it effective (R38, §14.3).
 * @param states Active states of the object. Other states are ignored.
 */
export function planState(states: readonly BlockingState[], block: StateToSet, tools: EditTools): StatePlan {
  const added = stateOf(states, block, tools);
  const own = states.filter((state) => blockerOf(state) === blockerOf(added));
  const ordered = statesInTimeOrder([...own, added]);
  const redundant: BlockingState[] = [];
  let previous: BlockingState | undefined;
  for (const state of ordered) {
    // A call without a date sets the state now. If the state is already in force, the call stores nothing.
    const startsNow = state === added && state.effective.at === truncateToSecond(tools.now);
    const isRedundant =
      previous !== undefined &&
      isEqual(state, previous) &&
      (startsNow || !mustStay(state, previous, tools.now));
    if (isRedundant) redundant.push(state);
    else previous = state;
  }
  if (redundant.includes(added)) return { block, added: null, withdrawn: [], billedOtherwiseFrom: null };
  const billedOtherwiseFrom = firstBlockedDifference(own, ordered);
  return { block, added, withdrawn: redundant, billedOtherwiseFrom };
}

function isEqual(a: BlockingState, b: BlockingState): boolean {
  return comparedMembers.every((name) => a[name] === b[name]);
}

const comparedMembers = ['stateName', 'isBlockChange', 'isBlockEntitlement', 'isBlockBilling'] as const;

/**
 * Returns true for a state that must be kept although it equals its predecessor, because a pause or resume may still be
 * inserted between them. Such states are the end of a block, a pause, and a future state while its predecessor is in
 * force.
 */
function mustStay(state: BlockingState, previous: BlockingState, now: Instant): boolean {
  if (state.effective.at === previous.effective.at) return false;
  const blocks = state.isBlockChange || state.isBlockEntitlement || state.isBlockBilling;
  const isToCome = previous.effective.at <= now && now < state.effective.at;
  return !blocks || state.service === ENTITLEMENT_SERVICE || isToCome;
}

function stateOf(states: readonly BlockingState[], block: StateToSet, { now, nextId }: EditTools) {
  const { object, ...state } = block;
  const [blockedId] = blockedPath(object);
  const ofObject = states.filter((each) => each.blockedId === blockedId);
  return {
    ...state,
    recordId: NOT_STORED,
    id: nextId(),
    blockedId,
    accountRecordId: object.account.recordId,
    type: object.type,
    sequence: ofObject.reduce((last, { sequence }) => Math.max(last, sequence), 0) + 1,
    isActive: true,
    causedBy: null,
    createdDate: now,
  };
}
