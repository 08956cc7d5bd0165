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

/** What operations on a subscription are decided from, read while its account is locked. */
export interface RunningSubscription extends EventSubject {
  readonly account: Account;
  readonly subscription: Subscription;
  readonly bundle: Bundle;
  /** Its active lifecycle events. */
  readonly events: readonly LifecycleEvent[];
  /** Their transitions, with the phases and the expiry that are not stored yet and, for an add-on, the end with its base. */
  readonly transitions: readonly Transition[];
  /** Active states of the account, the bundle and the subscription. */
  readonly blockingStates: readonly BlockingState[];
  /** What the base ends of an add-on and is not stored yet; null for all others. */
  readonly baseEnd: BaseEnd | null;
  readonly billCycleDays: BillCycleDaySources;
  readonly catalog: CatalogWithOverrides;
}

/** A subscription among all those of its bundle, ended ones included. */
export interface RunningInBundle {
  readonly running: RunningSubscription;
  /** All subscriptions of the bundle, `running` too. */
  readonly bundle: readonly RunningSubscription[];
}

/** The state that callers see (§4.3). */
export function stateOf(running: RunningSubscription, now: Instant): EntitlementState {
  const { subscription, transitions } = running;
  const blockingStates = statesAsRead(running, running.baseEnd);
  return subscriptionStateAt({ subscriptionId: subscription.id, transitions, blockingStates }, now);
}

/** The plan and phase in force; the first ones while billing is PENDING, the last ones after its end. */
export function planOf({ subscription, transitions }: RunningSubscription, now: Instant): PlanInForce {
  const inForce = planShownAt(transitions, now);
  assertInvariant(inForce, `Subscription ${subscription.id} has no plan`, {
    subscriptionId: subscription.id,
  });
  return inForce;
}

/** When its service starts, past or future. */
export function entitlementStartOf({ subscription, blockingStates }: RunningSubscription): DatedInstant {
  const start = entitlementStart({ subscriptionId: subscription.id, blockingStates });
  assertInvariant(start, `Subscription ${subscription.id} has no start of its service`, {
    subscriptionId: subscription.id,
  });
  return start;
}

/** The first transition: when its billing starts, past or future. */
export function firstTransitionOf({ subscription, transitions }: RunningSubscription): Transition {
  const [first] = transitions;
  assertInvariant(first, `Subscription ${subscription.id} has no start of its billing`, {
    subscriptionId: subscription.id,
  });
  return first;
}

/** Sequence of the last event stored for the subscription; the last one is never withdrawn without a later one. */
export function lastSequenceOf({ events }: Pick<RunningSubscription, 'events'>): number {
  return events.reduce((last, { sequence }) => Math.max(last, sequence), 0);
}

/** The drafts as the next events of the subscription. */
export function nextEvents(
  running: Pick<RunningSubscription, 'subscription' | 'events'>,
  drafts: readonly EventDraft[],
  { now, nextId }: EditTools,
): readonly New<LifecycleEvent>[] {
  const { id: subscriptionId, accountRecordId } = running.subscription;
  const lastSequence = lastSequenceOf(running);
  return eventsOf(drafts, { subscriptionId, accountRecordId, lastSequence, createdDate: now, nextId });
}

/** What is stored about whole bundles of an account. */
interface StoredBundles extends Pick<RunningSubscription, 'account' | 'catalog'> {
  readonly bundles: readonly Bundle[];
  readonly subscriptions: readonly Subscription[];
  /** Active lifecycle events of these subscriptions. */
  readonly events: readonly LifecycleEvent[];
  /** Active states of the account, the bundles and the subscriptions. */
  readonly blockingStates: readonly BlockingState[];
}

/** The subscriptions of whole bundles, in the form in which operations decide on them. */
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
 * The ends of service that its own cancellations stored. Those of its base or a transfer stay: the earliest counts.
 */
export function ownServiceEnds(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
): readonly BlockingState[] {
  return entitlementEnds(running).filter(({ causedBy }) => causedBy === null);
}

/** Returns true if the subscription is transferred, now or at a date to come. Add-ons follow their base. */
export function isTransferred(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
): boolean {
  // Nothing but a transfer brings an end of service to a subscription that is no add-on.
  const isAddOn = running.subscription.category === ProductCategory.ADD_ON;
  return !isAddOn && entitlementEnds(running).some(({ causedBy }) => causedBy !== null);
}

/** Returns true for the CANCEL with which a transfer ends billing on the source account: there is no way back (§17.4). */
export function isTransferEnd({ type, reason }: Pick<LifecycleEvent, 'type' | 'reason'>): boolean {
  if (type !== LifecycleEventType.CANCEL || reason === null) return false;
  return readReason(reason).datedBy === DatedBy.TRANSFER;
}

/** Says what a caller can do whom a pending end of billing stands in the way of; `edit` is what was tried. */
export function wayAroundEnd(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
  end: Pick<LifecycleEvent, 'type' | 'reason' | 'effective'>,
  edit: 'change' | 'cancel',
): string {
  if (!isTransferEnd(end)) return 'uncancel it first';
  // With END_OF_TERM billing ends after the transfer, the service ends with it.
  const service = entitlementEnds(running).findLast(({ causedBy }) => causedBy !== null);
  const { at } = (service ?? end).effective;
  return `it is transferred as of ${formatInstant(at)}; ${edit} it in the new bundle`;
}
