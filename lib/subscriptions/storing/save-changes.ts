import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import { type BlockingState, BlockingStateType, type LifecycleEvent } from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { DAY_MS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { blockedPath, planState, type StatePlan, type StateToSet } from '../blocking/blocked-time.ts';
import { blockFlagsAround } from '../blocking/states-in-force.ts';
import type { NewBundleContent, NewSubscription } from '../create/creation.ts';
import {
  blockingStateEvent,
  blockingStateNotification,
  effectiveEvent,
  entitlementEvent,
  eventNotification,
  requestedEvent,
} from '../edits/bus-events.ts';
import {
  markCursorDirty,
  runEventOf,
  runEventOfCreations,
  type SubscriptionEdit,
  type TouchedDate,
  touchedDates,
} from '../edits/subscription-edit.ts';
import { addedTrialEnds, type TrialEnd, trialEndsOfEdit, trialNotification } from '../edits/trial-ends.ts';
import type { EditTools } from '../timeline/lifecycle-events.ts';

/**
 * Stores edits, publishes events that are due, and queues the other events (§21). Executes a constant number of
 * statements.
 */
export async function saveEdits(
  session: WriteSession,
  edits: readonly SubscriptionEdit[],
  now: Instant,
): Promise<void> {
  const withdrawn = edits.flatMap((edit) => edit.withdrawn);
  const restored = edits.flatMap((edit) => edit.restored);
  const withdrawnStates = edits.flatMap((edit) => edit.withdrawnStates);
  await session.subscriptions.setEventActivity([
    ...withdrawn.map(({ event, by }) => ({ id: event.id, isActive: false, deactivatedBy: by })),
    ...restored.map(({ id }) => ({ id, isActive: true, deactivatedBy: null })),
  ]);
  await session.subscriptions.withdrawBlockingStates(withdrawnStates.map(({ id }) => id));
  await session.subscriptions.insertEvents(edits.flatMap((edit) => edit.addedEvents));
  await session.subscriptions.insertBlockingStates(edits.flatMap((edit) => edit.addedStates));
  const obsolete = [
    ...withdrawn.flatMap(({ event }) => (isAfter(now)(event) ? eventNotification(event) : [])),
    ...withdrawnStates.filter(isAfter(now)).map(blockingStateNotification),
  ];
  await session.unschedule(obsolete.flatMap(({ uniqueKey }) => uniqueKey ?? []));
  session.schedule(restored.filter(isAfter(now)).map(eventNotification));
  await markDirty(session, edits.flatMap(touchedDates));
  for (const edit of edits) announceEdit(session, edit, now);
}

function announceEdit(session: WriteSession, edit: SubscriptionEdit, now: Instant): void {
  const { subject, requested, addedEvents, addedStates } = edit;
  const due = addedEvents.filter((event) => event.effective.at <= now);
  const asking = runEventOf(edit, now);
  if (requested !== null) session.publish([requestedEvent(subject, requested)]);
  session.publish(due.map((event) => effectiveEvent(subject, event, event === asking)));
  session.publish(
    addedStates.filter((state) => !isAfter(now)(state)).map((state) => entitlementEvent(subject, state)),
  );
  session.schedule([
    ...addedEvents.filter(isAfter(now)).map(eventNotification),
    ...addedStates.filter(isAfter(now)).map(blockingStateNotification),
  ]);
}

function isAfter(now: Instant): (fact: Pick<LifecycleEvent | BlockingState, 'effective'>) => boolean {
  return ({ effective }) => effective.at > now;
}

/** Marks subscriptions as due for invoicing from the earliest affected date on (invoicing §7.1). */
export async function markDirty(session: WriteSession, touched: readonly TouchedDate[]): Promise<void> {
  if (touched.length === 0) return;
  const dates = Map.groupBy(touched, ({ subscriptionId }) => subscriptionId);
  const cursors = await session.invoices.findCursors([...dates.keys()]);
  await session.invoices.saveCursors(
    cursors.map((cursor) =>
      markCursorDirty(
        cursor,
        (dates.get(cursor.subscriptionId) ?? []).map(({ date }) => date),
      ),
    ),
  );
}

/** Stores new bundles and subscriptions in a constant number of statements, and publishes or queues their events. */
export async function saveCreations(
  session: WriteSession,
  bundles: readonly NewBundleContent[],
  now: Instant,
): Promise<void> {
  const { subscriptions, invoices } = session;
  const creations = bundles.flatMap((bundle) => bundle.creations);
  await allEnded([
    subscriptions.setBundleKeys(bundles.flatMap(({ releasedKey }) => releasedKey ?? [])),
    subscriptions.insertBundles(bundles.flatMap(({ newBundle }) => newBundle ?? [])),
    subscriptions.insertSubscriptions(creations.map(({ subscription }) => subscription)),
    subscriptions.insertEvents(creations.flatMap(({ events }) => events)),
    subscriptions.insertBlockingStates(creations.map(({ entitlementStart }) => entitlementStart)),
    invoices.saveCursors(creations.map(({ cursor }) => cursor)),
  ]);
  const byAccount = Map.groupBy(creations, ({ subscription }) => subscription.accountId);
  for (const own of byAccount.values()) announceCreations(session, own, now);
}

/** Publishes an account's due events and queues its other events (§21). */
function announceCreations(session: WriteSession, creations: readonly NewSubscription[], now: Instant): void {
  const last = runEventOfCreations(creations, now);
  for (const creation of creations) {
    const { events, entitlementStart } = creation;
    const [creating] = events;
    assertInvariant(creating, 'A creation must store a CREATE event');
    const due = events.filter((event) => event.effective.at <= now);
    session.publish([requestedEvent(creation, creating)]);
    session.publish(due.map((event) => effectiveEvent(creation, event, event === last)));
    session.schedule(events.filter((event) => event.effective.at > now).map(eventNotification));
    if (entitlementStart.effective.at <= now) session.publish([entitlementEvent(creation, entitlementStart)]);
    else session.schedule([blockingStateNotification(entitlementStart)]);
  }
}

/**
 * Sets at most one state per service and object in a constant number of statements (§14.1, §21). Publishes effective
 * states, queues the other states, and marks subscriptions whose billing changes.
 */
export async function setBlockingStates(
  session: WriteSession,
  blocks: readonly StateToSet[],
  tools: EditTools,
): Promise<void> {
  const objectIds = new Set(blocks.flatMap(({ object }) => blockedPath(object)));
  const states = await session.subscriptions.findBlockingStates([...objectIds]);
  const statesOf = Map.groupBy(states, ({ blockedId }) => blockedId);
  const onPathOf = ({ object }: StateToSet) => blockedPath(object).flatMap((id) => statesOf.get(id) ?? []);
  const plans = blocks.map((block) => planState(onPathOf(block), block, tools));

  const withdrawn = plans.flatMap((plan) => plan.withdrawn);
  if (withdrawn.length > 0) {
    await session.subscriptions.withdrawBlockingStates(withdrawn.map(({ id }) => id));
    const planned = withdrawn.filter(({ effective }) => effective.at > tools.now);
    await session.unschedule(planned.flatMap((state) => blockingStateNotification(state).uniqueKey ?? []));
  }
  const added = plans.flatMap((plan) => plan.added ?? []);
  if (added.length === 0) return;
  await session.subscriptions.insertBlockingStates(added);
  await markDirty(session, await findDatesTouchedByStates(session, plans));
  for (const plan of plans) announceState(session, { plan, states: onPathOf(plan.block) }, tools);
}

async function findDatesTouchedByStates(
  session: ReadSession,
  plans: readonly StatePlan[],
): Promise<readonly TouchedDate[]> {
  const differing = plans.filter(({ billedOtherwiseFrom }) => billedOtherwiseFrom !== null);
  const accountIds: Uuid[] = [];
  const bundleIds: Uuid[] = [];
  for (const { object } of differing.map(({ block }) => block)) {
    if (object.type === BlockingStateType.ACCOUNT) accountIds.push(object.account.id);
    if (object.type === BlockingStateType.SUBSCRIPTION_BUNDLE) bundleIds.push(object.bundle.id);
  }
  const cursors = accountIds.length === 0 ? [] : await session.invoices.cursorsOfAccounts(accountIds);
  const inBundles = bundleIds.length === 0 ? [] : await session.subscriptions.findByBundles(bundleIds);
  const ofAccount = Map.groupBy(cursors, ({ accountRecordId }) => accountRecordId);
  const ofBundle = Map.groupBy(inBundles, ({ bundleId }) => bundleId);
  return differing.flatMap(({ block: { object }, billedOtherwiseFrom }) => {
    const date = billedOtherwiseFrom?.date;
    return date === undefined ? [] : idsBelow(object).map((subscriptionId) => ({ subscriptionId, date }));
  });

  function idsBelow(object: StateToSet['object']): readonly Uuid[] {
    switch (object.type) {
      case BlockingStateType.ACCOUNT:
        return (ofAccount.get(object.account.recordId) ?? []).map(({ subscriptionId }) => subscriptionId);
      case BlockingStateType.SUBSCRIPTION_BUNDLE:
        return (ofBundle.get(object.bundle.id) ?? []).map(({ id }) => id);
      case BlockingStateType.SUBSCRIPTION:
        return [object.subscription.id];
    }
  }
}

function announceState(
  session: WriteSession,
  { plan, states }: { readonly plan: StatePlan; readonly states: readonly BlockingState[] },
  { now }: EditTools,
): void {
  const { added, withdrawn, billedOtherwiseFrom } = plan;
  if (added === null) return;
  if (added.effective.at > now) {
    session.schedule([blockingStateNotification(added)]);
    return;
  }
  const active = [...states.filter((state) => !withdrawn.includes(state)), added];
  session.publish([
    blockingStateEvent(plan.block.object.account.id, added, {
      ...blockFlagsAround(active, added),
      changesBilling: billedOtherwiseFrom !== null && billedOtherwiseFrom.at <= now,
      targetDate: null,
    }),
  ]);
}

/**
 * Returns a function that queues TRIAL_ENDING events for new trial ends (§21.1). It reads the tenant's setting only if
 * there are new trial ends.
 */
export function trialNotices(settingsOf: SettingsOf) {
  async function schedule(session: WriteSession, ends: readonly TrialEnd[]): Promise<void> {
    if (ends.length === 0) return;
    const { 'subscription.trial.noticeDays': days } = await settingsOf(session);
    if (days > 0) session.schedule(ends.map((end) => trialNotification(end, days * DAY_MS)));
  }

  return {
    schedule,

    /** Returns false if the tenant has disabled TRIAL_ENDING events. */
    async areOn(session: WriteSession): Promise<boolean> {
      return (await settingsOf(session))['subscription.trial.noticeDays'] > 0;
    },

    ofEdits: (session: WriteSession, edits: readonly SubscriptionEdit[], now: Instant) =>
      schedule(
        session,
        edits.flatMap((edit) => trialEndsOfEdit(edit, now)),
      ),

    ofCreations: (session: WriteSession, bundles: readonly NewBundleContent[], now: Instant) =>
      schedule(
        session,
        bundles.flatMap(({ creations }) =>
          creations.flatMap(({ events }) => addedTrialEnds(events, { added: events, since: now })),
        ),
      ),
  };
}

export type TrialNotices = ReturnType<typeof trialNotices>;
