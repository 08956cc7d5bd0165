import type { Bundle } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addOnEnds, type StoredMember } from '../edits/add-on-ends.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import type { GroupChoiceInput } from './chosen-group.ts';
import type { BundleCreation, Creation } from './creation.ts';

/**
 * The ends of new add-ons that begin in the past, before their base ended or left the plan that offers them. These ends
 * are in force already, so they are stored at once (§12 rule 1).
 */
export function lateAddOnEnds(
  creations: readonly BundleCreation[],
  { found, blockingStates, catalog, account, now }: GroupChoiceInput,
  nextId: () => Uuid,
): readonly SubscriptionEdit[] {
  const late = creations.filter(({ creations: made }) =>
    made.some(({ subscription }) => subscription.alignStart.at < now),
  );
  return late.flatMap(({ bundle: { id }, newBundle, creations: made }) => {
    const joined = found.find(({ bundle }) => bundle.id === id);
    const bundle = joined?.bundle ?? (newBundle && { ...newBundle, recordId: 0 });
    if (!bundle) return [];
    const standing = (joined?.subscriptions ?? []).map((subscription) => ({
      subscription,
      bundle,
      events: (joined?.events ?? []).filter(({ subscriptionId }) => subscriptionId === subscription.id),
      blockingStates: blockingStates.filter(({ blockedId }) => blockedId === subscription.id),
    }));
    const members = [...standing, ...made.map((creation) => asMember(creation, bundle))];
    const own = new Set(made.map(({ subscription }) => subscription.id));
    const rules = { plans: catalog, zone: account.timeZone };
    const ends = addOnEnds({ bundle: members, until: now, ...rules }, { now, nextId });
    return ends.filter(({ subject }) => own.has(subject.subscription.id));
  });
}

function asMember({ subscription, events, entitlementStart }: Creation, bundle: Bundle): StoredMember {
  return {
    subscription: { ...subscription, recordId: 0 },
    bundle,
    events: events.map((event) => ({ ...event, recordId: 0 })),
    blockingStates: [{ ...entitlementStart, recordId: 0 }],
  };
}
