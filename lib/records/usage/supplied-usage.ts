import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** What a usage source said of an interval when a run billed it, in place of points that it has consumed (usage §9 rule 8). */
export interface SuppliedDigest {
  /** What this billing was the first to charge. */
  readonly amounts: readonly SuppliedAmount[];
  /** Of the source, those that it was the first to bill. */
  readonly trackingIds: readonly string[];
}

export interface SuppliedAmount {
  readonly unit: string;
  /** Of the interval in which it was used; late usage may have been charged with another one. */
  readonly start: Instant;
  readonly end: Instant;
  readonly quantity: Decimal;
}
