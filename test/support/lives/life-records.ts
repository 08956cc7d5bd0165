import { CatalogWithOverrides } from '../../../lib/catalog/index.ts';
import {
  type Account,
  type BlockingState,
  type Bundle,
  type LifecycleEvent,
  type New,
  type NewBusEvent,
  ProductCategory,
  type Subscription,
} from '../../../lib/records/index.ts';
import type { BilledHistory } from '../../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import type { FoundBundle } from '../../../lib/subscriptions/create/choose-group.ts';
import type { NewBundleContent } from '../../../lib/subscriptions/create/creation.ts';
import {
  blockingStateNotification,
  type DueItem,
  dueItemOf,
  effectiveEvent,
  eventNotification,
} from '../../../lib/subscriptions/edits/bus-events.ts';
import type { DueFacts, DueWork } from '../../../lib/subscriptions/edits/due-work.ts';
import type { RunningSubscription } from '../../../lib/subscriptions/edits/running-subscription.ts';
import { runningSubscriptions } from '../../../lib/subscriptions/edits/running-subscription.ts';
import type { SubscriptionEdit, TouchedDate } from '../../../lib/subscriptions/edits/subscription-edit.ts';
import {
  findTouchedDate,
  runEventOf,
  runEventOfCreations,
  touchedDates,
} from '../../../lib/subscriptions/edits/subscription-edit.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant, LocalDate, RequestedDate } from '../../../lib/values/time/index.ts';
import { addDays, instant, localDateOf, parseLocalDate } from '../../../lib/values/time/index.ts';
import { at } from '../subscriptions/example.ts';
import { catalogOf, type Shelf } from './subscription-shelf.ts';
import type { RequestDay } from './subscription-steps.ts';

export interface Stored {
  readonly busEvents: readonly NewBusEvent[];
  readonly touched: readonly TouchedDate[];
}

export interface DueEntry {
  readonly key: string;
  readonly at: Instant;
  readonly item: DueItem;
}

/** The tables and queue entries of a history, written like the services write them. */
export class LifeRecords {
  readonly catalog: CatalogWithOverrides;
  readonly accounts: Map<Uuid, Account>;
  readonly bundles = new Map<Uuid, Bundle>();
  readonly subscriptions = new Map<Uuid, Subscription>();
  readonly due = new Map<string, DueEntry>();
  /** Active and withdrawn events, in insertion order. */
  #events: readonly LifecycleEvent[] = [];
  #states: readonly BlockingState[] = [];
  #lastRecordId = 0;

  constructor(shelf: Shelf, accounts: readonly Account[]) {
    this.catalog = new CatalogWithOverrides(catalogOf(shelf), []);
    this.accounts = new Map(accounts.map((account) => [account.id, account]));
  }

  accountOf({ accountId }: Pick<Subscription, 'accountId'>): Account {
    return given(this.accounts.get(accountId));
  }

  ofAccount(accountId: Uuid): readonly Subscription[] {
    return [...this.subscriptions.values()].filter((each) => each.accountId === accountId);
  }

  ofBundle(bundleId: Uuid): readonly Subscription[] {
    return [...this.subscriptions.values()].filter((each) => each.bundleId === bundleId);
  }

  eventsOf(subscriptionId: Uuid): readonly LifecycleEvent[] {
    return this.#events.filter((event) => event.isActive && event.subscriptionId === subscriptionId);
  }

  withdrawnOf(subscriptionIds: readonly Uuid[]): readonly LifecycleEvent[] {
    return this.#events.filter((event) => !event.isActive && subscriptionIds.includes(event.subscriptionId));
  }

  /** Active states of these objects. */
  statesOf(...blockedIds: readonly Uuid[]): readonly BlockingState[] {
    return this.#states.filter(({ isActive, blockedId }) => isActive && blockedIds.includes(blockedId));
  }

  historiesOf(accountId: Uuid): readonly BilledHistory[] {
    return this.ofAccount(accountId).map((subscription) => ({
      subscription,
      events: this.eventsOf(subscription.id),
      blockingStates: this.statesOf(accountId, subscription.bundleId, subscription.id),
    }));
  }

  runningIn(bundleId: Uuid): readonly RunningSubscription[] {
    const bundle = given(this.bundles.get(bundleId));
    const subscriptions = this.ofBundle(bundleId);
    const ids = subscriptions.map(({ id }) => id);
    return runningSubscriptions({
      account: this.accountOf(bundle),
      bundles: [bundle],
      subscriptions,
      events: ids.flatMap((id) => this.eventsOf(id)),
      blockingStates: this.statesOf(bundle.accountId, bundleId, ...ids),
      catalog: this.catalog,
    });
  }

  found(bundleId: Uuid): FoundBundle {
    const subscriptions = this.ofBundle(bundleId);
    return {
      bundle: given(this.bundles.get(bundleId)),
      subscriptions,
      events: subscriptions.flatMap(({ id }) => this.eventsOf(id)),
    };
  }

  baseOf({ bundleId }: Pick<Subscription, 'bundleId'>): Subscription | undefined {
    return this.ofBundle(bundleId).find(({ category }) => category === ProductCategory.BASE);
  }

  dueFacts(): DueFacts {
    const active = this.#events.filter(({ isActive }) => isActive);
    return {
      accounts: this.accounts,
      subscriptions: this.subscriptions,
      bundles: this.bundles,
      events: Map.groupBy(active, ({ subscriptionId }) => subscriptionId),
      blockingStates: this.#states.filter(({ isActive }) => isActive),
      plansOf: () => this.catalog,
    };
  }

  saveCreations(bundles: readonly NewBundleContent[], now: Instant): Stored {
    for (const { newBundle, releasedKey } of bundles) {
      if (releasedKey !== null) this.bundles.set(releasedKey.id, releasedKey);
      if (newBundle !== null) this.bundles.set(newBundle.id, this.#numbered(newBundle));
    }
    const creations = bundles.flatMap((bundle) => bundle.creations);
    for (const { subscription } of creations)
      this.subscriptions.set(subscription.id, this.#numbered(subscription));
    const runEvent = runEventOfCreations(creations, now);
    const busEvents = creations.flatMap((creation) => {
      this.insertEvents(creation.events, now);
      this.insertStates([creation.entitlementStart], now);
      const effectiveEvents = creation.events.filter(({ effective }) => effective.at <= now);
      return effectiveEvents.map((event) => effectiveEvent(creation, event, event === runEvent));
    });
    return { busEvents, touched: [] };
  }

  saveEdits(edits: readonly SubscriptionEdit[], now: Instant): Stored {
    const withdrawn = edits.flatMap((edit) => edit.withdrawn);
    const causes = new Map(withdrawn.map(({ event, by }) => [event.id, by]));
    const restored = edits.flatMap((edit) => edit.restored);
    const restoredIds = new Set(restored.map(({ id }) => id));
    this.#events = this.#events.map((event) => {
      const by = causes.get(event.id);
      if (by !== undefined) return { ...event, isActive: false, deactivatedBy: by };
      return restoredIds.has(event.id) ? { ...event, isActive: true, deactivatedBy: null } : event;
    });
    for (const { event } of withdrawn) this.due.delete(given(eventNotification(event).uniqueKey));
    this.withdrawStates(edits.flatMap((edit) => edit.withdrawnStates));
    this.#plan(restored, now, eventNotification);
    const busEvents = edits.flatMap((edit) => {
      this.insertEvents(edit.addedEvents, now);
      this.insertStates(edit.addedStates, now);
      const runEvent = runEventOf(edit, now);
      const effectiveEvents = edit.addedEvents.filter(({ effective }) => effective.at <= now);
      return effectiveEvents.map((event) => effectiveEvent(edit.subject, event, event === runEvent));
    });
    return { busEvents, touched: edits.flatMap(touchedDates) };
  }

  /** Stores the result of a due entry. Like the queue, it also plans entries that are already past. */
  saveWork({ addedEvents, addOnEnds, busEvents }: DueWork, now: Instant): Stored {
    this.insertEvents(addedEvents, now);
    for (const event of addedEvents) this.#enqueue(eventNotification(event));
    const ends = this.saveEdits(addOnEnds, now);
    return {
      busEvents: [...ends.busEvents, ...busEvents],
      touched: [...addedEvents.map(findTouchedDate), ...ends.touched],
    };
  }

  insertEvents(events: readonly New<LifecycleEvent>[], now: Instant): void {
    this.#events = [...this.#events, ...events.map((event) => this.#numbered(event))];
    this.#plan(events, now, eventNotification);
  }

  insertStates(states: readonly New<BlockingState>[], now: Instant): void {
    this.#states = [...this.#states, ...states.map((state) => this.#numbered(state))];
    this.#plan(states, now, blockingStateNotification);
  }

  withdrawStates(states: readonly BlockingState[]): void {
    const ended = new Set(states.map(({ id }) => id));
    this.#states = this.#states.map((state) => (ended.has(state.id) ? { ...state, isActive: false } : state));
    for (const state of states) this.due.delete(given(blockingStateNotification(state).uniqueKey));
  }

  #plan<F extends Pick<LifecycleEvent, 'effective'>>(
    facts: readonly F[],
    now: Instant,
    notificationOf: (fact: F) => ReturnType<typeof eventNotification>,
  ): void {
    for (const fact of facts) if (fact.effective.at > now) this.#enqueue(notificationOf(fact));
  }

  #enqueue({ queueName, payload, effectiveDate, uniqueKey }: ReturnType<typeof eventNotification>): void {
    const key = given(uniqueKey);
    this.due.set(key, { key, at: effectiveDate, item: given(dueItemOf(queueName, payload)) });
  }

  #numbered<T>(record: T): T & { readonly recordId: number } {
    this.#lastRecordId += 1;
    return { ...record, recordId: this.#lastRecordId };
  }
}

export function given<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('there is none');
  return value;
}

const msPerDay = 86_400_000;

export const lifeStart = at('2024-01-01T00:00:00Z');

export function todayOf({ timeZone }: Pick<Account, 'timeZone'>, now: Instant): LocalDate {
  return localDateOf(now, timeZone);
}

/** The date or instant of a request, in days from the account's today; null = no date. */
export function requestedDateOf(day: RequestDay, account: Account, now: Instant): RequestedDate | null {
  if (day === null) return null;
  const today = todayOf(account, now);
  if (day.second === null) return { date: addDays(today, day.days) };
  const days = today - parseLocalDate('2024-01-01') + day.days;
  return { at: instant(lifeStart + days * msPerDay + day.second * 1_000) };
}
