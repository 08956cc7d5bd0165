import type { Account } from '../accounts/model.ts';
import { ProductCategory } from '../catalog/index.ts';
import { assertInvariant } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { New } from '../ports/storage/index.ts';
import type { NewBusEvent } from '../queue/model.ts';
import type { Instant } from '../time/index.ts';
import { addOnEnds, type StoredMember } from './add-on-ends.ts';
import { mayEndAddOns } from './base-end.ts';
import { timelinesOf } from './bundle-timelines.ts';
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
import { effectiveEvent, entitlementEvent } from './subscription-bus-events.ts';
import type { SubscriptionEdit } from './subscription-edit.ts';
import type { DueItem } from './subscription-notifications.ts';
import type { PlanResolver } from './transitions.ts';

/** What due work is decided from: the bundles of a batch, read under their accounts' locks. */
export interface DueFacts {
  readonly accounts: ReadonlyMap<Uuid, Pick<Account, 'timeZone'>>;
  /** With all others of their bundles. */
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
  /** Ends of add-ons that an item of their base brings. */
  readonly addOnEnds: readonly SubscriptionEdit[];
}

export interface DueWorkTools {
  readonly now: Instant;
  readonly nextId: () => Uuid;
}

const NOTHING: DueWork = { addedEvents: [], busEvents: [], addOnEnds: [] };

/** What happens when an item falls due; nothing if it is withdrawn or ended before (subscriptions.md §21). */
export function dueWork(item: DueItem, facts: DueFacts, tools: DueWorkTools): DueWork {
  return item.kind === 'LIFECYCLE_EVENT'
    ? lifecycleWork(item, facts, tools)
    : blockingWork(item, facts, tools);
}

function lifecycleWork(
  item: Extract<DueItem, { kind: 'LIFECYCLE_EVENT' }>,
  facts: DueFacts,
  tools: DueWorkTools,
): DueWork {
  const subject = subjectOf(item.subscriptionId, facts);
  if (subject === undefined) return NOTHING;
  const events = inTimeOrder(facts.events.get(item.subscriptionId) ?? []);
  const bundle = membersOf(subject, facts);
  const plans = facts.plansOf(subject.subscription.accountId);
  const timeline = timelinesOf(bundle, { plans }).find(
    ({ subscription }) => subscription.id === item.subscriptionId,
  );
  const inEffect = (timeline?.transitions ?? []).map((transition) => transition.event);
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
    addOnEnds: mayEndAddOns(event) ? endsBroughtBy(subject, event.effective.at, { facts, tools }) : [],
  };
}

/** The add-ons end with their base before anything else happens at that instant (subscriptions.md §21). */
function endsBroughtBy(
  subject: DueSubject,
  until: Instant,
  { facts, tools }: { readonly facts: DueFacts; readonly tools: DueWorkTools },
): readonly SubscriptionEdit[] {
  const { accountId, category } = subject.subscription;
  if (category !== ProductCategory.BASE) return [];
  const zone = accountOf(subject, facts).timeZone;
  const bundle = membersOf(subject, facts);
  return addOnEnds({ bundle, until, plans: facts.plansOf(accountId), zone }, tools);
}

/** All subscriptions of the bundle. */
function membersOf({ bundle }: DueSubject, facts: DueFacts): readonly StoredMember[] {
  return [...facts.subscriptions.values()]
    .filter(({ bundleId }) => bundleId === bundle.id)
    .map((subscription) => ({
      subscription,
      bundle,
      events: facts.events.get(subscription.id) ?? [],
      blockingStates: facts.blockingStates.filter(({ blockedId }) => blockedId === subscription.id),
    }));
}

function followingOf(input: {
  readonly event: LifecycleEvent;
  readonly events: readonly LifecycleEvent[];
  readonly subject: DueSubject;
  readonly facts: DueFacts;
}): EventDraft | undefined {
  const { event, events, subject, facts } = input;
  const account = accountOf(subject, facts);
  return followingPhaseEvent({
    events,
    phaseEvent: event,
    plans: facts.plansOf(subject.subscription.accountId),
    zone: account.timeZone,
  });
}

function accountOf({ subscription }: DueSubject, facts: DueFacts): Pick<Account, 'timeZone'> {
  const account = facts.accounts.get(subscription.accountId);
  assertInvariant(account, `Subscription ${subscription.id} belongs to no account`, {
    subscriptionId: subscription.id,
  });
  return account;
}

function blockingWork(
  item: Extract<DueItem, { kind: 'BLOCKING_STATE' }>,
  facts: DueFacts,
  tools: DueWorkTools,
): DueWork {
  const state = facts.blockingStates.find((candidate) => candidate.id === item.blockingStateId);
  const subject = subjectOf(item.blockedId, facts);
  const isTold =
    state?.service === ENTITLEMENT_SERVICE &&
    (state.stateName === EntitlementStateName.ENT_STARTED ||
      state.stateName === EntitlementStateName.ENT_CANCELLED);
  if (!isTold || subject === undefined) return NOTHING;
  return {
    addedEvents: [],
    busEvents: [entitlementEvent(subject, state)],
    addOnEnds:
      state.stateName === EntitlementStateName.ENT_CANCELLED
        ? endsBroughtBy(subject, state.effective.at, { facts, tools })
        : [],
  };
}

interface DueSubject {
  readonly subscription: Subscription;
  readonly bundle: Bundle;
}

function subjectOf(subscriptionId: Uuid, facts: DueFacts): DueSubject | undefined {
  const subscription = facts.subscriptions.get(subscriptionId);
  const bundle = subscription && facts.bundles.get(subscription.bundleId);
  return subscription && bundle && { subscription, bundle };
}
