import type { Sha256 } from '../../ports/index.ts';
import type { Subscription, UsagePoint, UsageSubmission } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatDecimal } from '../../values/money/index.ts';
import { localDateOf, startOfDay, type TimeZone } from '../../values/time/index.ts';
import type { ReadRecord } from './read-submission.ts';

/**
 * Returns the points of a submission in the time zone for usage. A point without a time of day is assigned to the first
 * instant of its day in that zone (§2.3).
 */
export function usagePoints(records: readonly ReadRecord[], zone: TimeZone): readonly UsagePoint[] {
  return records.map(({ unit, recordDate, amount }) => {
    const isDateOnly = 'date' in recordDate;
    const instant = isDateOnly ? startOfDay(recordDate.date, zone) : recordDate.at;
    return { unit, instant, localDate: localDateOf(instant, zone), isDateOnly, amount };
  });
}

type NewSubmission = Pick<UsageSubmission, 'trackingId' | 'points' | 'createdBy' | 'createdDate'>;

export function usageSubmission(
  {
    id,
    accountRecordId,
    recordId: subscriptionRecordId,
  }: Pick<Subscription, 'id' | 'accountRecordId' | 'recordId'>,
  { trackingId, points, createdBy, createdDate }: NewSubmission,
  sha256: Sha256,
): UsageSubmission {
  const fingerprint = sha256(canonicalText(id, points));
  return {
    accountRecordId,
    subscriptionRecordId,
    trackingId,
    fingerprint,
    points,
    createdBy,
    createdDate,
  };
}

/** Returns the content of a submission in a canonical form. The fingerprint is the SHA-256 hash of this form (§1.2). */
export function canonicalText(subscriptionId: Uuid, points: readonly UsagePoint[]): string {
  const sorted = points.length === 1 ? points : points.toSorted(byContent);
  return JSON.stringify([
    subscriptionId,
    ...sorted.map(({ unit, instant, isDateOnly, amount }) => [
      unit,
      instant,
      isDateOnly,
      formatDecimal(amount),
    ]),
  ]);
}

function byContent(a: UsagePoint, b: UsagePoint): number {
  if (a.unit !== b.unit) return a.unit < b.unit ? -1 : 1;
  if (a.instant !== b.instant) return a.instant - b.instant;
  if (a.isDateOnly !== b.isDateOnly) return a.isDateOnly ? 1 : -1;
  return a.amount.comparedTo(b.amount);
}
