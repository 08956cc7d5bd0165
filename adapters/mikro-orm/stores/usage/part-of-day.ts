import type { PartOfDay, PointRange } from '../../../../lib/records/index.ts';
import { instant } from '../../../../lib/values/time/index.ts';
import { type Cell, type Column, dateOf, numberOf, type Row, textOf } from '../../sql/columns.ts';
import { writeDay } from '../../sql/remembered-dates.ts';

/** The columns of a range of points of a day, as statements join them: null where it does not matter. */
export const pointRangeColumns: readonly Column[] = [
  { name: 'local_date', type: 'date', nullable: false },
  { name: 'unit', type: 'text', nullable: false },
  { name: 'after_ordinal', type: 'bigint', nullable: false },
  { name: 'up_to_ordinal', type: 'bigint', nullable: true },
  { name: 'of_day', type: 'boolean', nullable: true },
  { name: 'start_at', type: 'bigint', nullable: true },
  { name: 'end_at', type: 'bigint', nullable: true },
];

export type RangeAsked = Omit<PointRange, 'upTo'> & { readonly upTo: number | null };

export function rangeCells({ unit, localDate, part, after, upTo }: RangeAsked): readonly Cell[] {
  const range = typeof part === 'object' ? [part.from, part.to] : [null, null];
  const ofDay = part === 'ALL' ? null : Number(part === 'DAY_POINTS');
  return [writeDay(localDate), unit, after, upTo, ofDay, ...range];
}

/** Condition that a point `p` is in a range `r`, whose bucket it is of. */
export const isInRange = `p.ordinal > r.after_ordinal and p.ordinal <= r.up_to_ordinal
  and (r.of_day is null or p.is_date_only = r.of_day)
  and (r.start_at is null or (p.recorded_for >= r.start_at and p.recorded_for < r.end_at))`;

/** As it is stored: one text for each part. */
export function writePart(part: PartOfDay): string {
  return typeof part === 'string' ? part : `${part.from} ${part.to}`;
}

function readPart(stored: string): PartOfDay {
  if (stored === 'ALL' || stored === 'DAY_POINTS') return stored;
  const [from = '', to = ''] = stored.split(' ');
  return { from: instant(Number(from)), to: instant(Number(to)) };
}

/** The range of an archived piece. */
export function readRange(row: Row): PointRange {
  return {
    unit: textOf(row.name, 'name'),
    localDate: dateOf(row.local_date, 'local_date'),
    part: readPart(textOf(row.part, 'part')),
    after: numberOf(row.after_ordinal, 'after_ordinal'),
    upTo: numberOf(row.up_to_ordinal, 'up_to_ordinal'),
  };
}
