import { type BlockingState, ENTITLEMENT_SERVICE, SubscriptionEventType } from '../../records/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import {
  Block,
  type BlockHistory,
  isEntitlementEnd,
  isEntitlementStart,
  longestBlockBefore,
} from '../blocking/states-in-force.ts';
import { isEnd } from '../timeline/lifecycle-events.ts';
import type { Transition } from '../timeline/transitions.ts';

/**
 * The effect of a blocking state on a subscription. It begins at the instant of the state or, if later, when the
 * blocked service or billing would start.
 */
export interface BlockingRow {
  readonly state: BlockingState;
  readonly type: SubscriptionEventType;
  readonly effective: DatedInstant;
}

interface BlockingRows {
  /** Blocks that are in force at the start of service or billing. */
  readonly ofStarts: readonly BlockingRow[];
  /** Rows in time order, created on demand. */
  readonly ofStates: Iterable<BlockingRow>;
}

/** The time span in which blocks of a kind apply. Null means never. */
interface Span {
  readonly start: DatedInstant | null;
  readonly end: Instant | null;
}

interface Counted {
  readonly block: Block;
  readonly span: Span;
  readonly paused: SubscriptionEventType;
  readonly resumed: SubscriptionEventType;
}

/**
 * Returns the rows for a subscription's blocks.
 * @param histories The block histories of the subscription, its bundle and its account.
 */
export function blockingRows(
  source: { readonly transitions: readonly Transition[]; readonly blockingStates: readonly BlockingState[] },
  histories: readonly BlockHistory[],
): BlockingRows {
  const kinds = countedKinds(source.blockingStates, source.transitions);
  return {
    ofStarts: kinds.flatMap((kind) => rowOfStart(kind, histories)),
    ofStates: { [Symbol.iterator]: () => rowsOfStates(kinds, histories) },
  };
}

function* rowsOfStates(kinds: readonly Counted[], histories: readonly BlockHistory[]) {
  const first = Math.min(...kinds.map(({ span: { start } }) => start?.at ?? Number.POSITIVE_INFINITY));
  let before = 0;
  for (const { state, blocks } of inTimeOrder(histories)) {
    if (state.effective.at >= first) yield* rowsOfState(state, { before, after: blocks }, kinds);
    before = blocks;
  }
}

function* inTimeOrder(histories: readonly BlockHistory[]) {
  const read = histories.filter(({ states }) => states.length > 0).map((history) => ({ history, next: 0 }));
  for (;;) {
    let first: (typeof read)[number] | undefined;
    for (const each of read) if (comesBefore(nextOf(each), first && nextOf(first))) first = each;
    const state = first && nextOf(first);
    if (first === undefined || state === undefined) return;
    first.next += 1;
    let blocks = 0;
    for (const { history, next } of read) blocks |= history.blocks[next - 1] ?? 0;
    yield { state, blocks };
  }
}

function nextOf({ history, next }: { readonly history: BlockHistory; readonly next: number }) {
  return history.states[next];
}

function comesBefore(one: BlockingState | undefined, other: BlockingState | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  return (one.effective.at - other.effective.at || one.recordId - other.recordId) < 0;
}

function countedKinds(states: readonly BlockingState[], transitions: readonly Transition[]) {
  const started = states.find(isEntitlementStart)?.effective ?? null;
  const billingEnd = transitions.find(({ event }) => isEnd(event))?.event.effective.at ?? null;
  // An expiry also ends the service. A cancellation has a separate service end.
  const expiry = transitions.find(({ state }) => state === 'EXPIRED')?.event;
  const serviceEnd = (states.find(isEntitlementEnd) ?? expiry)?.effective.at ?? null;
  return [
    {
      block: Block.ENTITLEMENT,
      span: { start: started, end: serviceEnd },
      paused: SubscriptionEventType.PAUSE_ENTITLEMENT,
      resumed: SubscriptionEventType.RESUME_ENTITLEMENT,
    },
    {
      block: Block.BILLING,
      span: { start: transitions[0]?.event.effective ?? null, end: billingEnd },
      paused: SubscriptionEventType.PAUSE_BILLING,
      resumed: SubscriptionEventType.RESUME_BILLING,
    },
  ];
}

function rowsOfState(
  state: BlockingState,
  { before, after }: { readonly before: number; readonly after: number },
  kinds: readonly Counted[],
) {
  const { effective } = state;
  const [ended, begun] = [before & ~after, after & ~before];
  const rows: BlockingRow[] = [];
  for (const { block, span, resumed } of kinds) {
    if ((ended & block) !== 0 && runsAt(span, effective.at)) rows.push({ state, type: resumed, effective });
  }
  for (const { block, span, paused } of kinds) {
    if ((begun & block) !== 0 && runsAt(span, effective.at)) rows.push({ state, type: paused, effective });
  }
  if (rows.length === 0 && state.service !== ENTITLEMENT_SERVICE) {
    rows.push({ state, type: SubscriptionEventType.SERVICE_STATE_CHANGE, effective });
  }
  return rows;
}

/**
 * Returns the row for a block that is already in force when service or billing starts. Such a block pauses the
 * subscription immediately.
 */
function rowOfStart({ block, span, paused }: Counted, histories: readonly BlockHistory[]) {
  const { start } = span;
  if (start === null || !runsAt(span, start.at)) return [];
  const blocking = histories.flatMap((history) => longestBlockBefore(history, { block, at: start.at }) ?? []);
  const [state] = blocking.toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
  return state === undefined ? [] : [{ state, type: paused, effective: start }];
}

function runsAt({ start, end }: Span, at: Instant): boolean {
  return start !== null && start.at <= at && (end === null || at <= end);
}
