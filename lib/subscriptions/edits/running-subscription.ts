import type { CatalogWithOverrides } from '../../catalog/index.ts';
import {
  type Account,
  type BlockingState,
  type Bundle,
  type EntitlementState,
  type LifecycleEvent,
  LifecycleEventType,
  type New,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { type DatedInstant, formatInstant, type Instant } from '../../values/time/index.ts';
import {
  type BaseEnd,
  entitlementEnds,
  historiesOf,
  statesAsRead,
  timelinesOf,
} from '../add-ons/base-end.ts';
import { entitlementStart, subscriptionStateAt } from '../blocking/states-in-force.ts';
import { type BillCycleDaySources, billCycleDaySources } from '../timeline/bill-cycle-day.ts';
import {
  DatedBy,
  type EditTools,
  type EventDraft,
  eventsOf,
  readReason,
} from '../timeline/lifecycle-events.ts';
import { type PlanInForce, planShownAt, type Transition } from '../timeline/transitions.ts';
import type { EventSubject } from './bus-events.ts';

/** The data for operations on a subscription. It is read while the subscription's account is locked. */
export interface RunningSubscription extends EventSubject {
  readonly account: Account;
  readonly subscription: Subscription;
  readonly bundle: Bundle;
  readonly events: readonly LifecycleEvent[];
  /**
   * The transitions, including phases and an expiry that are not stored. For an add-on, they also include the end
   * caused by its base.
   */
  readonly transitions: readonly Transition[];
  readonly blockingStates: readonly BlockingState[];
  /** The end caused by the base if it is not stored yet, or null for subscriptions that are not add-ons. */
  readonly baseEnd: BaseEnd | null;
  readonly billCycleDays: BillCycleDaySources;
  readonly catalog: CatalogWithOverrides;
}

/** A subscription with all other subscriptions of its bundle, including ended subscriptions. */
export interface RunningInBundle {
  readonly running: RunningSubscription;
  readonly bundle: readonly RunningSubscription[];
}

/** Returns the public state of the subscription (§4.3). */
export function stateOf(running: RunningSubscription, now: Instant): EntitlementState {
  const { subscription, transitions } = running;
  const blockingStates = statesAsRead(running, running.baseEnd);
  return subscriptionStateAt({ subscriptionId: subscription.id, transitions, blockingStates }, now);
}

/**
 * Returns the plan and phase in force. Before billing starts, returns the first plan and phase. After billing has
 * ended, returns the last plan and phase.
 */
export function planOf({ subscription, transitions }: RunningSubscription, now: Instant): PlanInForce {
  const inForce = planShownAt(transitions, now);
  assertInvariant(inForce, `Subscription ${subscription.id} has no plan`, {
    subscriptionId: subscription.id,
  });
  return inForce;
}

export function entitlementStartOf({ subscription, blockingStates }: RunningSubscription): DatedInstant {
  const start = entitlementStart({ subscriptionId: subscription.id, blockingStates });
  assertInvariant(start, `Subscription ${subscription.id} has no start of its service`, {
    subscriptionId: subscription.id,
  });
  return start;
}

/** Returns the first transition, which is the past or future start of billing. */
export function firstTransitionOf({ subscription, transitions }: RunningSubscription): Transition {
  const [first] = transitions;
  assertInvariant(first, `Subscription ${subscription.id} has no start of its billing`, {
    subscriptionId: subscription.id,
  });
  return first;
}

/**
 * Returns the highest sequence of the subscription's events. The last event is withdrawn only if a later event is
 * added.
 */
export function lastSequenceOf({ events }: Pick<RunningSubscription, 'events'>): number {
  return events.reduce((last, { sequence }) => Math.max(last, sequence), 0);
}

export function nextEvents(
  running: Pick<RunningSubscription, 'subscription' | 'events'>,
  drafts: readonly EventDraft[],
  { now, nextId }: EditTools,
): readonly New<LifecycleEvent>[] {
  const { id: subscriptionId, accountRecordId } = running.subscription;
  const lastSequence = lastSequenceOf(running);
  return eventsOf(drafts, { subscriptionId, accountRecordId, lastSequence, createdDate: now, nextId });
}

interface StoredBundles extends Pick<RunningSubscription, 'account' | 'catalog'> {
  readonly bundles: readonly Bundle[];
  readonly subscriptions: readonly Subscription[];
  readonly events: readonly LifecycleEvent[];
  readonly blockingStates: readonly BlockingState[];
}

export function runningSubscriptions(facts: StoredBundles): readonly RunningSubscription[] {
  const { account, catalog } = facts;
  const bundleOf = new Map(facts.bundles.map((bundle) => [bundle.id, bundle]));
  const statesOf = Map.groupBy(facts.blockingStates, ({ blockedId }) => blockedId);
  const histories = historiesOf(facts.subscriptions, facts.events, facts.blockingStates);
  const timelines = timelinesOf(histories, { plans: catalog, zone: account.timeZone });
  const sources = billCycleDaySources(timelines, account);
  return timelines.map(({ subscription, events, transitions, baseEnd }) => {
    const bundle = bundleOf.get(subscription.bundleId);
    const billCycleDays = sources.get(subscription.id);
    assertInvariant(bundle && billCycleDays, `Subscription ${subscription.id} has no start of its billing`, {
      subscriptionId: subscription.id,
    });
    const blockingStates = [account.id, bundle.id, subscription.id].flatMap((id) => statesOf.get(id) ?? []);
    return {
      account,
      subscription,
      bundle,
      events,
      transitions,
      blockingStates,
      baseEnd,
      billCycleDays,
      catalog,
    };
  });
}

/**
 * Returns the ends of service that the subscription's own cancellations caused, excluding ends caused by its base or a
 * transfer. Only the earliest end is relevant.
 */
export function ownServiceEnds(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
): readonly BlockingState[] {
  return entitlementEnds(running).filter(({ causedBy }) => causedBy === null);
}

/** Returns true if the subscription has been or will be transferred. An add-on is transferred with its base. */
export function isTransferred(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
): boolean {
  // If a subscription is not an add-on, only a transfer sets `causedBy` on its end of service.
  const isAddOn = running.subscription.category === ProductCategory.ADD_ON;
  return !isAddOn && entitlementEnds(running).some(({ causedBy }) => causedBy !== null);
}

/** Returns true for the CANCEL of a transfer, which cannot be undone (§17.4). */
export function isTransferEnd({ type, reason }: Pick<LifecycleEvent, 'type' | 'reason'>): boolean {
  if (type !== LifecycleEventType.CANCEL || reason === null) return false;
  return readReason(reason).datedBy === DatedBy.TRANSFER;
}

/** Returns advice for a caller whose `edit` conflicts with a pending end of billing. */
export function adviceForEnd(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
  end: Pick<LifecycleEvent, 'type' | 'reason' | 'effective'>,
  edit: 'change' | 'cancel',
): string {
  if (!isTransferEnd(end)) return 'uncancel it first';
  // With END_OF_TERM, the service ends at the transfer, and billing ends later.
  const service = entitlementEnds(running).findLast(({ causedBy }) => causedBy !== null);
  const { at } = (service ?? end).effective;
  return `it is transferred as of ${formatInstant(at)}; ${edit} it in the new bundle`;
}
