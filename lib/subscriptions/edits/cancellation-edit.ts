import { LifecycleEventType } from '../../records/index.ts';
import type { DatedInstant } from '../../values/time/index.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { bareDraft } from '../timeline/event-draft.ts';
import { type EventReason, writeReason } from '../timeline/event-reason.ts';
import { nextEvents, type RunningSubscription } from './running-subscription.ts';
import { entitlementEnded, eventsFromEnd, type SubscriptionEdit, withdrawnBy } from './subscription-edit.ts';
import { ownServiceEnds } from './transferred-ends.ts';

/** The ends that a cancellation stores; null where an end that is stored already stays. */
interface StoredEnds {
  readonly entitlement: DatedInstant | null;
  readonly billing: DatedInstant | null;
  /** Reason for the end of billing. */
  readonly reason: EventReason;
}

/** What a cancellation stores and withdraws of its subscription (§9 rule 6). */
export function cancellationEdit(
  running: RunningSubscription,
  { entitlement, billing, reason }: StoredEnds,
  { now, nextId }: EditTools,
): SubscriptionEdit {
  const ends =
    billing === null
      ? []
      : [{ ...bareDraft(LifecycleEventType.CANCEL, billing), reason: writeReason(reason) }];
  const addedEvents = nextEvents(running, ends, { now, nextId });
  const service = { createdDate: now, causedBy: null };
  return {
    subject: running,
    requested: billing && { type: LifecycleEventType.CANCEL, effective: billing },
    addedEvents,
    withdrawn:
      billing === null ? [] : withdrawnBy(addedEvents, eventsFromEnd(running.events, billing.at, now)),
    restored: [],
    addedStates:
      entitlement === null
        ? []
        : [entitlementEnded(running, { ...service, id: nextId(), effective: entitlement })],
    withdrawnStates: entitlement === null ? [] : ownServiceEnds(running),
  };
}
