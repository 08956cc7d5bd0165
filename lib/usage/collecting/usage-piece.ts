import type { PartOfDay, PointRange, SuppliedDigest } from '../../records/index.ts';
import type { BilledOfSection } from '../settlement/billed-interval.ts';

export type { DayUsage, PartOfDay, PointRange, UsagePiece } from '../../records/index.ts';

/** A billed interval with the points that it has charged. */
export interface ConsumingInterval extends BilledOfSection {
  readonly consumed: readonly PointRange[];
  /** What a usage source said when it was billed; null = it was billed from points. Default null. */
  readonly supplied?: SuppliedDigest | null;
}

/** Points that an invoice had charged that is VOID now. */
export type FreedPoints = Pick<
  ConsumingInterval,
  'usageName' | 'instants' | 'startDate' | 'endDate' | 'consumed'
>;

/** True if the range has all points of the piece. */
export function holds(range: PointRange, piece: PointRange): boolean {
  return (
    range.unit === piece.unit &&
    range.localDate === piece.localDate &&
    range.after <= piece.after &&
    piece.upTo <= range.upTo &&
    holdsPart(range.part, piece.part)
  );
}

function holdsPart(range: PartOfDay, piece: PartOfDay): boolean {
  if (range === 'ALL' || range === piece) return true;
  if (typeof range === 'string' || typeof piece === 'string') return false;
  return range.from <= piece.from && piece.to <= range.to;
}
