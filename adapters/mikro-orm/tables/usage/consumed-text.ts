import type { PartOfDay, PointRange } from '../../../../lib/records/index.ts';
import { addDays, type Instant, type LocalDate } from '../../../../lib/values/time/index.ts';
import { readDay, writeDay } from '../../sql/columns.ts';

/** The numbers of points on consecutive days. 0 means a day without points. */
type StoredDays = readonly [unit: string, first: string, ...counts: number[]];
type StoredPart = readonly [
  unit: string,
  date: string,
  part: 'ALL' | 'DAY_POINTS' | readonly [from: Instant, to: Instant],
  after: number,
  upTo: number,
];

/** Maximum number of consecutive days without points in a row of the table. A longer gap starts a new row. */
const MOST_EMPTY_DAYS = 10;

/**
 * Returns the text to store. It has about one number per unit and day, and does not preserve the order of the ranges.
 */
export function writeConsumed(ranges: readonly PointRange[]): string {
  const wholes = ranges.filter(isWhole);
  const parts = ranges.filter((range) => !isWhole(range)).map(storedPart);
  const byUnit = Map.groupBy(wholes, ({ unit }) => unit);
  const days = [...byUnit].flatMap(([unit, own]) => storedDays(unit, own));
  return JSON.stringify([...days, ...parts]);
}

export function readConsumed(text: string): readonly PointRange[] {
  const stored: readonly (StoredDays | StoredPart)[] = JSON.parse(text);
  return stored.flatMap((one) => (isStoredPart(one) ? partOf(one) : daysOf(one)));
}

function isWhole({ part, after }: PointRange) {
  return part === 'ALL' && after === 0;
}

function storedPart({ unit, localDate: date, part, after, upTo }: PointRange) {
  const stored = typeof part === 'string' ? part : ([part.from, part.to] as const);
  return [unit, writeDay(date), stored, after, upTo];
}

function storedDays(unit: string, ranges: readonly PointRange[]): readonly StoredDays[] {
  const rows: [LocalDate, number[]][] = [];
  for (const { localDate: date, upTo } of ranges.toSorted((a, b) => a.localDate - b.localDate)) {
    const last = rows.at(-1);
    const empty = last === undefined ? MOST_EMPTY_DAYS + 1 : date - last[0] - last[1].length;
    // A second range of the same day also starts a new row.
    if (last === undefined || empty > MOST_EMPTY_DAYS || empty < 0) rows.push([date, [upTo]]);
    else last[1].push(...new Array<number>(empty).fill(0), upTo);
  }
  return rows.map(([first, counts]) => [unit, writeDay(first), ...counts]);
}

function isStoredPart(stored: StoredDays | StoredPart): stored is StoredPart {
  return typeof stored[2] !== 'number';
}

function partOf([unit, date, stored, after, upTo]: StoredPart): PointRange {
  const part: PartOfDay = typeof stored === 'string' ? stored : { from: stored[0], to: stored[1] };
  return { unit, localDate: readDay(date), part, after, upTo };
}

function daysOf([unit, first, ...counts]: StoredDays): readonly PointRange[] {
  const from = readDay(first);
  return counts.flatMap((upTo, index) =>
    upTo === 0 ? [] : [{ unit, localDate: addDays(from, index), part: 'ALL' as const, after: 0, upTo }],
  );
}
