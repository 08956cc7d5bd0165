import type { ArchivedDay, OpenDay } from '../../ports/storage/index.ts';
import type { PartOfDay, PointRange, StoredCursor, StoredUsageInterval } from '../../records/index.ts';
import { MAX_YEAR, MIN_YEAR } from '../../values/limits.ts';
import { ZERO } from '../../values/money/index.ts';
import {
  type Instant,
  type LocalDate,
  localDate,
  minDate,
  monthOf,
  startOfDay,
  type TimeZone,
  UTC,
  yearOf,
} from '../../values/time/index.ts';
import { type BilledPoints, bucketOf, piecesNeeded } from './usage-ledger.ts';

/**
 * Returns the first day of the first month whose points must be kept, or null if all points must be kept. The billing
 * of days before the next run's first day is final, and these days are older than the look-back period (§7.1).
 */
export function archivableBefore(
  { dirtyFrom, usage }: Pick<StoredCursor, 'dirtyFrom' | 'usage'>,
  { before, settings }: { readonly before: LocalDate; readonly settings: string },
): LocalDate | null {
  if (dirtyFrom !== null || usage === null || usage.from === null || usage.settings !== settings) return null;
  return minDate(before, localDate(yearOf(usage.from), monthOf(usage.from), 1));
}

const FIRST = startOfDay(localDate(MIN_YEAR, 1, 1), UTC);
const LAST = startOfDay(localDate(MAX_YEAR, 12, 31), UTC);

/**
 * Returns the data to keep when the points of a subscription's days are deleted (§11.4): the pieces for later
 * comparisons, and the points that each invoice billed first. This data is sufficient, because the billed usage and the
 * boundaries within a day no longer change.
 * @param intervals Intervals that may have billed points of these days, on invoices that are not VOID.
 */
export function archivedDays(
  days: readonly OpenDay[],
  intervals: readonly StoredUsageInterval[],
  zone: TimeZone,
): readonly ArchivedDay[] {
  const billed = intervals.map(
    ({ start, end, consumed }): BilledPoints => ({
      instants: { start: start.at, end: end.at },
      startDate: start.date,
      endDate: end.date,
      consumed,
    }),
  );
  // Add up the points themselves, so that no point is lost if the zone's rules now put it on an adjacent day.
  const counted = days.map((day) => ({ ...day, version: 0, sum: ZERO, max: ZERO }));
  const { split: splits } = piecesNeeded({ days: counted, events: [], zone, billed });
  const splitOf = new Map(splits.map((split) => [bucketOf(split), split]));
  return days.map((day) => {
    const { bounds, ordinals } = splitOf.get(bucketOf(day)) ?? { bounds: [], ordinals: [] };
    const starts = [...new Set([day.archivedCount, ...ordinals.filter((each) => each > day.archivedCount)])];
    const pieces = partsOf(bounds).flatMap((part) =>
      starts.map((after, index): PointRange => {
        const { unit, localDate, count } = day;
        return { unit, localDate, part, after, upTo: starts[index + 1] ?? count };
      }),
    );
    return { ...day, pieces };
  });
}

/** Returns the parts between the bounds, plus the time before the first and after the last bound. */
function partsOf(bounds: readonly Instant[]): readonly PartOfDay[] {
  if (bounds.length === 0) return ['ALL'];
  const all = [FIRST, ...bounds, LAST];
  const parts = all.slice(1).map((to, index): PartOfDay => ({ from: all[index] ?? FIRST, to }));
  return ['DAY_POINTS', ...parts];
}
