import type { Storage } from '../../ports/storage/index.ts';
import {
  type Authorship,
  RecordingOutcome,
  type TenantRef,
  type UsageSubmission,
} from '../../records/index.ts';
import { thresholdLook } from '../recording/threshold-look.ts';

export interface Storing {
  readonly storage: Pick<Storage, 'recordUsage' | 'write'>;
  readonly tenant: TenantRef;
  readonly authorship: Authorship;
  /** Whether what is recorded may pass a threshold: then a look at the subscriptions is asked for with it (§12.1). */
  readonly mayPassThresholds: boolean;
}

/** What has become of each submission, in the order given. */
export async function storeSubmissions(
  { storage, tenant, authorship, mayPassThresholds }: Storing,
  submissions: readonly UsageSubmission[],
): Promise<readonly RecordingOutcome[]> {
  if (!mayPassThresholds) return storage.recordUsage(tenant, authorship, submissions);
  return storage.write(tenant, authorship, async (session) => {
    const outcomes = await session.usage.record(submissions);
    const looks = submissions
      .filter((_submission, index) => outcomes[index] === RecordingOutcome.ACCEPTED)
      .map((submission) => thresholdLook(submission, authorship.createdDate));
    session.schedule([...new Map(looks.map((look) => [look.uniqueKey, look])).values()]);
    return outcomes;
  });
}
