import type { Sha256 } from '../../ports/index.ts';
import type { Storage, WriteSession } from '../../ports/storage/index.ts';
import {
  type Authorship,
  type EventPayload,
  QueueName,
  type RecordingOutcome,
  type Subscription,
  type TenantRef,
  type UsageSubmission,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, TimeZone } from '../../values/time/index.ts';
import type { LineReport } from '../recording/line-report.ts';
import { recordingOutcome } from '../recording/recording-faults.ts';
import { usagePoints, usageSubmission } from '../recording/usage-points.ts';
import type { PreparedLine } from './line-preparation.ts';

export interface Storing {
  readonly storage: Pick<Storage, 'recordUsage' | 'write'>;
  readonly tenant: TenantRef;
  readonly authorship: Authorship;
  /** True if usage may reach a threshold. If so, the engine requests a check of the subscriptions (§12.1). */
  readonly mayPassThresholds: boolean;
}

export async function storeSubmissions(
  { storage, tenant, authorship, mayPassThresholds }: Storing,
  submissions: readonly UsageSubmission[],
): Promise<readonly RecordingOutcome[]> {
  const usedBy = mayPassThresholds
    ? await storage.write(tenant, authorship, (session) => recordWithThresholds(session, submissions))
    : await storage.recordUsage(tenant, submissions);
  return submissions.map((submission, index) => {
    const taken = usedBy[index];
    assertInvariant(taken !== undefined, `Storage did not report the outcome of ${submission.trackingId}`);
    return recordingOutcome(submission, taken);
  });
}

/** Records submissions. Schedules threshold checks for those that were stored (§12.1). */
async function recordWithThresholds(
  session: WriteSession,
  submissions: readonly UsageSubmission[],
): Promise<readonly (string | null)[]> {
  const found = await session.usage.record(submissions);
  const looks = submissions
    .filter((_submission, index) => found[index] === null)
    .map((submission) => thresholdLook(submission));
  session.schedule([...new Map(looks.map((look) => [look.uniqueKey, look])).values()]);
  return found;
}

/** Usage of a unit, recorded as a result of another operation. */
export interface CausedUsage {
  readonly subscription: Pick<Subscription, 'id' | 'accountRecordId' | 'recordId'>;
  readonly trackingId: string;
  readonly unit: string;
  readonly amount: Decimal;
  readonly at: Instant;
  readonly zone: TimeZone;
}

/**
 * Records usage in the transaction of the operation that causes it. Returns false if the subscription already has other
 * usage with the same tracking id.
 */
export async function recordCausedUsage(
  session: WriteSession,
  { subscription, trackingId, unit, amount, at, zone }: CausedUsage,
  sha256: Sha256,
): Promise<boolean> {
  const points = usagePoints([{ unit, recordDate: { at }, amount }], zone);
  const { userName: createdBy, createdDate } = session.authorship;
  const submission = usageSubmission(subscription, { trackingId, points, createdBy, createdDate }, sha256);
  const { usageThresholds } = await session.revisions();
  const record = usageThresholds === null ? session.usage.record : recordWithThresholds.bind(null, session);
  const [usedBy] = await record([submission]);
  return usedBy === null;
}

/** The lines of a chunk with the outcomes of the stored lines, or with the error that prevented their storage. */
export type StoredChunk =
  | { readonly prepared: readonly PreparedLine[]; readonly outcomes: readonly RecordingOutcome[] }
  | { readonly error: unknown };

export const NO_CHUNK: StoredChunk = { prepared: [], outcomes: [] };

/**
 * Stores a chunk. The returned promise never rejects, because the next chunk is being read in the meantime. `addTo`
 * throws the error later.
 */
export async function storeChunk(storing: Storing, prepared: readonly PreparedLine[]): Promise<StoredChunk> {
  const submissions = prepared.flatMap((line) => ('submission' in line ? [line.submission] : []));
  // A host's transaction has only one connection, so the chunk is stored as a whole.
  const whole = { submissions, places: [...submissions.keys()] };
  const shares = storing.tenant.within === undefined ? sharesOf(submissions) : [whole];
  const outcomes: RecordingOutcome[] = [];
  const store = async ({ submissions: own, places }: Share): Promise<void> => {
    const found = own.length === 0 ? [] : await storeSubmissions(storing, own);
    for (const [index, outcome] of found.entries()) outcomes[places[index] ?? index] = outcome;
  };
  const ends = await Promise.allSettled(shares.map(store));
  const failed = ends.find((end) => end.status === 'rejected');
  return failed === undefined ? { prepared, outcomes } : { error: failed.reason };
}

/** Adds the outcomes to the report. @throws The error that prevented storage. */
export function addTo(report: LineReport, stored: StoredChunk): void {
  if ('error' in stored) throw stored.error;
  const next = stored.outcomes.values();
  for (const line of stored.prepared) {
    if ('fault' in line) {
      report.add({ ...line, result: line });
      continue;
    }
    const { value: outcome } = next.next();
    assertInvariant(outcome, 'A stored line has no outcome', { trackingId: line.trackingId });
    report.add({ ...line, result: { outcome } });
  }
}

/** Maximum number of concurrent transactions for one chunk. No two of them have a subscription in common. */
const BULK_USAGE_CHUNKS_AT_ONCE = 4;

/** Minimum number of lines in each share of a split chunk. */
export const BULK_USAGE_LINES_OF_A_SHARE = 1_000;

interface Share {
  readonly submissions: readonly UsageSubmission[];
  readonly places: readonly number[];
}

/**
 * Splits a chunk into shares that are stored concurrently. No two shares have a subscription in common. Lines therefore
 * keep their order, and no share waits for rows that another share has locked (§11.2 rule 3).
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

/**
 * Returns the threshold check to schedule for recorded usage (§12.1). A subscription has at most one pending check.
 */
function thresholdLook({ accountRecordId, subscriptionRecordId, createdDate }: UsageSubmission) {
  return {
    queueName: QueueName.USAGE_THRESHOLDS,
    accountRecordId,
    effectiveDate: createdDate,
    payload: { subscriptionRecordId },
    uniqueKey: `usage-threshold:${subscriptionRecordId}`,
  };
}

/** Returns the record id of the subscription to check. */
export function readThresholdLook({ subscriptionRecordId }: EventPayload): number {
  const isNumber = typeof subscriptionRecordId === 'number';
  assertInvariant(isNumber, 'An entry for thresholds must name a subscription');
  return subscriptionRecordId;
}
