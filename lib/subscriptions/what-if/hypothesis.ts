import type { CatalogWithOverrides, CollapsedSpan, OverridePlan } from '../../catalog/index.ts';
import type { CancelSubscriptionOptions } from '../../ports/index.ts';
import type {
  Account,
  LifecycleEvent,
  New,
  ProductCategory,
  StoredCursor,
  Subscription,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  addDays,
  addMilliseconds,
  type Instant,
  type LocalDate,
  type RequestedDate,
  startOfDay,
  UTC,
} from '../../values/time/index.ts';
import type { Creation } from '../create/creation.ts';
import {
  dirtiedFrom,
  runEventOf,
  runEventOfCreations,
  type SubscriptionEdit,
  touchedDates,
} from '../edits/subscription-edit.ts';
import type { CheckedRequest, CreateSubscriptionOptions } from '../requests/create-request.ts';
import type { CheckedChange } from '../requests/edit-requests.ts';
import { datedInstant } from '../timeline/phase-timeline.ts';

/** The effect that an action would have on an account's subscriptions; nothing is stored (§20). */
export interface Hypothesis {
  /** The subscription that the action would create. */
  readonly created: New<Subscription> | null;
  /** The invoicing cursor of that subscription. */
  readonly createdCursor: StoredCursor | null;
  readonly addedEvents: readonly New<LifecycleEvent>[];
  /** Ids of events that the action would withdraw. */
  readonly withdrawn: ReadonlySet<Uuid>;
  /** The days to bill again, by subscription. */
  readonly touched: ReadonlyMap<Uuid, readonly LocalDate[]>;
  /** Date on which the action would take effect; null if it would not change any event. */
  readonly effectiveDate: LocalDate | null;
  /** Target dates of immediate invoice runs; empty = the action takes effect later. */
  readonly runDates: readonly LocalDate[];
  /** The override plan of the requested prices; null if there is none. */
  readonly overridePlan: OverridePlan | null;
  /** The rest of the action's day, whose end supplies the catalog (§20); null if there is no date. */
  readonly day: CollapsedSpan | null;
}

type HypothesisTime = Pick<Hypothesis, 'day'> & { readonly now: Instant };

export function hypothesisOfCreation(
  creation: Creation,
  overridePlan: OverridePlan | null,
  { now, day }: HypothesisTime,
): Hypothesis {
  return {
    created: creation.subscription,
    createdCursor: creation.cursor,
    addedEvents: creation.events,
    withdrawn: new Set(),
    touched: new Map(),
    effectiveDate: creation.events[0]?.effective.date ?? null,
    runDates: [runEventOfCreations([creation], now)].flatMap((event) => event?.effective.date ?? []),
    overridePlan,
    day,
  };
}

export function hypothesisOfEdits(
  edits: readonly SubscriptionEdit[],
  overridePlan: OverridePlan | null,
  { now, day }: HypothesisTime,
): Hypothesis {
  const touched = Map.groupBy(edits.flatMap(touchedDates), ({ subscriptionId }) => subscriptionId);
  return {
    created: null,
    createdCursor: null,
    addedEvents: edits.flatMap((edit) => [...edit.addedEvents, ...edit.restored]),
    withdrawn: new Set(edits.flatMap((edit) => edit.withdrawn.map(({ event }) => event.id))),
    touched: new Map([...touched].map(([id, days]) => [id, days.map(({ date }) => date)])),
    effectiveDate: edits[0]?.addedEvents[0]?.effective.date ?? null,
    runDates: edits.flatMap((edit) => runEventOf(edit, now)?.effective.date ?? []),
    overridePlan,
    day,
  };
}

/** Above the record ids of a database and below those of derived events. */
const NEXT_RECORD_ID = 2 ** 51;

/** Returns the active events after the action. */
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

/** Returns the invoicing cursors of an account's subscriptions after the action. */
export function cursorsUnder(
  { createdCursor, touched }: Hypothesis,
  stored: readonly StoredCursor[],
): readonly StoredCursor[] {
  const dirtied = stored.map((cursor) => dirtiedFrom(cursor, touched.get(cursor.subscriptionId) ?? []));
  return createdCursor === null ? dirtied : [...dirtied, createdCursor];
}

/** Returns the account's subscriptions after the action. */
export function subscriptionsUnder(
  { created }: Hypothesis,
  stored: readonly Subscription[],
): readonly Subscription[] {
  return created === null ? stored : [...stored, { ...created, recordId: NEXT_RECORD_ID }];
}

/** Returns the catalog of the action's day with the override plan of the requested prices. */
export function catalogUnder(
  catalog: CatalogWithOverrides,
  hypothesis: Pick<Hypothesis, 'overridePlan' | 'day'> | null,
): CatalogWithOverrides {
  return withForeseenPlan(catalogOn(hypothesis?.day ?? null, catalog), hypothesis);
}

/** Returns the catalog with the override plan of the requested prices. */
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

/** A running subscription and its bundle as requested. */
export interface SubscriptionInBundle {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
}

/** A simulated operation on subscriptions (§20), with the members of the real request. */
export type HypotheticalAction =
  | {
      readonly type: typeof HypotheticalActionType.START_BILLING;
      readonly request: CheckedRequest;
      readonly options: CreateSubscriptionOptions;
    }
  | {
      readonly type: typeof HypotheticalActionType.CHANGE;
      readonly of: SubscriptionInBundle;
      readonly request: CheckedChange;
      /** Category of the plan if the request names its product. */
      readonly productCategory: ProductCategory | null;
    }
  | {
      readonly type: typeof HypotheticalActionType.STOP_BILLING;
      readonly of: SubscriptionInBundle;
      readonly options: CancelSubscriptionOptions;
    };

/** Returns the range from the instant of the date to 23:59:59 UTC on that day; null if there is no date (§20). */
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
