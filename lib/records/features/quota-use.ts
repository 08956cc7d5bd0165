import { f, type RecordOf } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** The counter of a quota in one period (features §4). */
export interface QuotaCounter {
  readonly accountRecordId: number;
  /** The subscription to which the counter belongs, or the account if the override is on the account. */
  readonly ownerId: Uuid;
  readonly feature: string;
  readonly periodStart: LocalDate;
  readonly used: Decimal;
}

/**
 * A recorded use of a quota, identified by a key. It is stored so that a use with the same key is never counted twice
 * (features §4).
 */
export const quotaUseFields = {
  recordId: f.recordId,
  id: f.id(),
  accountRecordId: f.bigint(),
  feature: f.text(),
  key: f.key(),
  amount: f.amount(),
  /** The result of the first call with the key, including the amounts taken from each counter. */
  outcome: f.json<StoredQuotaOutcome>(),
  isReleased: f.flag(),
  createdDate: f.instant(),
};
export interface QuotaUse extends RecordOf<typeof quotaUseFields> {}

/** The result of using a quota, with decimals as text. */
export interface StoredQuotaOutcome {
  readonly allowed: boolean;
  readonly used: string;
  readonly remaining: string;
  readonly overage: string;
  readonly resetsAt: Instant | null;
  readonly draws: readonly StoredDraw[];
  /** The usage that was recorded for the part beyond the quota, or null if no usage was recorded. */
  readonly billed: { readonly subscriptionRecordId: number; readonly trackingId: string } | null;
}

export interface StoredDraw {
  readonly ownerId: Uuid;
  readonly periodStart: LocalDate;
  readonly amount: string;
}
