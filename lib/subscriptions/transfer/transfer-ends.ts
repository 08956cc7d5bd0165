import { BillingActionPolicy, LifecycleEventType, ProductCategory } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { firstTransitionOf, nextEvents, type RunningSubscription } from '../edits/running-subscription.ts';
import {
  entitlementEnded,
  eventsFromEnd,
  type SubscriptionEdit,
  withdrawnBy,
} from '../edits/subscription-edit.ts';
import type { TransferPolicy } from '../requests/transfer-request.ts';
import { raisedTo } from '../timeline/dated-instants.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { bareDraft } from '../timeline/event-draft.ts';
import { DatedBy, datedBy, writeReason } from '../timeline/event-reason.ts';
import { isEnd } from '../timeline/lifecycle-order.ts';
import { transitionAt } from '../timeline/transitions.ts';

export interface TransferEndsInput {
  /** All subscriptions of the bundle. */
  readonly ofBundle: readonly RunningSubscription[];
  /** Those that are transferred. */
  readonly live: readonly RunningSubscription[];
  /** By the id of a subscription, the id of the event with which it continues. */
  readonly continuations: ReadonlyMap<Uuid, Uuid>;
  /** When the bundle is transferred, by the source account's calendar. */
  readonly transfer: DatedInstant;
  readonly policy: TransferPolicy;
}

/** Where billing of a subscription ends. */
interface BillingEnd {
  readonly effective: DatedInstant;
  /** True if no event of its own has to be stored for it. */
  readonly isThere: boolean;
}

/**
 * Ends the subscriptions of a transferred bundle on the source account (§17.4 rule 2): the service at the transfer,
 * billing there or at the end of what is invoiced, where add-ons follow their base. An earlier end that is pending stays.
 */
export function transferEnds(input: TransferEndsInput, tools: EditTools): readonly SubscriptionEdit[] {
  const { ofBundle, live, policy } = input;
  const edits = live.map((running) => editOf(running, input, tools));
  const base = edits.find((_, index) => live[index]?.subscription.category === ProductCategory.BASE);
  const { catalog, account } = live[0] ?? {};
  if (base === undefined || catalog === undefined || account === undefined) return edits;
  const follow = { bundle: ofBundle, edit: base, plans: catalog, zone: account.timeZone };
  const followed = followBase(follow, tools);
  if (policy === BillingActionPolicy.END_OF_TERM) return [base, ...followed];
  // Where the base ends before an add-on, the add-on is billed up to that end, even if its service has ended.
  const touched = base.addedEvents.map(({ effective }) => effective.date);
  const going = new Set(live.map(({ subscription }) => subscription.id));
  return [
    ...edits.map((edit) => (edit === base ? edit : { ...edit, touched })),
    ...followed.filter(({ subject }) => !going.has(subject.subscription.id)),
  ];
}

/** At the transfer or where its term ends, but never before what is already in effect. */
function ownEnd(
  running: RunningSubscription,
  { transfer, policy }: TransferEndsInput,
  now: Instant,
): BillingEnd {
  const { chargedThrough } = running.subscription;
  const isTermLeft =
    policy === BillingActionPolicy.END_OF_TERM && chargedThrough !== null && chargedThrough.at > transfer.at;
  const inEffect = transitionAt(running.transitions, now) ?? firstTransitionOf(running);
  return unlessEarlier(running, raisedTo(isTermLeft ? chargedThrough : transfer, inEffect.event.effective));
}

/**
 * The end, or the pending one if that comes first. A pending cancellation is stored again as the end of the transfer, so
 * that uncancelling it does not bring the subscription back.
 */
function unlessEarlier({ transitions, events }: RunningSubscription, end: DatedInstant): BillingEnd {
  const pending = transitions.find(({ event }) => isEnd(event))?.event;
  if (pending === undefined || pending.effective.at >= end.at) return { effective: end, isThere: false };
  const isOwnCancel =
    pending.type === LifecycleEventType.CANCEL && events.some(({ id }) => id === pending.id);
  return { effective: pending.effective, isThere: !isOwnCancel };
}

function editOf(
  running: RunningSubscription,
  input: TransferEndsInput,
  { now, nextId }: EditTools,
): SubscriptionEdit {
  const end = ownEnd(running, input, now);
  const { subscription, events } = running;
  const cancel = { type: LifecycleEventType.CANCEL, effective: end.effective };
  const reason = writeReason({ ...datedBy(DatedBy.TRANSFER), policy: input.policy });
  const draft = { ...bareDraft(cancel.type, cancel.effective), reason };
  const addedEvents = nextEvents(running, end.isThere ? [] : [draft], { now, nextId });
  return {
    subject: running,
    requested: cancel,
    addedEvents,
    withdrawn: end.isThere ? [] : withdrawnBy(addedEvents, eventsFromEnd(events, end.effective.at, now)),
    restored: [],
    addedStates: [
      entitlementEnded(running, {
        id: nextId(),
        effective: input.transfer,
        createdDate: now,
        // A transfer cannot be undone, and what another subscription has brought is not undone by itself (§17.4 rule 6).
        causedBy: input.continuations.get(subscription.id) ?? null,
      }),
    ],
    withdrawnStates: entitlementEnds(running),
  };
}
