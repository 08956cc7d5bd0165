import type { FeatureOverride, FeatureValue } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { QuotaSpan } from './quota-period.ts';

/** The contribution of one subscription or override to a feature. */
export interface FeatureSource {
  /** Null for an override on the account. */
  readonly subscriptionId: Uuid | null;
  readonly subscriptionRecordId: number | null;
  /** Null for an override on the account. */
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly quantity: number;
  /** The override that defines the value, or null if the catalog defines it. */
  readonly override: FeatureOverride | null;
  /** The declared value for one unit of the quantity. */
  readonly value: FeatureValue;
  /**
   * Amount of a NUMBER or QUOTA. It is multiplied by the quantity if the value is per quantity. Null means unlimited.
   */
  readonly amount: Decimal | null;
  /** The counter of a QUOTA, or null for other kinds. */
  readonly quota: QuotaSource | null;
}

export interface QuotaSource {
  /** Id of the subscription, or of the account for an override on the account. */
  readonly ownerId: Uuid;
  /** Start of the subscription or of the override. If two starts are equal, the lower `order` comes first. */
  readonly since: Instant;
  readonly order: number;
  readonly span: QuotaSpan;
  /** The start of the next period, or null if the period has no end. */
  readonly resetsAt: Instant | null;
  /**
   * The unit of the usage that is recorded for the part beyond the quota, or null if the plan has no price for such a
   * unit.
   */
  readonly unit: string | null;
}
