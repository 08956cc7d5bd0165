import {
  type BlockingState,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type LifecycleEventType,
  ProductCategory,
  type Subscription,
  SubscriptionEventType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import { type BlockHistory, blockHistory } from '../blocking/states-in-force.ts';
import { type PlanInForce, planShownAt, type Transition } from '../timeline/transitions.ts';
import { type BlockingRow, blockingRows } from './blocking-rows.ts';

/** A row of the public timeline, which merges the rows of all subscriptions of a bundle (§18). */
export interface SubscriptionEvent {
  /** Id of the lifecycle event or blocking state. Several rows may have the same id. */
  readonly eventId: Uuid;
  readonly subscriptionId: Uuid;
  readonly type: SubscriptionEventType;
  readonly effective: DatedInstant;
  /** The plan in force after the event. For STOP_ rows, the plan that ended. */
  readonly plan: PlanInForce | null;
  readonly isBlockedBilling: boolean;
  readonly isBlockedEntitlement: boolean;
  readonly serviceName: string;
  readonly serviceStateName: string;
}

/** The data from which the rows of one subscription are created. */
export interface EventListSource {
  readonly subscription: Pick<Subscription, 'id' | 'category' | 'recordId'>;
  readonly transitions: readonly Transition[];
  /** Active states of the subscription itself. */
  readonly blockingStates: readonly BlockingState[];
  /** Blocks of the bundle and of the account. */
  readonly inherited: readonly BlockHistory[];
}

const BILLING_SERVICE = 'billing-service';
const BOTH_SERVICES = 'entitlement+billing-service';

/**
 * Returns the rows of one bundle's subscriptions in the order of §18 rule 5. Rows are created lazily, as the caller
 * iterates.
 */
export function subscriptionEvents(sources: readonly EventListSource[]): Iterable<SubscriptionEvent> {
  return {
    *[Symbol.iterator]() {
      for (const { event } of mergeSorted(sources.map(rowsOf), compareRows)) yield event;
    },
  };
}

/** Yields the rows of one subscription. This list and the list of the bundle treat the same rows as repetitions. */
function* rowsOf(source: EventListSource): Generator<OrderedRow, undefined> {
  const own = [...Map.groupBy(source.blockingStates, ({ blockedId }) => blockedId).values()].map(
    blockHistory,
  );
  const blocks = blockingRows(source, [...own, ...source.inherited]);
  const few = [
    ...transitionRows(source),
    ...entitlementRows(source),
    ...blocks.ofStarts.map((row) => blockRow(source, row, planShownAt(source.transitions, row.effective.at))),
  ].toSorted(compareRows);
  yield* withoutRepetitions(mergeSorted([few, rowsOfStates(source, blocks.ofStates)], compareRows));
}

/** Omits rows that are equal to the previous row of the same service and subscription (§18 rule 7). */
function* withoutRepetitions(rows: Iterable<OrderedRow>): Generator<OrderedRow, undefined> {
  const lastOf = new Map<string, OrderedRow>();
  for (const row of rows) {
    const previous = lastOf.get(row.event.serviceName);
    if (previous !== undefined && repeats(row, previous)) continue;
    lastOf.set(row.event.serviceName, row);
    yield row;
  }
}

function repeats(row: OrderedRow, previous: OrderedRow): boolean {
  const isSameInstant = row.event.effective.at === previous.event.effective.at;
  return (
    (isSameInstant || repeatsLater(row, previous)) &&
    isSamePlan(row.event.plan, previous.event.plan) &&
    comparedAsTheyAre.every((name) => row.event[name] === previous.event[name])
  );
}

/**
 * Returns true if a row can repeat a row of an earlier instant. A change from another plan cannot repeat an earlier
 * row. Neither can a pause or resume, because its counterpart may belong to another service.
 */
function repeatsLater({ event, planBefore }: OrderedRow, previous: OrderedRow): boolean {
  if (event.type === SubscriptionEventType.SERVICE_STATE_CHANGE) return true;
  return event.type === SubscriptionEventType.CHANGE && isSamePlan(planBefore, previous.planBefore);
}

function isSamePlan(one: PlanInForce | null, other: PlanInForce | null): boolean {
  return one?.phase === other?.phase && one?.priceListName === other?.priceListName;
}

const comparedAsTheyAre = [
  'type',
  'isBlockedBilling',
  'isBlockedEntitlement',
  'serviceStateName',
] as const satisfies readonly (keyof SubscriptionEvent)[];

/** A row with its sort keys. */
interface OrderedRow {
  readonly event: SubscriptionEvent;
  /** The plan before the event of the row, or null for rows of blocking states, which do not change the plan. */
  readonly planBefore: PlanInForce | null;
  readonly source: EventListSource;
  readonly sequence: number;
}

/**
 * Sort rank of blocking state rows. It is between the common rank of PHASE and CHANGE and the rank of STOP_ENTITLEMENT
 * (§18 rule 5).
 */
const BLOCK_RANK = 3;

const RANK: Readonly<Record<SubscriptionEventType, number>> = {
  START_ENTITLEMENT: 0,
  START_BILLING: 1,
  PHASE: 2,
  CHANGE: 2,
  PAUSE_ENTITLEMENT: BLOCK_RANK,
  PAUSE_BILLING: BLOCK_RANK,
  RESUME_ENTITLEMENT: BLOCK_RANK,
  RESUME_BILLING: BLOCK_RANK,
  SERVICE_STATE_CHANGE: BLOCK_RANK,
  STOP_ENTITLEMENT: 4,
  STOP_BILLING: 5,
};

/**
 * Compares rows by time and rank. The blocking state is compared before the subscription, and equal rows keep their
 * order, so all rows of one state stay together.
 */
function compareRows(a: OrderedRow, b: OrderedRow): number {
  const rank = RANK[a.event.type];
  return (
    a.event.effective.at - b.event.effective.at ||
    rank - RANK[b.event.type] ||
    (rank === BLOCK_RANK ? a.sequence - b.sequence : 0) ||
    Number(isBase(b)) - Number(isBase(a)) ||
    a.source.subscription.recordId - b.source.subscription.recordId ||
    a.sequence - b.sequence
  );
}

function isBase(row: OrderedRow): boolean {
  return row.source.subscription.category === ProductCategory.BASE;
}

const ROW_OF_TRANSITION: Readonly<Record<LifecycleEventType, SubscriptionEventType | null>> = {
  CREATE: SubscriptionEventType.START_BILLING,
  TRANSFER: SubscriptionEventType.START_BILLING,
  PHASE: SubscriptionEventType.PHASE,
  CHANGE: SubscriptionEventType.CHANGE,
  CANCEL: SubscriptionEventType.STOP_BILLING,
  EXPIRED: SubscriptionEventType.STOP_BILLING,
  BCD_CHANGE: null,
  QUANTITY_CHANGE: null,
  UNCANCEL: null,
  UNDO_CHANGE: null,
};

function transitionRows(source: EventListSource): readonly OrderedRow[] {
  return source.transitions.flatMap((transition) => {
    const type = ROW_OF_TRANSITION[transition.event.type];
    if (type === null) return [];
    const isBillingOnly =
      type === SubscriptionEventType.START_BILLING || type === SubscriptionEventType.STOP_BILLING;
    const event: SubscriptionEvent = {
      eventId: transition.event.id,
      subscriptionId: source.subscription.id,
      type,
      effective: transition.event.effective,
      plan: planOf(transition),
      isBlockedBilling: false,
      isBlockedEntitlement: false,
      serviceName: isBillingOnly ? BILLING_SERVICE : BOTH_SERVICES,
      serviceStateName: type,
    };
    const { sequence } = transition.event;
    return [{ event, planBefore: transition.previous, source, sequence }];
  });
}

function entitlementRows(source: EventListSource): readonly OrderedRow[] {
  return source.blockingStates.flatMap((state) => {
    const type = state.service === ENTITLEMENT_SERVICE ? ROW_OF_ENTITLEMENT.get(state.stateName) : undefined;
    if (type === undefined) return [];
    const { effective } = state;
    const plan = planShownAt(source.transitions, effective.at);
    const event = eventOfState(source, { state, type, effective, plan });
    return [{ event, planBefore: null, source, sequence: state.sequence }];
  });
}

/** Yields the rows of blocking states in time order. That order also determines the plan in force at each row. */
function* rowsOfStates(source: EventListSource, rows: Iterable<BlockingRow>) {
  const { transitions } = source;
  let passed = 0;
  for (const row of rows) {
    const { at } = row.effective;
    while (isUpTo(transitions[passed], at)) passed += 1;
    yield blockRow(source, row, planOf(transitions[Math.max(passed - 1, 0)]));
  }
}

function isUpTo(transition: Transition | undefined, at: Instant): boolean {
  return transition !== undefined && transition.event.effective.at <= at;
}

function planOf(transition: Transition | undefined): PlanInForce | null {
  return transition?.next ?? transition?.previous ?? null;
}

function blockRow(source: EventListSource, row: BlockingRow, plan: PlanInForce | null): OrderedRow {
  const event = eventOfState(source, { ...row, plan });
  return { event, planBefore: null, source, sequence: row.state.recordId };
}

function eventOfState(
  source: EventListSource,
  { state, type, effective, plan }: BlockingRow & { readonly plan: PlanInForce | null },
): SubscriptionEvent {
  const isBillingOnly =
    type === SubscriptionEventType.PAUSE_BILLING || type === SubscriptionEventType.RESUME_BILLING;
  return {
    eventId: state.id,
    subscriptionId: source.subscription.id,
    type,
    effective,
    plan,
    isBlockedBilling: state.isBlockBilling,
    isBlockedEntitlement: state.isBlockEntitlement,
    serviceName: isBillingOnly && state.service === ENTITLEMENT_SERVICE ? BILLING_SERVICE : state.service,
    serviceStateName: state.stateName,
  };
}

const ROW_OF_ENTITLEMENT: ReadonlyMap<string, SubscriptionEventType> = new Map([
  [EntitlementStateName.ENT_STARTED, SubscriptionEventType.START_ENTITLEMENT],
  [EntitlementStateName.ENT_CANCELLED, SubscriptionEventType.STOP_ENTITLEMENT],
]);

/** The next element of a merged list. */
interface Head<T> {
  readonly rest: Iterator<T>;
  /** Position of this list among all lists. */
  readonly place: number;
  value: T;
}

/** Merges sorted lists lazily. Equal elements keep the order of the lists from which they come. */
export function* mergeSorted<T>(
  lists: readonly Iterable<T>[],
  compare: (one: T, other: T) => number,
): Generator<T> {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) {
    yield* only;
    return;
  }
  const isBefore = (one: Head<T>, other: Head<T>): boolean =>
    (compare(one.value, other.value) || one.place - other.place) < 0;
  const heap = lists.flatMap((list, place): Head<T>[] => {
    const rest = list[Symbol.iterator]();
    const next = rest.next();
    return next.done ? [] : [{ rest, place, value: next.value }];
  });
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sink(heap, index, isBefore);
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.value;
    const next = first.rest.next();
    if (next.done) {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    } else first.value = next.value;
    sink(heap, 0, isBefore);
  }
}

/** Moves the element down the heap until the heap order is restored. */
function sink<T>(heap: T[], from: number, isBefore: (one: T, other: T) => boolean): void {
  const moved = heap[from];
  if (moved === undefined) return;
  let at = from;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const least = isRight ? right : left;
    if (!isBefore(least, moved)) break;
    heap[at] = least;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = moved;
}
