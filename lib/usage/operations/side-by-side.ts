import type { UsageSubmission } from '../../records/index.ts';

/** Transactions of one chunk that are under way at once: they share no subscription. */
const BULK_USAGE_CHUNKS_AT_ONCE = 4;

/** Lines for which a transaction of their own is worth its commit. */
export const BULK_USAGE_LINES_OF_A_SHARE = 1_000;

/** A part of a chunk, with the places of its submissions in it. */
export interface Share {
  readonly submissions: readonly UsageSubmission[];
  readonly places: readonly number[];
}

/**
 * A chunk in shares that may be stored at once: none has a subscription of another, so that lines of a subscription are
 * stored in their order, and none waits for another's rows (§11.2 rule 3).
 */
export function sharesOf(submissions: readonly UsageSubmission[]): readonly Share[] {
  const wanted = Math.ceil(submissions.length / BULK_USAGE_LINES_OF_A_SHARE);
  const count = Math.min(BULK_USAGE_CHUNKS_AT_ONCE, wanted);
  const shares = Array.from({ length: count }, () => ({
    submissions: [] as UsageSubmission[],
    places: [] as number[],
  }));
  for (const [place, submission] of submissions.entries()) {
    const share = shares[submission.subscriptionRecordId % count];
    share?.submissions.push(submission);
    share?.places.push(place);
  }
  return shares.filter(({ places }) => places.length > 0);
}
