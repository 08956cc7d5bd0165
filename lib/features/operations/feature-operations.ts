import type {
  FeatureKind,
  FeatureOverride,
  Leading,
  QuotaOverage,
  QuotaPeriod,
} from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** A feature of an account at an instant. Fields that do not apply to its kind are null. */
export interface FeatureView {
  readonly name: string;
  readonly kind: FeatureKind;
  /** Value of a SWITCH feature. */
  readonly isOn: boolean | null;
  /** Value of a TEXT feature. Null if no subscription has the feature, and for other kinds. */
  readonly text: string | null;
  /**
   * Value of a NUMBER feature, or the sum of the amounts of a QUOTA. Null for an unlimited NUMBER feature, and for
   * other kinds.
   */
  readonly amount: Decimal | null;
  /** True for a NUMBER feature without a limit. */
  readonly isUnlimited: boolean;
  /** Used amount of a QUOTA in its current periods. */
  readonly used: Decimal | null;
  /** Remaining amount of a QUOTA in its current periods. */
  readonly remaining: Decimal | null;
  /** The earliest end of a period of a QUOTA. */
  readonly resetsAt: Instant | null;
  readonly sources: readonly FeatureSourceView[];
}

/** The contribution of a subscription or an override to a feature. */
export interface FeatureSourceView {
  /** Null for an override on the account. */
  readonly subscriptionId: Uuid | null;
  readonly planName: string | null;
  readonly phaseName: string | null;
  /** The override that replaces the value in the catalog, or null if none exists. */
  readonly overrideId: Uuid | null;
  /** The value as text: `true`, an amount, `UNLIMITED` or the text itself. */
  readonly value: string;
  readonly resetsAt: Instant | null;
}

/** A feature with the reasons for its value, one sentence each. */
export interface FeatureExplanation extends FeatureView {
  readonly reasons: readonly string[];
}

export interface FeaturesRequest {
  readonly accountId: Uuid;
  /** Instant at which the features are evaluated. Defaults to now. */
  readonly at?: Instant | null;
}

export interface ConsumeRequest<F extends string = string> {
  readonly accountId: Uuid;
  readonly feature: F;
  /** Amount above 0, with at most 15 digits before and 10 digits after the decimal point. Defaults to 1. */
  readonly amount?: Decimal;
  /** Idempotency key of the call, with at most 128 characters. A repeated call with the same key consumes nothing. */
  readonly key?: string | null;
  /**
   * Instant of the consumption, which determines the period. It can be up to 35 days ago, but not in the future.
   * Defaults to now.
   */
  readonly at?: Instant | null;
}

/** The outcome of consuming a quota, across all subscriptions with the quota. */
export interface Consumption {
  /** False if nothing was consumed because the remaining amount was too small. */
  readonly allowed: boolean;
  readonly used: Decimal;
  readonly remaining: Decimal;
  /** Part of the amount beyond the quota. */
  readonly overage: Decimal;
  /** The end of the period that ends first, or null if no period ends. */
  readonly resetsAt: Instant | null;
}

/** The outcome of a release, and the balance after it. */
export interface Release extends Omit<Consumption, 'allowed' | 'overage'> {
  /**
   * The released amount. It is 0 if the key had already been released, or if the call with the key had consumed
   * nothing.
   */
  readonly released: Decimal;
}

/**
 * A value that fits the kind of the feature: a flag, an amount as text (such as `5.5` or `UNLIMITED`), a text, or the
 * terms of a quota.
 */
export type FeatureInput =
  | boolean
  | string
  | {
      readonly amount: string;
      readonly per?: QuotaPeriod;
      /** Overage policy. Defaults to BLOCK. An override on an account cannot use BILL. */
      readonly overage?: QuotaOverage;
      /** If true, the amount applies once for each unit of the subscription's quantity. Defaults to false. */
      readonly perQuantity?: boolean;
    };

export interface OverrideRequest<F extends string = string> {
  readonly accountId: Uuid;
  /** Subscription whose contribution is replaced. By default, the combined value of the account is replaced. */
  readonly subscriptionId?: Uuid | null;
  readonly feature: F;
  readonly value: FeatureInput;
  /** Start of the override. Defaults to now. */
  readonly from?: Instant | null;
  /** Exclusive end of the override. By default, it has no end. */
  readonly until?: Instant | null;
  /** At most 255 characters. */
  readonly reason?: string | null;
}

/** The account and the feature to which an override belongs. */
export interface OverrideTarget {
  readonly accountId: Uuid;
  readonly feature: string;
}

/** Operations on the features and quotas of accounts. `F` is the type of the feature names in the catalog. */
export interface FeatureOperations<C extends Leading = [], F extends string = string> {
  /**
   * Returns the features of an account at an instant, sorted by name.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  of(...given: [...C, request: HostInput<FeaturesRequest>]): Promise<readonly FeatureView[]>;

  /**
   * Returns true if the account may use the feature now: a SWITCH is on, a NUMBER is at least the amount, a TEXT has a
   * value, or the amount of a QUOTA could be consumed. Answers from memory for a known account.
   * @param amount defaults to 1.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), FEATURE_NOT_FOUND (63001).
   * @example if (!(await acme.features.can(account.id, 'sso'))) return upgradePage();
   */
  can(...given: [...C, accountId: Uuid | string, feature: F, amount?: Decimal | string]): Promise<boolean>;

  /**
   * Returns the feature with the reasons for its value.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), FEATURE_NOT_FOUND (63001).
   */
  explain(
    ...given: [...C, request: HostInput<FeaturesRequest & { readonly feature: F }>]
  ): Promise<FeatureExplanation>;

  /**
   * Consumes an amount of a QUOTA. If less is left, the result depends on the plan: nothing is consumed, the quota is
   * exceeded, or the part beyond the quota is recorded as usage.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), FEATURE_NOT_FOUND (63001), FEATURE_NOT_A_QUOTA (63002),
   * QUOTA_KEY_REUSED (63005) for a key with a different amount, INVALID_PARAMETER (60002).
   * @example const { allowed } = await acme.features.consume({ accountId, feature: 'calls', key: requestId });
   */
  consume(...given: [...C, request: HostInput<ConsumeRequest<F>>]): Promise<Consumption>;

  /**
   * Releases the amount that the call with this key consumed, and voids the usage that the call recorded. Only the
   * first release has an effect.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), FEATURE_NOT_FOUND (63001), FEATURE_NOT_A_QUOTA (63002),
   * QUOTA_USE_NOT_FOUND (63006), USAGE_RECORD_ARCHIVED.
   */
  release(
    ...given: [
      ...C,
      request: HostInput<{ readonly accountId: Uuid; readonly feature: F; readonly key: string }>,
    ]
  ): Promise<Release>;

  /**
   * Replaces the value of a feature for a period of time. When a new override starts, an earlier override of the same
   * target ends.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082),
   * FEATURE_NOT_FOUND (63001), FEATURE_VALUE_INVALID (63003), INVALID_PARAMETER (60002), BUSY (60018).
   */
  override(...given: [...C, request: HostInput<OverrideRequest<F>>]): Promise<FeatureOverride>;

  /**
   * Ends an override now. Does nothing if it has already ended. If `target` is given, the override must belong to that
   * account and feature.
   * @throws BillingError FEATURE_OVERRIDE_NOT_FOUND (63004), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  endOverride(
    ...given: [...C, overrideId: Uuid | string, target?: HostInput<OverrideTarget>]
  ): Promise<FeatureOverride>;
}
