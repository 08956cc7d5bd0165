import type { CatalogWithOverrides } from '../../catalog/index.ts';
import type {
  Account,
  BlockingState,
  Bundle,
  EntitlementState,
  LifecycleEvent,
  New,
  Subscription,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import { type BaseEnd, statesAsRead } from '../add-ons/base-end.ts';
import { entitlementStart, subscriptionStateAt } from '../blocking/subscription-state.ts';
import type { EventSubject } from '../telling/subscription-bus-events.ts';
import type { BillCycleDaySources } from '../timeline/bill-cycle-day.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { type EventDraft, eventsOf } from '../timeline/event-draft.ts';
import { type PlanInForce, planShownAt, type Transition } from '../timeline/transitions.ts';

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
