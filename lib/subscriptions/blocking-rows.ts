import type { DatedInstant, Instant } from '../time/index.ts';
import {
  type BlockFlags,
  blockerOf,
  flagsOf,
  isEntitlementBound,
  statesInForce,
  statesInTimeOrder,
} from './blocking-in-force.ts';
import { isEnd } from './lifecycle-order.ts';
import {
  type BlockingState,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  SubscriptionEventType,
} from './model.ts';
import type { Transition } from './transitions.ts';

/** What a blocking state does to a subscription at an instant: mostly its own, or the start of what it finds blocked. */
export interface BlockingRow {
  readonly state: BlockingState;
  readonly type: SubscriptionEventType;
  readonly effective: DatedInstant;
}

/** When blocks of a sort count for a subscription; null = from never on, or without end. */
interface Span {
  readonly start: DatedInstant | null;
  readonly end: Instant | null;
}

type Blocking = keyof Pick<BlockFlags, 'isBlockEntitlement' | 'isBlockBilling'>;

interface Counted {
  readonly flag: Blocking;
  readonly span: Span;
  readonly paused: SubscriptionEventType;
  readonly resumed: SubscriptionEventType;
}

/**
 * What the states of services mean for one subscription, in time order (subscriptions.md §18 rules 2 and 3): the aggregate
 * flags just before and just after each, where service and billing run.
 * @param states active states of the subscription, its bundle and its account.
 */
export function blockingRows(
  states: readonly BlockingState[],
  transitions: readonly Transition[],
): readonly BlockingRow[] {
  const kinds = countedKinds(states, transitions);
  const starts = kinds.flatMap(({ span: { start } }) => start ?? []);
  const first = Math.min(...starts.map(({ at }) => at));
  const blocks = statesInTimeOrder(states.filter((state) => !isEntitlementBound(state)));
  const inForce = new Map<string, BlockingState>();
  const rows = kinds.flatMap((kind) => rowOfStart(kind, blocks));
  for (const state of blocks) {
    const before = flagsOf([...inForce.values()]);
    inForce.set(blockerOf(state), state);
    if (state.effective.at < first) continue;
    const after = flagsOf([...inForce.values()]);
    rows.push(...rowsOfState(state, { before, after }, kinds));
  }
  return rows;
}

function countedKinds(
  states: readonly BlockingState[],
  transitions: readonly Transition[],
): readonly Counted[] {
  const bound = (name: string) =>
    states.find((state) => isEntitlementBound(state) && state.stateName === name);
  const started = bound(EntitlementStateName.ENT_STARTED)?.effective ?? null;
  const billingEnd = transitions.find(({ event }) => isEnd(event))?.event.effective.at ?? null;
  // An expiry ends the service too; a cancellation says when it does.
  const serviceEnd = bound(EntitlementStateName.ENT_CANCELLED)?.effective.at ?? expiryOf(transitions);
  return [
    {
      flag: 'isBlockEntitlement',
      span: { start: started, end: serviceEnd },
      paused: SubscriptionEventType.PAUSE_ENTITLEMENT,
      resumed: SubscriptionEventType.RESUME_ENTITLEMENT,
    },
    {
      flag: 'isBlockBilling',
      span: { start: transitions[0]?.event.effective ?? null, end: billingEnd },
      paused: SubscriptionEventType.PAUSE_BILLING,
      resumed: SubscriptionEventType.RESUME_BILLING,
    },
  ];
}

function expiryOf(transitions: readonly Transition[]): Instant | null {
  return transitions.find(({ state }) => state === 'EXPIRED')?.event.effective.at ?? null;
}

function rowsOfState(
  state: BlockingState,
  { before, after }: { readonly before: BlockFlags; readonly after: BlockFlags },
  kinds: readonly Counted[],
): readonly BlockingRow[] {
  const { effective } = state;
  const counting = kinds.filter(({ span }) => runsAt(span, effective.at));
  const resumed = counting.filter(({ flag }) => before[flag] && !after[flag]).map((kind) => kind.resumed);
  const paused = counting.filter(({ flag }) => !before[flag] && after[flag]).map((kind) => kind.paused);
  const types = [...resumed, ...paused];
  if (types.length === 0 && state.service !== ENTITLEMENT_SERVICE) {
    types.push(SubscriptionEventType.SERVICE_STATE_CHANGE);
  }
  return types.map((type) => ({ state, type, effective }));
}

/** A block that is in force already when service or billing starts pauses it there. */
function rowOfStart(
  { flag, span, paused }: Counted,
  blocks: readonly BlockingState[],
): readonly BlockingRow[] {
  const { start } = span;
  if (start === null || !runsAt(span, start.at)) return [];
  const earlier = blocks.filter(({ effective }) => effective.at < start.at);
  const state = statesInForce(earlier).find((each) => each[flag]);
  return state === undefined ? [] : [{ state, type: paused, effective: start }];
}

function runsAt({ start, end }: Span, at: Instant): boolean {
  return start !== null && start.at <= at && (end === null || at <= end);
}
