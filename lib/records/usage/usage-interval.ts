import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant, LocalDate } from '../../values/time/index.ts';
import type { SuppliedDigest } from './supplied-usage.ts';
import type { PointRange } from './usage-pieces.ts';

/** The rated usage of a section in one run (usage §1.2). */
export interface StoredUsageInterval {
  readonly accountRecordId: number;
  readonly subscriptionId: Uuid;
  readonly usageName: string;
  /** Effective date of the section's catalog version. */
  readonly versionDate: Instant;
  readonly priceIdentity: string;
  readonly start: DatedInstant;
  readonly end: DatedInstant;
  /** The invoice, or null if the run had only items of amount 0 and the tenant's settings drop them. */
  readonly invoiceId: Uuid | null;
  /** Ids of the interval's USAGE items and of REPAIR_ADJ items for earlier items, in output order. */
  readonly itemIds: readonly Uuid[];
  readonly consumed: readonly PointRange[];
  readonly createdDate: Instant;
  /**
   * The usage from a usage source. It is stored in place of consumed points. The value is null if usage was recorded.
   */
  readonly supplied: SuppliedDigest | null;
}

/** The usage that the next run must read for a subscription, provided that the subscription's events do not change. */
export interface UsageReading {
  /**
   * First day from which days and billed intervals are read. Null means that all days and billed intervals are read.
   */
  readonly from: LocalDate | null;
  /** The tenant's usage settings as text. If they have changed, everything is read again. */
  readonly settings: string;
  /** The days that were evaluated, or null if every run of the account checks for late usage. */
  readonly looked: EvaluatedDays | null;
}

/** The days that had been billed at the last run. Only late usage can change them. */
export interface EvaluatedDays {
  /** The last day. The first day is `UsageReading.from`. */
  readonly through: LocalDate;
  /** Total number of recorded points and voids on these days. */
  readonly mark: number;
}
