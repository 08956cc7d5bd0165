import type { Decimal } from '../../values/money/index.ts';
import type { FeatureCombination, FeatureKind, QuotaOverage, QuotaPeriod } from './catalog-enumerations.ts';

/** A feature that a catalog version declares (features §1). */
export interface FeatureDeclaration {
  readonly name: string;
  readonly kind: FeatureKind;
  /** Null unless the feature is a NUMBER. */
  readonly combine: FeatureCombination | null;
  /**
   * The unit of the usage that is recorded for a QUOTA with the overage BILL, or null if consumption is never billed.
   */
  readonly unit: string | null;
}

/**
 * The value of a feature as text, in a form that depends on the kind of the feature. `parseFeatureValue` parses this
 * text.
 */
export interface WrittenFeatureValue {
  /**
   * The value. Depending on the kind, it is `true` or `false`, a decimal or `UNLIMITED`, a text, or the amount of a
   * QUOTA.
   */
  readonly value: string;
  /** Null unless the feature is a QUOTA. */
  readonly per: QuotaPeriod | null;
  /** Null means BLOCK for a QUOTA. */
  readonly overage: QuotaOverage | null;
  /**
   * True if the amount applies per unit of quantity. Null means false. The value can be true only for a NUMBER or a
   * QUOTA.
   */
  readonly perQuantity: boolean | null;
}

/** The value of a feature that a product, plan or phase sets. */
export interface FeatureSetting extends WrittenFeatureValue {
  readonly name: string;
}

export type FeatureValue =
  | { readonly kind: 'SWITCH'; readonly isOn: boolean }
  | NumberValue
  | { readonly kind: 'TEXT'; readonly text: string }
  | QuotaValue;

export interface NumberValue {
  readonly kind: 'NUMBER';
  /** Null means unlimited. */
  readonly amount: Decimal | null;
  /** If true, the amount applies once for each unit of the subscription's quantity. */
  readonly perQuantity: boolean;
}

export interface QuotaValue {
  readonly kind: 'QUOTA';
  readonly amount: Decimal;
  readonly per: QuotaPeriod;
  readonly overage: QuotaOverage;
  /** If true, the amount applies once for each unit of the subscription's quantity. */
  readonly perQuantity: boolean;
}
