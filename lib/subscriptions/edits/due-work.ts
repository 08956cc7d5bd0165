import {
  type Account,
  type BlockingState,
  BlockingStateType,
  type Bundle,
  EntitlementStateName,
  type LifecycleEvent,
  LifecycleEventType,
  type New,
  type NewBusEvent,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { entitlementEnds, mayEndAddOns, timelinesOf } from '../add-ons/base-end.ts';
import { blockFlagsAround, isEntitlementBound } from '../blocking/states-in-force.ts';
import { type EditTools, inTimeOrder } from '../timeline/lifecycle-events.ts';
import { followingPhaseEvent } from '../timeline/phase-events.ts';
import type { PlanResolver, Transition } from '../timeline/transitions.ts';
import { addOnEnds, type StoredMember } from './add-on-ends.ts';
import { blockingStateEvent, type DueItem, effectiveEvent, entitlementEvent } from './bus-events.ts';
import { nextEvents } from './running-subscription.ts';
import type { SubscriptionEdit } from './subscription-edit.ts';
import { addedTrialEnds, type TrialEnd, trialEndAt, trialEndingEvent } from './trial-ends.ts';

/** The data for due work of the bundles in a batch. The accounts of the bundles are locked. */
export interface DueFacts {
  readonly accounts: ReadonlyMap<Uuid, Pick<Account, 'timeZone'>>;
  readonly subscriptions: ReadonlyMap<Uuid, Subscription>;
  /** The bundles to which the subscriptions and blocking states belong. */
  readonly bundles: ReadonlyMap<Uuid, Bundle>;
  readonly events: ReadonlyMap<Uuid, readonly LifecycleEvent[]>;
  /** Active states of the subscriptions, the objects of due states, and their bundles and accounts. */
  readonly blockingStates: readonly BlockingState[];
  /** Plans as seen by the account. */
  readonly plansOf: (accountId: Uuid) => PlanResolver;
}

export interface DueWork {
  readonly addedEvents: readonly New<LifecycleEvent>[];
  readonly busEvents: readonly NewBusEvent[];
  readonly addOnEnds: readonly SubscriptionEdit[];
  readonly trialEnds: readonly TrialEnd[];
  /** TRIAL_ENDING and the end of the trial that it announces, or null for other events. */
  readonly announcedTrial: {
    readonly event: NewBusEvent;
    readonly end: Pick<Subscription, 'id' | 'announcedTrialEnd'>;
  } | null;
}

const NOTHING: DueWork = {
  addedEvents: [],
  busEvents: [],
  addOnEnds: [],
  trialEnds: [],
  announcedTrial: null,
};

/**
 * Returns the work that a due item requires. Returns no work if the item was withdrawn or the subscription has ended
 * (§21).
 */
export function dueWork(item: DueItem, facts: DueFacts, tools: EditTools): DueWork {
  switch (item.kind) {
    case 'LIFECYCLE_EVENT':
      return lifecycleWork(item, facts, tools);
    case 'BLOCKING_STATE':
      return blockingWork(item, facts, tools);
    case 'TRIAL_END':
      return trialWork(item, facts);
  }
}

function lifecycleWork(
  item: Extract<DueItem, { kind: 'LIFECYCLE_EVENT' }>,
  facts: DueFacts,
  tools: EditTools,
): DueWork {
  const subject = subjectOf(item.subscriptionId, facts);
  if (subject === undefined) return NOTHING;
  const events = inTimeOrder(facts.events.get(item.subscriptionId) ?? []);
  const plans = facts.plansOf(subject.subscription.accountId);
  const inEffect = transitionsOf(subject, facts).map((transition) => transition.event);
  const event = inEffect.find((candidate) => candidate.id === item.eventId);
  if (event === undefined) return NOTHING;

  const isLastOfOperation =
    inEffect.findLast(({ effective }) => effective.at === event.effective.at) === event;
  const { timeZone: zone } = accountOf(subject, facts);
  const following =
    event.type === LifecycleEventType.PHASE
      ? followingPhaseEvent({ events, phaseEvent: event, plans, zone })
      : undefined;
  const added = nextEvents({ ...subject, events }, following ? [following] : [], tools);
  return {
    ...NOTHING,
    addedEvents: added,
    busEvents: [effectiveEvent(subject, event, isLastOfOperation)],
    trialEnds: addedTrialEnds([...events, ...added], { added, since: event.effective.at }),
    addOnEnds: mayEndAddOns(event) ? endsBroughtBy(subject, event.effective.at, { facts, tools }) : [],
  };
}

/**
 * Announces the end of a trial once. Announces nothing if the end was moved, or if the subscription ends first (§21.1).
 */
function trialWork(item: Extract<DueItem, { kind: 'TRIAL_END' }>, facts: DueFacts): DueWork {
  const subject = subjectOf(item.subscriptionId, facts);
  if (subject === undefined || subject.subscription.announcedTrialEnd === item.at) return NOTHING;
  const end = trialEndAt(transitionsOf(subject, facts), item.at);
  if (end === undefined) return NOTHING;
  return {
    ...NOTHING,
    announcedTrial: {
      event: trialEndingEvent(subject, end),
      end: { id: item.subscriptionId, announcedTrialEnd: item.at },
    },
  };
}

function transitionsOf(subject: DueSubject, facts: DueFacts): readonly Transition[] {
  const plans = facts.plansOf(subject.subscription.accountId);
  const timelines = timelinesOf(membersOf(subject, facts), { plans });
  return timelines.find(({ subscription }) => subscription.id === subject.subscription.id)?.transitions ?? [];
}

/**
 * Returns the ends of add-ons that an event causes. Add-ons end with their base before other events of the same instant
 * take effect (§21).
 */
function endsBroughtBy(
  subject: DueSubject,
  until: Instant,
  { facts, tools }: { readonly facts: DueFacts; readonly tools: EditTools },
): readonly SubscriptionEdit[] {
  const { accountId, category } = subject.subscription;
  if (category !== ProductCategory.BASE) return [];
  const zone = accountOf(subject, facts).timeZone;
  const bundle = membersOf(subject, facts);
  return addOnEnds({ bundle, until, plans: facts.plansOf(accountId), zone }, tools);
}

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

function accountOf({ subscription }: DueSubject, facts: DueFacts): Pick<Account, 'timeZone'> {
  const account = facts.accounts.get(subscription.accountId);
  assertInvariant(account, `Subscription ${subscription.id} belongs to no account`, {
    subscriptionId: subscription.id,
  });
  return account;
}

function blockingWork(item: Extract<DueItem, { kind: 'BLOCKING_STATE' }>, facts: DueFacts, tools: EditTools) {
  const state = facts.blockingStates.find((candidate) => candidate.id === item.blockingStateId);
  if (state === undefined) return NOTHING;
  if (isEntitlementBound(state)) {
    const subject = subjectOf(item.blockedId, facts);
    return subject ? boundWork(subject, state, { facts, tools }) : NOTHING;
  }
  const path = blockedPathOf(item, facts);
  const accountId = path.at(-1);
  if (accountId === undefined) return NOTHING;
  const { before, after } = blockFlagsAround(
    facts.blockingStates.filter(({ blockedId }) => path.includes(blockedId)),
    state,
  );
  const changesBilling = before.isBlockBilling !== after.isBlockBilling;
  const targetDate = state.effective.date;
  return {
    ...NOTHING,
    busEvents: [blockingStateEvent(accountId, state, { before, after, changesBilling, targetDate })],
  };
}

/**
 * Returns the work for the start or end of a service. When the service of a base ends, the services of its add-ons end
 * too. Only the first stored end has an effect.
 */
function boundWork(
  subject: DueSubject,
  state: BlockingState,
  given: { readonly facts: DueFacts; readonly tools: EditTools },
): DueWork {
  const ends = state.stateName === EntitlementStateName.ENT_CANCELLED;
  const [firstEnd] = entitlementEnds({ ...subject, blockingStates: given.facts.blockingStates });
  if (ends && firstEnd !== state) return NOTHING;
  return {
    ...NOTHING,
    busEvents: [entitlementEvent(subject, state)],
    addOnEnds: ends ? endsBroughtBy(subject, state.effective.at, given) : [],
  };
}

/** Returns the object of a due state with its bundle and account. Returns an empty list for an unknown object. */
export function blockedPathOf(
  { blockingType, blockedId }: Extract<DueItem, { kind: 'BLOCKING_STATE' }>,
  { subscriptions, bundles }: Pick<DueFacts, 'subscriptions' | 'bundles'>,
): readonly Uuid[] {
  switch (blockingType) {
    case BlockingStateType.ACCOUNT:
      return [blockedId];
    case BlockingStateType.SUBSCRIPTION_BUNDLE: {
      const bundle = bundles.get(blockedId);
      return bundle ? [blockedId, bundle.accountId] : [];
    }
    case BlockingStateType.SUBSCRIPTION: {
      const subscription = subscriptions.get(blockedId);
      return subscription ? [blockedId, subscription.bundleId, subscription.accountId] : [];
    }
  }
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
