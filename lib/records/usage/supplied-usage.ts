import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** The usage from a usage source that a run has billed. It is stored in place of consumed points (usage §9 rule 8). */
export interface SuppliedDigest {
  /** Quantities that were first billed with this interval. */
  readonly amounts: readonly SuppliedAmount[];
  /** Tracking ids from the source that were first billed with this interval. */
  readonly trackingIds: readonly string[];
}

export interface SuppliedAmount {
  readonly unit: string;
  /** Start of the interval to which the usage belongs. Late usage may be billed with a different interval. */
  readonly start: Instant;
  readonly end: Instant;
  readonly quantity: Decimal;
}
