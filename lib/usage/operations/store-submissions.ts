import type { Storage } from '../../ports/storage/index.ts';
import type { Authorship, RecordingOutcome, TenantRef, UsageSubmission } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { recordingOutcome } from '../recording/submission-faults.ts';
import { thresholdLook } from '../recording/threshold-look.ts';

export interface Storing {
  readonly storage: Pick<Storage, 'recordUsage' | 'write'>;
  readonly tenant: TenantRef;
  readonly authorship: Authorship;
  /** Whether what is recorded may pass a threshold: then a look at the subscriptions is asked for with it (§12.1). */
  readonly mayPassThresholds: boolean;
}

/** The outcome of each submission, in the order given. */
export async function storeSubmissions(
  { storage, tenant, authorship, mayPassThresholds }: Storing,
  submissions: readonly UsageSubmission[],
): Promise<readonly RecordingOutcome[]> {
  const takenBy = mayPassThresholds
    ? await storage.write(tenant, authorship, async (session) => {
        const found = await session.usage.record(submissions);
        const looks = submissions
          .filter((_submission, index) => found[index] === null)
          .map((submission) => thresholdLook(submission, authorship.createdDate));
        session.schedule([...new Map(looks.map((look) => [look.uniqueKey, look])).values()]);
        return found;
      })
    : await storage.recordUsage(tenant, authorship, submissions);
  return submissions.map((submission, index) => {
    const taken = takenBy[index];
    assertInvariant(taken !== undefined, `Storage did not report the outcome of ${submission.trackingId}`);
    return recordingOutcome(submission, taken);
  });
}
