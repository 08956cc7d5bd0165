import type { WriteSession } from '../../ports/storage/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { DAY_MS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import type { NewBundleContent } from '../create/creation.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import { addedTrialEnds, type TrialEnd, trialEndsOfEdit, trialNotification } from '../edits/trial-ends.ts';

/** Queues TRIAL_ENDING of new trial ends (§21.1). Reads the tenant's setting only if there are any. */
export function trialNotices(settingsOf: SettingsOf) {
  async function schedule(session: WriteSession, ends: readonly TrialEnd[]): Promise<void> {
    if (ends.length === 0) return;
    const { 'subscription.trial.noticeDays': days } = await settingsOf(session);
    if (days > 0) session.schedule(ends.map((end) => trialNotification(end, days * DAY_MS)));
  }

  return {
    schedule,

    /** Returns false if the tenant has turned the event off. */
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
