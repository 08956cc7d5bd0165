import type {
  FeatureOverride,
  FeatureState,
  New,
  QuotaCounter,
  QuotaUse,
  Rows,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** The key of a counter. Its owner is a subscription or, for an override on the account, the account. */
export interface CounterKey {
  readonly ownerId: Uuid;
  readonly feature: string;
  readonly periodStart: LocalDate;
}

/** A limit that applies if the highest announced threshold of the counter is at least `announced`. */
export interface DrawLimit {
  readonly announced: number;
  readonly upTo: Decimal;
}

export interface QuotaDraw extends CounterKey {
  readonly accountRecordId: number;
  readonly amount: Decimal;
  /**
   * The limits of the counter. After the draw, the counter must satisfy at least one of these limits. Null means that
   * the counter is unlimited.
   */
  readonly limits: readonly DrawLimit[] | null;
  /** Instant after which the counter can be deleted. Null means that it is kept. */
  readonly keepUntil: Instant | null;
}

/** A counter and its highest announced threshold in percent. */
export interface AnnouncedCounter extends CounterKey {
  readonly announced: number;
}

/** A counter after a draw. */
export interface DrawnCounter {
  readonly used: Decimal;
  /**
   * The highest threshold, in percent, for which an event was published in this period. The value is 0 if no event was
   * published.
   */
  readonly announced: number;
}

export interface UseKey extends Pick<QuotaUse, 'accountRecordId' | 'feature' | 'key'> {
  /** A key is free if its use is older. */
  readonly since: Instant;
}

export interface AccountsWithOverrides {
  readonly features: readonly string[] | null;
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface FeatureReads {
  /** Returns the overrides of these accounts and their subscriptions, including ended overrides. */
  overridesOfAccounts(accountIds: readonly Uuid[]): Rows<FeatureOverride>;
  findOverrides(ids: readonly Uuid[]): Rows<FeatureOverride>;
  /** Returns the kinds of all stored overrides of these features, including ended overrides. */
  kindsOfOverrides(features: readonly string[]): Rows<{ readonly feature: string; readonly kind: string }>;
  /**
   * Returns the record ids of accounts with overrides of these features. These are the first `limit` ids greater than
   * the given record id, in ascending order. If the features are null, overrides of any feature count.
   */
  accountsWithOverrides(request: AccountsWithOverrides): Rows<number>;
  /** Returns the values that the accounts had at their last check. Omits accounts that have never been checked. */
  states(accountRecordIds: readonly number[]): Rows<FeatureState>;
  /** Returns the counters with the given keys. Omits counters that have never been used. */
  counters(keys: readonly CounterKey[]): Rows<QuotaCounter>;
  /** Returns the use with this key, unless it is older than `since`. */
  findUse(use: UseKey): Promise<QuotaUse | null>;
}

export interface FeatureWrites {
  insertOverrides(overrides: readonly New<FeatureOverride>[]): Promise<void>;
  /** Writes the ends of overrides. */
  endOverrides(overrides: readonly FeatureOverride[]): Promise<void>;
  /**
   * Adds the amount to the counter with one statement, which creates the counter if it is missing. Returns null, and
   * changes nothing, if the counter would exceed its limit. The change is not audited.
   */
  draw(draw: QuotaDraw): Promise<DrawnCounter | null>;
  /** Subtracts the amount from the counter. */
  giveBack(draw: Pick<QuotaDraw, keyof CounterKey | 'accountRecordId' | 'amount'>): Promise<void>;
  /** Stores the highest threshold of each counter for which an event was published. */
  announce(reached: readonly AnnouncedCounter[]): Promise<void>;
  saveStates(states: readonly FeatureState[]): Promise<void>;
  /**
   * Stores a use. Replaces a use with the same key that is older than `since`. Returns false if the key is already
   * used.
   */
  insertUse(use: New<QuotaUse>, since: Instant): Promise<boolean>;
  /** Marks a use as released. Returns false if it had already been released. */
  releaseUse(id: Uuid): Promise<boolean>;
}
