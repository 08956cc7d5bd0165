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
  /** The invoice; null if the run had only items of 0, which the tenant drops. */
  readonly invoiceId: Uuid | null;
  /** Ids of the interval's USAGE items and of the REPAIR_ADJ items for earlier items, in output order. */
  readonly itemIds: readonly Uuid[];
  readonly consumed: readonly PointRange[];
  readonly createdDate: Instant;
  /** The usage from a usage source, stored instead of consumed points. Null for recorded usage. */
  readonly supplied: SuppliedDigest | null;
}

/** The usage of a subscription that the next run reads while its events stay unchanged. */
export interface UsageReading {
  /** First day from which days and billed intervals are read. Null means that everything is read. */
  readonly from: LocalDate | null;
  /** The tenant's usage settings as text; if they changed, everything is read. */
  readonly settings: string;
  /** The evaluated days. Null if every run of the account looks for late usage. */
  readonly looked: EvaluatedDays | null;
}

/** The days that were billed at the last run. Only late usage changes them. */
export interface EvaluatedDays {
  /** The last day; the first is `UsageReading.from`. */
  readonly through: LocalDate;
  /** Number of recorded points plus number of voids on these days. */
  readonly mark: number;
}
