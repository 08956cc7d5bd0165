import type { Account } from '../accounts/model.ts';
import { assertInvariant } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { New } from '../ports/storage/index.ts';
import type { NewBusEvent } from '../queue/model.ts';
import type { Instant } from '../time/index.ts';
import { type EventDraft, eventsOf } from './event-draft.ts';
import { inTimeOrder } from './lifecycle-order.ts';
import {
  type BlockingState,
  type Bundle,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type LifecycleEvent,
  LifecycleEventType,
  type Subscription,
} from './model.ts';
import { followingPhaseEvent } from './next-phase-events.ts';
import { type EventSubject, effectiveEvent, entitlementEvent } from './subscription-bus-events.ts';
import type { DueItem } from './subscription-notifications.ts';
import { type PlanResolver, transitionsOf } from './transitions.ts';

/** What due work is decided from: the subscriptions of a batch, read under their accounts' locks. */
export interface DueFacts {
  readonly accounts: ReadonlyMap<Uuid, Pick<Account, 'timeZone'>>;
  readonly subscriptions: ReadonlyMap<Uuid, Subscription>;
  readonly bundles: ReadonlyMap<Uuid, Bundle>;
  /** Active lifecycle events by subscription. */
  readonly events: ReadonlyMap<Uuid, readonly LifecycleEvent[]>;
  /** Active states of the subscriptions. */
  readonly blockingStates: readonly BlockingState[];
  /** Knows the accounts above. */
  readonly plansOf: (accountId: Uuid) => PlanResolver;
}

/** What one due item stores and emits. */
export interface DueWork {
  readonly addedEvents: readonly New<LifecycleEvent>[];
  readonly busEvents: readonly NewBusEvent[];
}

export interface DueWorkTools {
  readonly now: Instant;
  readonly nextId: () => Uuid;
}

const NOTHING: DueWork = { addedEvents: [], busEvents: [] };

/** What happens when an item falls due; nothing if it is withdrawn or ended before (subscriptions.md §21). */
export function dueWork(item: DueItem, facts: DueFacts, tools: DueWorkTools): DueWork {
  return item.kind === 'LIFECYCLE_EVENT' ? lifecycleWork(item, facts, tools) : blockingWork(item, facts);
}

function lifecycleWork(
  item: Extract<DueItem, { kind: 'LIFECYCLE_EVENT' }>,
  facts: DueFacts,
  tools: DueWorkTools,
): DueWork {
  const subject = subjectOf(item.subscriptionId, facts);
  if (subject === undefined) return NOTHING;
  const events = inTimeOrder(facts.events.get(item.subscriptionId) ?? []);
  const inEffect = transitionsOf(events, facts.plansOf(subject.subscription.accountId)).map(
    (transition) => transition.event,
  );
  const event = inEffect.find((candidate) => candidate.id === item.eventId);
  if (event === undefined) return NOTHING;

  const isLastOfOperation =
    inEffect.findLast(({ effective }) => effective.at === event.effective.at) === event;
  const following =
    event.type === LifecycleEventType.PHASE ? followingOf({ event, events, subject, facts }) : undefined;
  const lastSequence = Math.max(...events.map(({ sequence }) => sequence));
  const { id: subscriptionId, accountRecordId } = subject.subscription;
  return {
    addedEvents: following
      ? eventsOf([following], {
          subscriptionId,
          accountRecordId,
          lastSequence,
          createdDate: tools.now,
          nextId: tools.nextId,
        })
      : [],
    busEvents: [effectiveEvent(subject, event, isLastOfOperation)],
  };
}

function followingOf(input: {
  readonly event: LifecycleEvent;
  readonly events: readonly LifecycleEvent[];
  readonly subject: EventSubject;
  readonly facts: DueFacts;
}): EventDraft | undefined {
  const { event, events, subject, facts } = input;
  const account = facts.accounts.get(subject.subscription.accountId);
  assertInvariant(account, `PHASE event ${event.id} belongs to no account`, {
    eventId: event.id,
    subscriptionId: event.subscriptionId,
  });
  return followingPhaseEvent({
    events,
    phaseEvent: event,
    plans: facts.plansOf(subject.subscription.accountId),
    zone: account.timeZone,
  });
}

function blockingWork(item: Extract<DueItem, { kind: 'BLOCKING_STATE' }>, facts: DueFacts): DueWork {
  const state = facts.blockingStates.find((candidate) => candidate.id === item.blockingStateId);
  const subject = subjectOf(item.blockedId, facts);
  const isTold =
    state?.service === ENTITLEMENT_SERVICE &&
    (state.stateName === EntitlementStateName.ENT_STARTED ||
      state.stateName === EntitlementStateName.ENT_CANCELLED);
  if (!isTold || subject === undefined) return NOTHING;
  return { addedEvents: [], busEvents: [entitlementEvent(subject, state)] };
}

function subjectOf(subscriptionId: Uuid, facts: DueFacts): EventSubject | undefined {
  const subscription = facts.subscriptions.get(subscriptionId);
  const bundle = subscription && facts.bundles.get(subscription.bundleId);
  return subscription && bundle && { subscription, bundle };
}
