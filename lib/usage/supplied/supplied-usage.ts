import type { Instant, LocalDate } from '../../values/time/index.ts';
import type { UsageSum } from '../rating/quantities.ts';

/** What a usage source has told of one subscription, as far as a run looks at it (§9): sums, never records. */
export type SuppliedUsage =
  | { readonly kind: 'RECORDS'; readonly pieces: readonly SuppliedPiece[] }
  /** By the text of `quantityKey`. */
  | { readonly kind: 'QUANTITIES'; readonly quantities: ReadonlyMap<string, SuppliedQuantity> };

/** The records of one unit in a day, or in the part of a day between two neighbouring cuts. */
export interface SuppliedPiece extends UsageSum {
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly trackingIds: readonly string[];
}

export interface SuppliedQuantity {
  readonly quantity: UsageSum['sum'];
  readonly trackingIds: readonly string[];
}

/** A stretch of an interval. */
export interface SuppliedSpan {
  readonly start: Instant;
  readonly end: Instant;
  readonly endInclusive: boolean;
}

export function quantityKey(usageName: string, unit: string, { start, end }: SuppliedSpan): string {
  return JSON.stringify([usageName, unit, start, end]);
}

/** An instant at which a day is cut. */
export interface DayCut {
  readonly at: Instant;
  readonly date: LocalDate;
}
