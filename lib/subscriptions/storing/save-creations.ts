import type { WriteSession } from '../../ports/storage/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { NewBundleContent, NewSubscription } from '../create/creation.ts';
import { runEventOfCreations } from '../edits/run-event.ts';
import { blockingStateNotification, eventNotification } from '../telling/notifications.ts';
import { effectiveEvent, entitlementEvent, requestedEvent } from '../telling/subscription-bus-events.ts';

/** Stores new subscriptions and their outbox; a constant number of statements for any number. */
export async function saveCreations(
  session: WriteSession,
  bundles: readonly NewBundleContent[],
  now: Instant,
): Promise<void> {
  const { subscriptions, invoices } = session;
  const creations = bundles.flatMap((bundle) => bundle.creations);
  await subscriptions.setBundleKeys(bundles.flatMap(({ keyGivenUp }) => keyGivenUp ?? []));
  await subscriptions.insertBundles(bundles.flatMap(({ newBundle }) => newBundle ?? []));
  await subscriptions.insertSubscriptions(creations.map(({ subscription }) => subscription));
  await subscriptions.insertEvents(creations.flatMap(({ events }) => events));
  await subscriptions.insertBlockingStates(creations.map(({ entitlementStart }) => entitlementStart));
  await invoices.saveCursors(creations.map(({ cursor }) => cursor));
  announce(session, creations, now);
}

/** What is due by now is told in the call's transaction; the rest gets its queue entry (§21). */
function announce(session: WriteSession, creations: readonly NewSubscription[], now: Instant): void {
  const last = runEventOfCreations(creations, now);
  for (const creation of creations) {
    const { events, entitlementStart } = creation;
    const [creating] = events;
    assertInvariant(creating, 'A creation stores at least its CREATE');
    const due = events.filter((event) => event.effective.at <= now);
    session.publish([requestedEvent(creation, creating)]);
    session.publish(due.map((event) => effectiveEvent(creation, event, event === last)));
    session.schedule(events.filter((event) => event.effective.at > now).map(eventNotification));
    if (entitlementStart.effective.at <= now) session.publish([entitlementEvent(creation, entitlementStart)]);
    else session.schedule([blockingStateNotification(entitlementStart)]);
  }
}
