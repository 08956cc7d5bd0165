import type { UsageSubmission } from '../../../../lib/records/index.ts';
import { assertInvariant } from '../../../../lib/values/errors/index.ts';
import type { WriteScope } from '../../audit/audited-writes.ts';
import { bigint, rowReader } from '../../sql/columns.ts';
import type { Runner } from '../../sql/runner.ts';
import { isIn, type Sql, sql } from '../../sql/sql.ts';
import type { TenantScope } from '../../tables/record-access.ts';
import { usageMarksTable } from '../../tables/usage/usage.ts';

const readMark = rowReader({ subscriptionRecordId: bigint, version: bigint });

/** Returns the number of times that usage was recorded, by subscription. */
export async function marksOf(
  { runner, ofTenant }: TenantScope,
  subscriptionRecordIds: readonly number[],
  ending: Sql,
): Promise<ReadonlyMap<number, number>> {
  if (subscriptionRecordIds.length === 0) return new Map();
  const marks = await runner.readAs(readMark)`
    select subscription_record_id, version from bw_usage_marks
    where ${ofTenant} and ${isIn('subscription_record_id', 'bigint', subscriptionRecordIds)} ${ending}`;
  return new Map(marks.map(({ subscriptionRecordId, version }) => [subscriptionRecordId, version]));
}

interface Offer {
  readonly submission: UsageSubmission;
  /** Fingerprint of the usage that was first recorded with the tracking id, or null if this submission was stored. */
  usedBy: string | null;
}

/**
 * Stores the submissions whose tracking ids are unused. If several submissions have the same id, stores the first one.
 */
export async function recordUsage(
  runner: Runner,
  tenantRecordId: number,
  submissions: readonly UsageSubmission[],
): Promise<readonly (string | null)[]> {
  if (submissions.length === 0) return [];
  const offers = new Map<string, Offer>();
  const asked = submissions.map((submission) => {
    const key = keyOf(submission);
    const known = offers.get(key);
    const offer = known ?? { submission, usedBy: null };
    if (known === undefined) offers.set(key, offer);
    return { offer, isFirst: known === undefined };
  });
  const offered = [...offers.values()].sort(byKey);
  const chunk = { tenantRecordId, submissions: offered.map(({ submission }) => submission) };
  for (const { index, fingerprint } of await runner.dialect.storeUsage(runner, chunk)) {
    const offer = offered[index];
    assertInvariant(offer, `Submission ${index} does not exist`);
    offer.usedBy = fingerprint;
  }
  return asked.map(({ offer, isFirst }) =>
    isFirst ? offer.usedBy : (offer.usedBy ?? offer.submission.fingerprint),
  );
}

/** Records usage, and marks the subscriptions whose submissions were stored. */
export async function recordMarked(
  scope: WriteScope,
  submissions: readonly UsageSubmission[],
): Promise<readonly (string | null)[]> {
  const usedBy = await recordUsage(scope.runner, scope.tenantRecordId, submissions);
  const stored = submissions.filter((_submission, index) => usedBy[index] === null);
  const marked = new Set(stored.map(({ subscriptionRecordId }) => subscriptionRecordId));
  // The rows are sorted to avoid deadlocks. They are the last rows that a recording locks.
  const marks = [...marked].sort((a, b) => a - b).map((each) => ({ subscriptionRecordId: each, version: 1 }));
  await scope.insertAll(
    usageMarksTable,
    marks,
    sql`on conflict (tenant_record_id, subscription_record_id) do update set version = bw_usage_marks.version + 1`,
  );
  return usedBy;
}

function keyOf({ subscriptionRecordId, trackingId }: UsageSubmission) {
  return `${subscriptionRecordId} ${trackingId}`;
}

function byKey({ submission: a }: Offer, { submission: b }: Offer) {
  const bySubscription = a.subscriptionRecordId - b.subscriptionRecordId;
  if (bySubscription !== 0 || a.trackingId === b.trackingId) return bySubscription;
  return a.trackingId < b.trackingId ? -1 : 1;
}
