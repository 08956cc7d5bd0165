import type { Decimal } from '../../values/money/index.ts';
import type { FeatureCombination, FeatureKind, QuotaOverage, QuotaPeriod } from './catalog-enumerations.ts';

/** A feature that a catalog version declares (features §1). */
export interface FeatureDeclaration {
  readonly name: string;
  readonly kind: FeatureKind;
  /** Null unless the feature is a NUMBER. */
  readonly combine: FeatureCombination | null;
  /** Unit of the usage that a QUOTA with overage BILL records. Null if consumption is never billed. */
  readonly unit: string | null;
}

/** The value of a feature as text, which the kind of the feature defines. `parseFeatureValue` reads it. */
export interface WrittenFeatureValue {
  /** `true` or `false`, a decimal or `UNLIMITED`, a text, or the amount of a QUOTA. */
  readonly value: string;
  /** Null unless the feature is a QUOTA. */
  readonly per: QuotaPeriod | null;
  /** Null means BLOCK for a QUOTA. */
  readonly overage: QuotaOverage | null;
  /** Null means false. True only for a NUMBER or a QUOTA. */
  readonly perQuantity: boolean | null;
}

/** The value that a product, plan or phase gives to a feature. */
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
