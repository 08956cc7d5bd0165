import type { CatalogWithOverrides } from '../../catalog/index.ts';
import { BcdTransfer } from '../../ports/index.ts';
import {
  type Account,
  BillingActionPolicy,
  type Bundle,
  type LifecycleEvent,
  LifecycleEventType,
  type New,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type DatedInstant,
  dayOfMonth,
  formatInstant,
  type Instant,
  localDateOf,
  maxInstant,
  type TimeZone,
} from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import { KeyRetirement, withoutKey } from '../create/choose-group.ts';
import {
  entitlementStarted,
  firstCursor,
  type NewBundleContent,
  type NewSubscription,
  newBundleOf,
} from '../create/creation.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { hasEnded } from '../edits/cancellation.ts';
import {
  firstTransitionOf,
  isTransferred,
  nextEvents,
  type RunningSubscription,
} from '../edits/running-subscription.ts';
import {
  editOf,
  entitlementEnded,
  eventsFromEnd,
  type SubscriptionEdit,
  withdrawnBy,
} from '../edits/subscription-edit.ts';
import { withdrawnByCancels } from '../edits/undo.ts';
import type { CheckedTransfer, TransferPolicy } from '../requests/edit-requests.ts';
import {
  asStored,
  bareDraft,
  beginsPhase,
  DatedBy,
  type EditTools,
  type EventDraft,
  eventsOf,
  findPlanChoiceTime,
  isEnd,
  isPlanChoice,
  isStart,
  readReason,
  reasonDatedBy,
  writeReason,
} from '../timeline/lifecycle-events.ts';
import { checkBillable, choiceDrafts, withDerivedPhases } from '../timeline/phase-events.ts';
import { atReferenceTime, datedInstant, raiseTo } from '../timeline/phase-timeline.ts';
import { eventsInEffect, transitionAt } from '../timeline/transitions.ts';

interface TransferInput {
  readonly request: CheckedTransfer;
  /** The source account. It is locked, as is the target account. */
  readonly source: Account;
  readonly target: Account;
  readonly bundle: Bundle;
  /** Bundles that ever had the key. */
  readonly keyCarriers: readonly Bundle[];
  readonly running: readonly RunningSubscription[];
  readonly history: readonly LifecycleEvent[];
  readonly catalog: CatalogWithOverrides;
}

export interface BundleTransfer {
  readonly ends: readonly SubscriptionEdit[];
  readonly begun: NewBundleContent;
  readonly bundleId: Uuid;
}

/**
 * Returns the edits for a transfer (§17.4). Running subscriptions end on the source account and continue on the target
 * account, in a new bundle with the same key.
 * @throws BillingError SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS (1099), MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER
 * (60002), and the errors of the target account's catalog: 2020, 2010, 2011, 3.
 */
export function planTransfer(given: TransferInput, tools: EditTools): BundleTransfer {
  const request = { ...given.request, externalKeys: newKeys(given) };
  const input = { ...given, request };
  const { source, bundle, running } = input;
  const { now } = tools;
  const asked = datedInstant(request.requestedDate, now, source);
  const transfer = request.requestedDate === null ? asked : atReferenceTime(asked.date, source);
  const live = transferredSubscriptions(running, maxInstant(now, transfer.at));
  if (live.length === 0) {
    throw billingError(
      ErrorCode.SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS,
      `Bundle ${bundle.id} of account ${source.id} has no subscription to transfer at ${formatInstant(transfer.at)}: each has ended by then or is already transferred`,
      { bundleId: bundle.id },
    );
  }
  checkNamed(request, request.ignoresEnded ? running : live);
  const carriers = input.keyCarriers;
  const newBundle = newBundleOf(input.target, { key: bundle.externalKey, carriers }, tools);
  const creations = live.map((each) => continueSubscription(each, { ...input, transfer, newBundle }, tools));
  for (const { events } of creations)
    checkBillable({ account: input.target, events: asStored(events), plans: input.catalog });
  const policy = request.billingPolicy;
  const continuations = new Map(
    live.flatMap(({ subscription }, index) => {
      const [first] = creations[index]?.events ?? [];
      return first === undefined ? [] : [[subscription.id, first.id] as const];
    }),
  );
  const ends = transferEnds({ ofBundle: running, live, continuations, transfer, policy }, tools);
  const releasedKey = withoutKey(bundle, KeyRetirement.TRANSFERRED);
  return { ends, begun: { newBundle, releasedKey, creations }, bundleId: newBundle.id };
}

/**
 * Returns the subscriptions that are running at `at` and not yet transferred. The base is first. Add-ons are included
 * only if their base is.
 */
function transferredSubscriptions(
  running: readonly RunningSubscription[],
  at: Instant,
): readonly RunningSubscription[] {
  const of = ({ subscription }: RunningSubscription, category: ProductCategory) =>
    subscription.category === category;
  const live = running.filter((each) => !hasEnded(each, at) && !isTransferred(each));
  const base = live.filter((each) => of(each, ProductCategory.BASE));
  const others = live.filter((each) => !base.includes(each));
  return base.length > 0 ? [...base, ...others] : others.filter((each) => !of(each, ProductCategory.ADD_ON));
}

/**
 * Returns the requested keys that differ from the current keys. Clients may send back an unchanged subscription,
 * including its key (json-models §16 rule 1).
 */
function newKeys({ request, running }: TransferInput): CheckedTransfer['externalKeys'] {
  const own = new Map(running.map(({ subscription: { id, externalKey } }) => [id, externalKey]));
  return new Map([...request.externalKeys].filter(([id, key]) => key === null || own.get(id) !== key));
}

function checkNamed({ externalKeys }: CheckedTransfer, accepted: readonly RunningSubscription[]): void {
  const known = new Set(accepted.map(({ subscription }) => subscription.id));
  for (const subscriptionId of externalKeys.keys()) {
    if (known.has(subscriptionId)) continue;
    throw invalidField(
      `Subscription ${subscriptionId} is not transferred with the bundle. Give keys to these only: ${[...known].join(', ')}`,
      { field: 'subscriptions', subscriptionId },
    );
  }
}

function continueSubscription(
  running: RunningSubscription,
  input: TransferInput & { readonly transfer: DatedInstant; readonly newBundle: New<Bundle> },
  { now, nextId }: EditTools,
): NewSubscription {
  const { target, request, newBundle, transfer, history } = input;
  const zone = target.timeZone;
  const begins = redateInZone(transfer, zone);
  const start = firstTransitionOf(running).event;
  const id = nextId();
  const subscription: New<Subscription> = {
    id,
    bundleId: newBundle.id,
    accountId: target.id,
    accountRecordId: target.recordId,
    externalKey: request.externalKeys.get(running.subscription.id) ?? id,
    category: running.subscription.category,
    alignStart: redateInZone(running.subscription.alignStart, zone),
    bundleStart: begins,
    chargedThrough: null,
    migrated: false,
    announcedTrialEnd: null,
    createdDate: now,
  };
  const drafts = transferredEvents({
    running,
    history: history.filter(({ subscriptionId }) => subscriptionId === running.subscription.id),
    transfer: begins,
    bcdTransfer: request.bcdTransfer,
    zone,
    now,
  });
  const events = eventsOf(drafts, {
    subscriptionId: id,
    accountRecordId: target.recordId,
    // A start that replaced another start (§7 rule 9) ends the add-ons that its plan does not offer (§12).
    lastSequence: start.effective.at >= transfer.at && start.sequence > 1 ? 1 : 0,
    createdDate: now,
    nextId,
  });
  return {
    bundle: newBundle,
    subscription,
    events,
    entitlementStart: entitlementStarted(subscription, begins, nextId()),
    cursor: firstCursor(subscription, (events[0] ?? start).effective.date),
  };
}

interface TransferEndsInput {
  readonly ofBundle: readonly RunningSubscription[];
  /** The transferred subscriptions. */
  readonly live: readonly RunningSubscription[];
  /** Ids of the events that continue on the target account, by subscription id. */
  readonly continuations: ReadonlyMap<Uuid, Uuid>;
  /** Date of the transfer, in the time zone of the source account. */
  readonly transfer: DatedInstant;
  readonly policy: TransferPolicy;
}

interface BillingEnd {
  readonly effective: DatedInstant;
  /** True if the event is already stored or is not needed. */
  readonly isThere: boolean;
}

/**
 * Ends the subscriptions on the source account (§17.4 rule 2). Service ends at the transfer. Billing ends at the
 * transfer or at the end of the term. Add-ons end with their base. An earlier pending end is kept.
 */
function transferEnds(input: TransferEndsInput, tools: EditTools): readonly SubscriptionEdit[] {
  const { ofBundle, live, policy } = input;
  const edits = live.map((running) => endingEdit(running, input, tools));
  const base = edits.find((_, index) => live[index]?.subscription.category === ProductCategory.BASE);
  if (base === undefined) return edits;
  const followed = followBase({ bundle: ofBundle, edit: base }, tools);
  if (policy === BillingActionPolicy.END_OF_TERM) return [base, ...followed];
  // If the base ends first, the add-on is billed up to that end, even after the end of its service.
  const touched = base.addedEvents.map(({ effective }) => effective.date);
  const going = new Set(live.map(({ subscription }) => subscription.id));
  return [
    ...edits.map((edit) => (edit === base ? edit : { ...edit, touched })),
    ...followed.filter(({ subject }) => !going.has(subject.subscription.id)),
  ];
}

/**
 * Returns the end of billing: the instant of the transfer or the end of the term, but never earlier than an event that
 * has already taken effect.
 */
function ownEnd(running: RunningSubscription, { transfer, policy }: TransferEndsInput, now: Instant) {
  const { chargedThrough } = running.subscription;
  const isTermLeft =
    policy === BillingActionPolicy.END_OF_TERM && chargedThrough !== null && chargedThrough.at > transfer.at;
  const inEffect = transitionAt(running.transitions, now) ?? firstTransitionOf(running);
  return unlessEarlier(running, raiseTo(isTermLeft ? chargedThrough : transfer, inEffect.event.effective));
}

/**
 * Returns the given end, or an earlier pending end. The transfer's own end replaces a pending cancellation, so that
 * undoing the cancellation cannot revive the subscription.
 */
function unlessEarlier({ transitions, events }: RunningSubscription, end: DatedInstant): BillingEnd {
  const pending = transitions.find(({ event }) => isEnd(event))?.event;
  if (pending === undefined || pending.effective.at >= end.at) return { effective: end, isThere: false };
  const isOwnCancel =
    pending.type === LifecycleEventType.CANCEL && events.some(({ id }) => id === pending.id);
  return { effective: pending.effective, isThere: !isOwnCancel };
}

function endingEdit(running: RunningSubscription, input: TransferEndsInput, { now, nextId }: EditTools) {
  const end = ownEnd(running, input, now);
  const { subscription, events } = running;
  const cancel = { type: LifecycleEventType.CANCEL, effective: end.effective };
  const reason = writeReason({ ...reasonDatedBy(DatedBy.TRANSFER), policy: input.policy });
  const draft = { ...bareDraft(cancel.type, cancel.effective), reason };
  const addedEvents = nextEvents(running, end.isThere ? [] : [draft], { now, nextId });
  return editOf(running, {
    requested: cancel,
    addedEvents,
    withdrawn: end.isThere ? [] : withdrawnBy(addedEvents, eventsFromEnd(events, end.effective.at, now)),
    addedStates: [
      entitlementEnded(running, {
        id: nextId(),
        effective: input.transfer,
        createdDate: now,
        // Neither a transfer nor its effect on another subscription can be undone (§17.4 rule 7).
        causedBy: input.continuations.get(subscription.id) ?? null,
      }),
    ],
    withdrawnStates: entitlementEnds(running),
  });
}

interface TransferredEventsInput {
  readonly running: RunningSubscription;
  readonly history: readonly LifecycleEvent[];
  /** Date of the transfer, in the time zone of the target account. */
  readonly transfer: DatedInstant;
  readonly bcdTransfer: BcdTransfer;
  readonly zone: TimeZone;
  readonly now: Instant;
}

/**
 * Returns the events on the target account in order (§17.4 rules 4, 5): first the plan and phase before the transfer,
 * then all later events at their instants. Dates are in the time zone of the target account. A pending cancellation is
 * omitted.
 */
function transferredEvents(input: TransferredEventsInput): readonly EventDraft[] {
  const { transfer, zone } = input;
  const events = eventsToContinue(input);
  const before = events.filter(({ effective }) => effective.at < transfer.at);
  const later = events.filter(({ effective }) => effective.at >= transfer.at);
  return [...continuation(before, input), ...later.map((event) => copyEvent(event, zone))];
}

function continuation(
  before: readonly LifecycleEvent[],
  { transfer, bcdTransfer, zone }: TransferredEventsInput,
): readonly EventDraft[] {
  const choice = before.findLast(isPlanChoice);
  if (choice === undefined) return [];
  const phase = before.findLast(beginsPhase);
  const requestedDay = before.findLast(({ billCycleDay }) => billCycleDay !== null)?.billCycleDay ?? null;
  const { type: _type, ...plan } = copyEvent(choice, zone);
  return choiceDrafts(LifecycleEventType.TRANSFER, {
    ...plan,
    effective: transfer,
    phaseName: phase?.phaseName ?? null,
    billCycleDay: requestedDay === null ? null : transferredDay(requestedDay, bcdTransfer, transfer),
    quantity: before.findLast(({ quantity }) => quantity !== null)?.quantity ?? null,
    reason: reasonOfTransfer(choice),
  });
}

/** Returns the reason for a plan choice, with the transfer date. The alignment and the chosen plan do not change. */
function reasonOfTransfer(choice: LifecycleEvent): string {
  const decided = findPlanChoiceTime(choice);
  if (choice.reason === null) return writeReason({ ...reasonDatedBy(DatedBy.TRANSFER), decided });
  const { alignment, alignedBy } = readReason(choice.reason);
  return writeReason({ ...reasonDatedBy(DatedBy.TRANSFER), alignment, alignedBy, decided });
}

/** Returns the reason for an event after the transfer. The date and the chosen plan do not change. */
function reasonAhead(event: LifecycleEvent): string | null {
  if (!isPlanChoice(event)) return event.reason;
  const reason = event.reason === null ? reasonDatedBy(DatedBy.REQUESTED_DATE) : readReason(event.reason);
  return writeReason({ ...reason, decided: findPlanChoiceTime(event) });
}

function transferredDay(requestedDay: number, bcdTransfer: BcdTransfer, transfer: DatedInstant) {
  switch (bcdTransfer) {
    case BcdTransfer.USE_EXISTING:
      return requestedDay;
    case BcdTransfer.ALIGN_WITH_EFF_DT:
      return dayOfMonth(transfer.date);
    case BcdTransfer.NONE:
      return null;
    default:
      throw new Error(`Unknown transfer of the bill cycle day ${String(bcdTransfer satisfies never)}`);
  }
}

/**
 * Returns the effective events without a pending cancellation. They include the phases up to now or up to the transfer,
 * and the next phase.
 */
function eventsToContinue({ running, history, transfer, now }: TransferredEventsInput) {
  const storedUpTo = maxInstant(now, transfer.at);
  const { events, catalog, account } = running;
  const cancels = events.filter(({ type }) => type === LifecycleEventType.CANCEL);
  const kept = events.filter((event) => !cancels.includes(event));
  const stored = [...kept, ...withdrawnByCancels(history, cancels)];
  const inEffect = eventsInEffect(stored);
  const ahead = withDerivedPhases(stored, catalog, account.timeZone);
  const toStore = ahead.filter((event, index) => {
    if (inEffect.includes(event)) return true;
    const followed = ahead.slice(0, index).findLast(({ id }) => id === event.id);
    assertInvariant(
      followed,
      `A derived event of subscription ${event.subscriptionId} has no earlier event`,
      {
        eventId: event.id,
      },
    );
    return followed.effective.at <= storedUpTo;
  });
  return toStore.toSorted((a, b) => a.effective.at - b.effective.at);
}

function copyEvent(event: LifecycleEvent, zone: TimeZone): EventDraft {
  return {
    type: isStart(event) ? LifecycleEventType.TRANSFER : event.type,
    effective: redateInZone(event.effective, zone),
    planName: event.planName,
    phaseName: event.phaseName,
    priceListName: event.priceListName,
    phaseAnchor: event.phaseAnchor && redateInZone(event.phaseAnchor, zone),
    phaseAnchorType: event.phaseAnchorType,
    billCycleDay: event.billCycleDay,
    quantity: event.quantity,
    reason: reasonAhead(event),
  };
}

function redateInZone({ at }: DatedInstant, zone: TimeZone): DatedInstant {
  return { at, date: localDateOf(at, zone) };
}
