import type { FeatureOverride, FeatureValue } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { QuotaSpan } from './quota-period.ts';

/** What one subscription or override contributes to a feature. */
export interface FeatureSource {
  /** Null for an override on the account. */
  readonly subscriptionId: Uuid | null;
  readonly subscriptionRecordId: number | null;
  /** Null for an override on the account. */
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly quantity: number;
  /** The override that gives the value. Null if the catalog gives it. */
  readonly override: FeatureOverride | null;
  /** The value as declared, for one unit of the quantity. */
  readonly value: FeatureValue;
  /** Amount of a NUMBER or QUOTA, multiplied by the quantity if the value is per quantity. Null means unlimited. */
  readonly amount: Decimal | null;
  /** Counter of a QUOTA. Null for other kinds. */
  readonly quota: QuotaSource | null;
}

export interface QuotaSource {
  /** Id of the subscription, or of the account for an override on the account. */
  readonly ownerId: Uuid;
  /** Start of the subscription or of the override. For equal starts, the lower order comes first. */
  readonly since: Instant;
  readonly order: number;
  readonly span: QuotaSpan;
  /** Instant of the next period. Null if the period has no end. */
  readonly resetsAt: Instant | null;
  /** Unit of the usage for the part beyond the quota. Null if the plan does not price such a unit. */
  readonly unit: string | null;
}
