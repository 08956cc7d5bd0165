import type { Uuid } from '../../values/ids/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** One stored override plan, insert-only (catalog §10 rule 6, §17). */
export interface StoredOverridePlan {
  readonly recordId: number;
  readonly id: Uuid;
  /** Counts the tenant's override plans from 1. */
  readonly number: number;
  readonly planName: string;
  readonly parentPlanName: string;
  readonly currency: Currency;
  /** As `writeOverrides` writes them. */
  readonly overrides: string;
  /** SHA-256 of currency and overrides. */
  readonly overrideHash: string;
  readonly createdDate: Instant;
}
