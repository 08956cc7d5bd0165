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

/** Stores the submissions whose tracking ids are free; of those with the same one, the first. */
export async function recordUsage(
  runner: Runner,
  { tenantRecordId, authorship, submissions }: Recording,
): Promise<readonly RecordingOutcome[]> {
  /** By key, the place of the first that has it. */
  const firsts = new Map<string, number>();
  const offered = submissions.filter((submission, index) => {
    const key = keyOf(submission);
    const isFirst = !firsts.has(key);
    if (isFirst) firsts.set(key, index);
    return isFirst;
  });
  if (offered.length === 0) return [];
  offered.sort(byKey);
  const { userName: createdBy, createdDate } = authorship;
  const chunk = { tenantRecordId, createdBy, createdDate, submissions: offered };
  const holders = new Map(offered.map((submission) => [keyOf(submission), submission.fingerprint]));
  const refused = new Set<string>();
  for (const { index, fingerprint } of await runner.dialect.storeUsage(runner, chunk)) {
    const submission = offered[index];
    assertInvariant(submission, `No submission has the number ${index}`);
    refused.add(keyOf(submission));
    holders.set(keyOf(submission), fingerprint);
  }
  return submissions.map((submission, index) => {
    const key = keyOf(submission);
    if (firsts.get(key) === index && !refused.has(key)) return RecordingOutcome.ACCEPTED;
    const isSame = holders.get(key) === submission.fingerprint;
    return isSame ? RecordingOutcome.DUPLICATE : RecordingOutcome.CONFLICT;
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
function byKey(a: UsageSubmission, b: UsageSubmission): number {
  if (a.subscriptionRecordId !== b.subscriptionRecordId)
    return a.subscriptionRecordId - b.subscriptionRecordId;
  if (a.trackingId === b.trackingId) return 0;
  return a.trackingId < b.trackingId ? -1 : 1;
}
