import { type Authorship, RecordingOutcome, type UsageSubmission } from '../../../lib/records/index.ts';
import type { Runner } from '../sql/runner.ts';

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
  const firsts = new Map<string, UsageSubmission>();
  for (const submission of submissions) {
    const key = keyOf(submission);
    if (!firsts.has(key)) firsts.set(key, submission);
  }
  if (firsts.size === 0) return [];
  const offered = [...firsts.values()].sort(byKey);
  const { userName: createdBy, createdDate } = authorship;
  const chunk = { tenantRecordId, createdBy, createdDate, submissions: offered };
  const holders = new Map<string, string>();
  for (const { index, fingerprint } of await runner.dialect.storeUsage(runner, chunk)) {
    const refused = offered[index];
    if (refused) holders.set(keyOf(refused), fingerprint);
  }
  return submissions.map((submission) => {
    const key = keyOf(submission);
    const holder = holders.get(key);
    const isFirst = firsts.get(key) === submission;
    if (isFirst && holder === undefined) return RecordingOutcome.ACCEPTED;
    const isSame = (holder ?? firsts.get(key)?.fingerprint) === submission.fingerprint;
    return isSame ? RecordingOutcome.DUPLICATE : RecordingOutcome.CONFLICT;
  });
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
