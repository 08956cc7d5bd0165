import type { UsagePoint } from '../../records/index.ts';
import { type Instant, localDateOf, startOfDay, type TimeZone } from '../../values/time/index.ts';
import type { ReadRecord } from './usage-submission.ts';

/** The points of a submission in the usage zone: a day counts from its first instant there (§2.3). */
export function usagePoints(records: readonly ReadRecord[], zone: TimeZone): readonly UsagePoint[] {
  return records.map(({ unit, recordDate, amount }) => {
    const isDateOnly = 'date' in recordDate;
    const instant = isDateOnly ? startOfDay(recordDate.date, zone) : recordDate.at;
    return { unit, instant, localDate: localDateOf(instant, zone), isDateOnly, amount };
  });
}

/** True if a point lies after the end of the service; one at that very instant does not (§2.1 check 5). */
export function isAfterEnd(points: readonly UsagePoint[], end: Instant | null): boolean {
  return end !== null && points.some(({ instant }) => instant > end);
}
