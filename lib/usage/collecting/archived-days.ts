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
import { type BilledPoints, piecesNeeded } from './usage-book.ts';

/**
 * The first day whose points have to stay, the first of a month; null = all have to stay. Days before the one from which the
 * next run looks at the subscription's usage are billed, as far as they ever will be, and older than its look-back (§7.1).
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

interface ArchivedDaysInput {
  /** Of one subscription. */
  readonly days: readonly OpenDay[];
  /** Those of the subscription that may have billed points of these days, on invoices that are not VOID. */
  readonly intervals: readonly StoredUsageInterval[];
  readonly zone: TimeZone;
}

/**
 * Returns what is kept of days whose points are deleted (§11.4): the pieces for later comparisons, since the billed
 * usage and the cuts of a day no longer change, and which points each invoice billed first.
 */
export function archivedDays({ days, intervals, zone }: ArchivedDaysInput): readonly ArchivedDay[] {
  const splitOf = new Map(splitsOf(days, { intervals, zone }).map((split) => [bucketOf(split), split]));
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

function splitsOf(days: readonly OpenDay[], { intervals, zone }: Omit<ArchivedDaysInput, 'days'>) {
  const billed = intervals.map(
    ({ start, end, consumed }): BilledPoints => ({
      instants: { start: start.at, end: end.at },
      startDate: start.date,
      endDate: end.date,
      consumed,
    }),
  );
  // Summed from the points, so that none is lost that the zone now places beside its day.
  const counted = days.map((day) => ({ ...day, version: 0, sum: ZERO, max: ZERO }));
  return piecesNeeded({ days: counted, events: [], zone, billed }).split;
}

/** The same parts, plus the time before and after. */
function partsOf(bounds: readonly Instant[]): readonly PartOfDay[] {
  if (bounds.length === 0) return ['ALL'];
  const all = [FIRST, ...bounds, LAST];
  const parts = all.slice(1).map((to, index): PartOfDay => ({ from: all[index] ?? FIRST, to }));
  return ['DAY_POINTS', ...parts];
}

function bucketOf({ unit, localDate }: Pick<OpenDay, 'unit' | 'localDate'>): string {
  return `${localDate} ${unit}`;
}
