import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant, LocalDate } from '../../values/time/index.ts';
import type { SuppliedDigest } from './supplied-usage.ts';
import type { PointRange } from './usage-pieces.ts';

/** What a run has rated of a usage section, as it is stored: one for each run that bills some of it (usage §1.2). */
export interface StoredUsageInterval {
  readonly accountRecordId: number;
  readonly subscriptionId: Uuid;
  readonly usageName: string;
  /** Of the catalog version whose section it is. */
  readonly versionDate: Instant;
  readonly priceIdentity: string;
  readonly start: DatedInstant;
  readonly end: DatedInstant;
  /** null = the tenant drops the items of 0 that it came to, and there was nothing else to invoice. */
  readonly invoiceId: Uuid | null;
  /** Its USAGE items, and the REPAIR_ADJ that give back some of earlier ones, in output order. */
  readonly itemIds: readonly Uuid[];
  readonly consumed: readonly PointRange[];
  readonly createdDate: Instant;
  /** null = it was billed from what was recorded; else a usage source told what was used, and no points are consumed. */
  readonly supplied: SuppliedDigest | null;
}

/** What the next run reads of a subscription's usage, as long as its events stay as they are. */
export interface UsageReading {
  /** Days and billed intervals from this date on; null = everything, and then nothing is said of days. */
  readonly from: LocalDate | null;
  /** The tenant's settings for usage as one text; where they are others now, everything is read. */
  readonly settings: string;
  /** null = every run of the account looks for late usage. */
  readonly looked: LookedDays | null;
}

/** The billed days as a run has found them: as long as they stay so there is no late usage. */
export interface LookedDays {
  /** The last of them; they begin where the next run reads from. */
  readonly through: LocalDate;
  /** How many points were ever recorded for them, and how often some of a day were voided. */
  readonly mark: number;
}
