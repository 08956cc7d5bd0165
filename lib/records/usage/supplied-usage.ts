import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** The usage from a usage source that a run billed, instead of consumed points (usage §9 rule 8). */
export interface SuppliedDigest {
  /** Quantities that this interval was the first to bill. */
  readonly amounts: readonly SuppliedAmount[];
  /** The source's tracking ids that this interval was the first to bill. */
  readonly trackingIds: readonly string[];
}

export interface SuppliedAmount {
  readonly unit: string;
  /** The interval of the usage; late usage may be billed with another interval. */
  readonly start: Instant;
  readonly end: Instant;
  readonly quantity: Decimal;
}
