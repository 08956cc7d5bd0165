import type { CatalogWithOverrides, CollapsedSpan, OverridePlan } from '../../catalog/index.ts';
import type { CancelSubscriptionOptions } from '../../ports/index.ts';
import type {
  Account,
  BlockingState,
  LifecycleEvent,
  New,
  ProductCategory,
  Redemption,
  StoredCursor,
  Subscription,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  addDays,
  addMilliseconds,
  type DatedInstant,
  type Instant,
  type LocalDate,
  localDateOf,
  type RequestedDate,
  startOfDay,
  UTC,
} from '../../values/time/index.ts';
import type { StatePlan } from '../blocking/blocked-time.ts';
import type { Creation } from '../create/creation.ts';
import {
  markCursorDirty,
  runEventOf,
  runEventOfCreations,
  type SubscriptionEdit,
  touchedDates,
} from '../edits/subscription-edit.ts';
import type { EffectiveFrom } from '../edits/terms-change.ts';
import type { CheckedRequest, CouponRequest, CreateSubscriptionOptions } from '../requests/create-request.ts';
import type { CheckedBlock, CheckedChange } from '../requests/edit-requests.ts';
import { datedInstant } from '../timeline/phase-timeline.ts';

/** The effect that an action would have on an account's subscriptions. It is never stored (§20). */
export interface Hypothesis {
  /** The subscription that the action would create. */
  readonly created: New<Subscription> | null;
  /** The invoicing cursor of the subscription that the action would create. */
  readonly createdCursor: StoredCursor | null;
  readonly addedEvents: readonly New<LifecycleEvent>[];
  /** Ids of events that the action would withdraw. */
  readonly withdrawn: ReadonlySet<Uuid>;
  /** The blocking states that the action would add. */
  readonly addedStates: readonly BlockingState[];
  readonly withdrawnStates: ReadonlySet<Uuid>;
  /** The days to bill again, by subscription. */
  readonly touched: ReadonlyMap<Uuid, readonly LocalDate[]>;
  /** The time at which the action would take effect, or null if the action would not change any event. */
  readonly effective: DatedInstant | null;
  /**
   * Target dates of the invoice runs that would start immediately. The list is empty if the action takes effect
   * later.
   */
  readonly runDates: readonly LocalDate[];
  /** The plan that implements the requested prices, or null if no prices were requested. */
  readonly overridePlan: OverridePlan | null;
  /** The coupons that the action would redeem, or null if it would redeem no coupons. */
  readonly coupons: CouponRequest | null;
  /** The redemptions of these coupons. */
  readonly redemptions: readonly New<Redemption>[];
  /** The id of the subscription whose pending plan changes the action would undo, or null if it undoes none. */
  readonly undoneChangesOf: Uuid | null;
  /** Ids of the coupon redemptions that the action would undo together with pending plan changes. */
  readonly undoneRedemptions: ReadonlySet<Uuid>;
  /**
   * The time span from the action to the end of its day. The catalog is read as of the end of that day (§20). The value
   * is null if no date was requested.
   */
  readonly day: CollapsedSpan | null;
}

type HypothesisTime = Pick<Hypothesis, 'day'> & { readonly now: Instant };

const NOTHING = {
  created: null,
  createdCursor: null,
  addedEvents: [],
  withdrawn: new Set<Uuid>(),
  addedStates: [],
  withdrawnStates: new Set<Uuid>(),
  touched: new Map<Uuid, readonly LocalDate[]>(),
  overridePlan: null,
  coupons: null,
  redemptions: [],
  undoneChangesOf: null,
  undoneRedemptions: new Set<Uuid>(),
  day: null,
};

export function hypothesisOfCreation(
  creation: Creation,
  overridePlan: OverridePlan | null,
  { now, day }: HypothesisTime,
): Hypothesis {
  return {
    ...NOTHING,
    created: creation.subscription,
    createdCursor: creation.cursor,
    addedEvents: creation.events,
    effective: creation.events[0]?.effective ?? null,
    runDates: [runEventOfCreations([creation], now)].flatMap((event) => event?.effective.date ?? []),
    overridePlan,
    coupons: creation.coupons,
    day,
  };
}

export function hypothesisOfEdits(
  edits: readonly SubscriptionEdit[],
  { overridePlan = null, coupons = null }: Partial<Pick<Hypothesis, 'overridePlan' | 'coupons'>>,
  { now, day }: HypothesisTime,
): Hypothesis {
  const touched = Map.groupBy(edits.flatMap(touchedDates), ({ subscriptionId }) => subscriptionId);
  return {
    ...NOTHING,
    addedEvents: edits.flatMap((edit) => [...edit.addedEvents, ...edit.restored]),
    withdrawn: new Set(edits.flatMap((edit) => edit.withdrawn.map(({ event }) => event.id))),
    touched: new Map([...touched].map(([id, days]) => [id, days.map(({ date }) => date)])),
    effective: edits[0]?.addedEvents[0]?.effective ?? null,
    runDates: edits.flatMap((edit) => runEventOf(edit, now)?.effective.date ?? []),
    overridePlan,
    coupons,
    day,
  };
}

/**
 * Returns the effect of a blocking state.
 * @param subscriptionIds Ids of the subscriptions to which the state applies.
 */
export function hypothesisOfState(
  { block, added, withdrawn, billedOtherwiseFrom: from }: StatePlan,
  subscriptionIds: readonly Uuid[],
  now: Instant,
): Hypothesis {
  const { effective, object } = block;
  const isBilledNow = from !== null && from.at <= now && effective.at <= now;
  return {
    ...NOTHING,
    addedStates: added === null ? [] : [added],
    withdrawnStates: new Set(withdrawn.map(({ id }) => id)),
    touched: new Map(subscriptionIds.map((id) => [id, from === null ? [] : [from.date]])),
    effective,
    runDates: isBilledNow ? [localDateOf(now, object.account.timeZone)] : [],
  };
}

/** A number greater than all stored record ids and less than the record ids of derived events. */
const NEXT_RECORD_ID = 2 ** 51;

/** Returns the active events as they would be after the action. */
export function eventsUnder(
  hypothesis: Hypothesis,
  stored: readonly LifecycleEvent[],
): readonly LifecycleEvent[] {
  const added = hypothesis.addedEvents.map((event, index) => ({
    ...event,
    recordId: NEXT_RECORD_ID + index,
  }));
  return [...stored.filter(({ id }) => !hypothesis.withdrawn.has(id)), ...added];
}

/** Returns all events of these subscriptions, active and withdrawn, as they would be after the action. */
export function historyUnder(
  hypothesis: Hypothesis,
  active: readonly LifecycleEvent[],
  withdrawn: readonly LifecycleEvent[],
): readonly LifecycleEvent[] {
  const undone = active.filter(({ id }) => hypothesis.withdrawn.has(id));
  return [
    ...eventsUnder(hypothesis, active),
    ...undone.map((event) => ({ ...event, isActive: false })),
    ...withdrawn,
  ];
}

/** Returns the active blocking states as they would be after the action. */
export function blockingStatesUnder(
  { addedStates, withdrawnStates }: Pick<Hypothesis, 'addedStates' | 'withdrawnStates'>,
  stored: readonly BlockingState[],
): readonly BlockingState[] {
  return [...stored.filter(({ id }) => !withdrawnStates.has(id)), ...addedStates];
}

/** Returns the redemptions as they would be after the action. */
export function redemptionsUnder(
  { redemptions, undoneRedemptions }: Pick<Hypothesis, 'redemptions' | 'undoneRedemptions'>,
  stored: readonly Redemption[],
): readonly Redemption[] {
  const added = redemptions.map((redemption, index) => ({ ...redemption, recordId: NEXT_RECORD_ID + index }));
  return [...stored.filter(({ id }) => !undoneRedemptions.has(id)), ...added];
}

/** Returns the invoicing cursors of an account's subscriptions as they would be after the action. */
export function cursorsUnder(
  { createdCursor, touched }: Hypothesis,
  stored: readonly StoredCursor[],
): readonly StoredCursor[] {
  const dirtied = stored.map((cursor) => markCursorDirty(cursor, touched.get(cursor.subscriptionId) ?? []));
  return createdCursor === null ? dirtied : [...dirtied, createdCursor];
}

/** Returns the account's subscriptions as they would be after the action. */
export function subscriptionsUnder(
  { created }: Hypothesis,
  stored: readonly Subscription[],
): readonly Subscription[] {
  return created === null ? stored : [...stored, { ...created, recordId: NEXT_RECORD_ID }];
}

/** Returns the catalog as of the action's day, including the plan that implements the requested prices. */
export function catalogUnder(
  catalog: CatalogWithOverrides,
  hypothesis: Pick<Hypothesis, 'overridePlan' | 'day'> | null,
): CatalogWithOverrides {
  return withForeseenPlan(catalogOn(hypothesis?.day ?? null, catalog), hypothesis);
}

/** Returns the catalog, including the plan that implements the requested prices. */
export function withForeseenPlan(
  catalog: CatalogWithOverrides,
  hypothesis: Pick<Hypothesis, 'overridePlan'> | null,
): CatalogWithOverrides {
  const overridePlan = hypothesis?.overridePlan ?? null;
  return overridePlan === null ? catalog : catalog.with(overridePlan);
}

export const HypotheticalActionType = {
  START_BILLING: 'START_BILLING',
  CHANGE: 'CHANGE',
  STOP_BILLING: 'STOP_BILLING',
} as const;
export type HypotheticalActionType = (typeof HypotheticalActionType)[keyof typeof HypotheticalActionType];

/** A running subscription. It must be in the requested bundle. */
export interface SubscriptionInBundle {
  readonly subscriptionId: Uuid;
  /** The id of the bundle, or null if no bundle was requested. */
  readonly bundleId: Uuid | null;
}

/**
 * A simulated operation on subscriptions (§20), with the members of the real request. If `seesEndOfDay` is true, the
 * catalog is read as of the end of the requested day, as in dry runs. The operation itself reads the catalog at its
 * own instant.
 */
export type HypotheticalAction =
  | {
      readonly type: typeof HypotheticalActionType.START_BILLING;
      readonly request: CheckedRequest;
      readonly options: CreateSubscriptionOptions;
      readonly seesEndOfDay: boolean;
    }
  | {
      readonly type: typeof HypotheticalActionType.CHANGE;
      readonly of: SubscriptionInBundle;
      readonly request: CheckedChange;
      /** Category of the plan if the request names its product. */
      readonly productCategory: ProductCategory | null;
      readonly seesEndOfDay: boolean;
    }
  | {
      readonly type: typeof HypotheticalActionType.STOP_BILLING;
      readonly of: SubscriptionInBundle;
      readonly options: CancelSubscriptionOptions;
    }
  | {
      readonly type: 'CHANGE_QUANTITY';
      readonly of: SubscriptionInBundle;
      readonly quantity: number;
      readonly from: EffectiveFrom;
    }
  | {
      readonly type: 'CHANGE_BILL_CYCLE_DAY';
      readonly of: SubscriptionInBundle;
      readonly day: number;
      readonly from: EffectiveFrom;
    }
  | { readonly type: 'UNCANCEL' | 'UNDO_CHANGE_PLAN'; readonly of: SubscriptionInBundle }
  | {
      readonly type: 'SET_BUNDLE_STATE';
      readonly bundleId: Uuid;
      readonly state: CheckedBlock;
      readonly requestedDate: RequestedDate | null;
    };

/** Returns the time span from the instant of the date to 23:59:59 UTC on that day, or null without a date (§20). */
export function dayOf(
  requested: RequestedDate | null | undefined,
  { account, now }: { readonly account: Account; readonly now: Instant },
): CollapsedSpan | null {
  if (!requested || !('date' in requested)) return null;
  const from = datedInstant(requested, now, account).at;
  const end = addMilliseconds(startOfDay(addDays(requested.date, 1), UTC), -1_000);
  return from < end ? { from, end } : null;
}

/** Returns the catalog of that day. */
export function catalogOn(day: CollapsedSpan | null, catalog: CatalogWithOverrides): CatalogWithOverrides {
  return day === null ? catalog : catalog.collapseSpan(day);
}
