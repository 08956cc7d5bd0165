import type { UsageHours } from '../../ports/storage/index.ts';
import { HOUR_MS } from '../../values/limits.ts';
import { localDateOf, type TimeZone } from '../../values/time/index.ts';
import type { UsageBucket } from './usage-buckets.ts';

/** Hours of one day that follow each other, and the first of them. */
export interface HoursOfDay extends UsageHours {
  /** Place of its first hour among the buckets. */
  readonly first: number;
}

/** The hours as few stretches, so that the points of a day are read once and not once for each of its hours. */
export function hoursOfDays(buckets: readonly UsageBucket[], zone: TimeZone): readonly HoursOfDay[] {
  const stretches: HoursOfDay[] = [];
  let isWhole = false;
  for (const [place, { start, end }] of buckets.entries()) {
    const day = localDateOf(start, zone);
    const before = stretches.at(-1);
    if (before?.day === day && isWhole) stretches[stretches.length - 1] = { ...before, end };
    else stretches.push({ day, start, end, first: place });
    isWhole = end - start === HOUR_MS;
  }
  return stretches;
}
