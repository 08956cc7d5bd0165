import { type Authorship, RecordingOutcome, type UsageSubmission } from '../../../../lib/records/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import type { WriteScope } from '../../audit/audited-writes.ts';
import type { Runner } from '../../sql/runner.ts';
import { markSubscriptions } from './usage-thresholds.ts';

interface Recording {
  readonly tenantRecordId: number;
  readonly authorship: Authorship;
  readonly submissions: readonly UsageSubmission[];
}

/** The first submission with a tracking id, and who has that id in the end. */
interface Offer {
  readonly submission: UsageSubmission;
  isTaken: boolean;
  /** Fingerprint of what is stored under the tracking id. */
  holder: string;
}

/** Stores the submissions whose tracking ids are free; of those with the same one, the first. */
export async function recordUsage(
  runner: Runner,
  { tenantRecordId, authorship, submissions }: Recording,
): Promise<readonly RecordingOutcome[]> {
  if (submissions.length === 0) return [];
  const offers = new Map<string, Offer>();
  const asked = submissions.map((submission) => {
    const key = keyOf(submission);
    const { fingerprint } = submission;
    const known = offers.get(key);
    const offer = known ?? { submission, isTaken: false, holder: fingerprint };
    if (known === undefined) offers.set(key, offer);
    return { fingerprint, offer, isFirst: known === undefined };
  });
  const offered = [...offers.values()].sort(byKey);
  const { userName: createdBy, createdDate } = authorship;
  const chosen = offered.map(({ submission }) => submission);
  const chunk = { tenantRecordId, createdBy, createdDate, submissions: chosen };
  for (const { index, fingerprint } of await runner.dialect.storeUsage(runner, chunk)) {
    const offer = offered[index];
    assertInvariant(offer, `No submission has the number ${index}`);
    offer.isTaken = true;
    offer.holder = fingerprint;
  }
  return asked.map(({ fingerprint, offer, isFirst }) => {
    if (isFirst && !offer.isTaken) return RecordingOutcome.ACCEPTED;
    return offer.holder === fingerprint ? RecordingOutcome.DUPLICATE : RecordingOutcome.CONFLICT;
  });
}

/** The same, and marks the subscriptions of which something was stored. */
export async function recordMarked(
  scope: WriteScope,
  submissions: readonly UsageSubmission[],
): Promise<readonly RecordingOutcome[]> {
  const outcomes = await recordUsage(scope.runner, { ...scope, submissions });
  const stored = submissions.filter((_submission, index) => outcomes[index] === RecordingOutcome.ACCEPTED);
  await markSubscriptions(scope, [
    ...new Set(stored.map(({ subscriptionRecordId }) => subscriptionRecordId)),
  ]);
  return outcomes;
}

function keyOf({ subscriptionRecordId, trackingId }: UsageSubmission): string {
  return `${subscriptionRecordId} ${trackingId}`;
}

/** An order that all chunks have, so that none waits for another that waits for it. */
function byKey({ submission: a }: Offer, { submission: b }: Offer): number {
  if (a.subscriptionRecordId !== b.subscriptionRecordId)
    return a.subscriptionRecordId - b.subscriptionRecordId;
  if (a.trackingId === b.trackingId) return 0;
  return a.trackingId < b.trackingId ? -1 : 1;
}
