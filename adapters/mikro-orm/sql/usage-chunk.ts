import type { UsageSubmission } from '../../../lib/records/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';

/** Submissions to be stored together, or not at all where the database fails. */
export interface UsageChunk {
  readonly tenantRecordId: number;
  readonly createdBy: string;
  readonly createdDate: Instant;
  /** At least one; by subscription and tracking id, of which no two are the same. */
  readonly submissions: readonly UsageSubmission[];
}

/** A submission that was not stored, since its tracking id is taken. */
export interface RefusedUsage {
  /** Of the submission in its chunk. */
  readonly index: number;
  /** Of the submission that has the tracking id. */
  readonly fingerprint: string;
}
