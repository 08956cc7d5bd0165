import { isTrialPhase } from '../../catalog/index.ts';
import {
  BusEventType,
  type LifecycleEvent,
  type New,
  type NewBusEvent,
  type NewNotification,
  PhaseType,
  QueueName,
} from '../../records/index.ts';
import { addMilliseconds, formatInstant, type Instant, maxInstant } from '../../values/time/index.ts';
import { asStored, beginsPhase, inTimeOrder } from '../timeline/lifecycle-events.ts';
import type { PlanInForce, Transition } from '../timeline/transitions.ts';
import type { EventSubject } from './bus-events.ts';
import type { SubscriptionEdit } from './subscription-edit.ts';

/** The event that ends the TRIAL phase of a subscription. */
export interface TrialEnd {
  readonly event: New<LifecycleEvent>;
  /** Time at which the end was set. The end is not announced before this time. */
  readonly since: Instant;
}

/**
 * Returns the trial ends that the `added` events set. `active` must contain all active events of the same subscription.
 */
export function addedTrialEnds(
  active: readonly New<LifecycleEvent>[],
  { added, since }: { readonly added: readonly New<LifecycleEvent>[]; readonly since: Instant },
): readonly TrialEnd[] {
  const isAdded = new Set(added.map(({ id }) => id));
  return trialEnds(active).flatMap((event) =>
    isAdded.has(event.id) && event.effective.at > since ? [{ event, since }] : [],
  );
}

/** Returns the ends of trials that an edit sets, moves or restores. */
export function trialEndsOfEdit(edit: SubscriptionEdit, now: Instant): readonly TrialEnd[] {
  const added = [...edit.addedEvents, ...edit.restored];
  const withdrawn = new Set(edit.withdrawn.map(({ event }) => event.id));
  const kept = edit.subject.events.filter(({ id }) => !withdrawn.has(id));
  return addedTrialEnds([...kept, ...added], { added, since: now });
}

/** Returns the ends of trials. A trial ends with a PHASE, or with a CHANGE to a phase of another type. */
function trialEnds(active: readonly New<LifecycleEvent>[]): readonly New<LifecycleEvent>[] {
  const begun = inTimeOrder(asStored(active)).filter(beginsPhase);
  return begun.filter((event, index) => {
    const previous = begun[index - 1];
    return previous !== undefined && isTrial(previous) && !isTrial(event);
  });
}

function isTrial({ phaseName }: New<LifecycleEvent>): boolean {
  return phaseName !== null && isTrialPhase(phaseName);
}

/** Returns the queue entry that announces the end of a trial (§21.1). */
export function trialNotification({ event, since }: TrialEnd, leadMs: number): NewNotification {
  const { subscriptionId, accountRecordId, effective } = event;
  return {
    queueName: QueueName.TRIAL_NOTICES,
    accountRecordId,
    effectiveDate: maxInstant(since, addMilliseconds(effective.at, -leadMs)),
    payload: { subscriptionId, trialEnd: formatInstant(effective.at) },
    uniqueKey: `trial-notice:${subscriptionId}:${effective.at}`,
  };
}

interface TrialTransition extends Transition {
  readonly previous: PlanInForce;
  readonly next: PlanInForce;
}

/**
 * Returns the transition that ends a trial at `at`. Returns undefined if the end was moved or the subscription ends
 * first.
 */
export function trialEndAt(transitions: readonly Transition[], at: Instant): TrialTransition | undefined {
  return transitions.filter(endsTrial).find(({ event }) => event.effective.at === at);
}

function endsTrial(transition: Transition): transition is TrialTransition {
  const { previous, next } = transition;
  return previous?.phase.type === PhaseType.TRIAL && next !== null && next.phase.type !== PhaseType.TRIAL;
}

/** Returns the TRIAL_ENDING event (platform §10.4). */
export function trialEndingEvent(
  { subscription, bundle }: EventSubject,
  { event, previous, next }: TrialTransition,
): NewBusEvent {
  const { id: subscriptionId, accountId, accountRecordId } = subscription;
  const metaData = {
    bundleExternalKey: bundle.externalKey,
    planName: previous.plan.name,
    phaseName: previous.phase.name,
    nextPhaseName: next.phase.name,
    trialEndDate: formatInstant(event.effective.at),
  };
  return {
    type: BusEventType.TRIAL_ENDING,
    accountRecordId,
    payload: { accountId, subscriptionId, metaData },
  };
}
