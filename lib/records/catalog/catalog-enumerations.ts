import { enumeration } from '../../values/fields/index.ts';
// The literals are the values used over HTTP (catalog §1).

/**
 * Category of a product. A BASE product starts a bundle, an ADD_ON is added to one, and a STANDALONE product has its
 * own bundle.
 */
export const ProductCategory = enumeration('BASE', 'ADD_ON', 'STANDALONE');
export type ProductCategory = keyof typeof ProductCategory;

/** Kind of a phase. A plan has at most one phase of each kind. EVERGREEN never ends. */
export const PhaseType = enumeration('TRIAL', 'DISCOUNT', 'FIXEDTERM', 'EVERGREEN');
export type PhaseType = keyof typeof PhaseType;

/** Specifies whether a period is charged at its start or at its end. */
export const BillingMode = enumeration('IN_ADVANCE', 'IN_ARREAR');
export type BillingMode = keyof typeof BillingMode;

/** Specifies when a fixed price is charged. It is always charged once, at the start of its phase. */
export const FixedType = enumeration('ONE_TIME');
export type FixedType = keyof typeof FixedType;

/** Specifies how usage is combined. CONSUMABLE adds up the quantities; CAPACITY uses the peak. */
export const UsageType = enumeration('CONSUMABLE', 'CAPACITY');
export type UsageType = keyof typeof UsageType;

/**
 * Specifies how tiers price units. ALL_TIERS prices each unit in its own tier. TOP_TIER prices all units in the highest
 * tier reached.
 */
export const TierBlockPolicy = enumeration('ALL_TIERS', 'TOP_TIER');
export type TierBlockPolicy = keyof typeof TierBlockPolicy;

/** Kind of a block of units. Blocks in tiers have the kind TIERED. */
export const BlockType = enumeration('VANILLA', 'TOP_UP', 'TIERED');
export type BlockType = keyof typeof BlockType;

/** Specifies when a change or cancellation takes effect. ILLEGAL forbids it. */
export const BillingActionPolicy = enumeration('IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM', 'ILLEGAL');
export type BillingActionPolicy = keyof typeof BillingActionPolicy;

/** Specifies when the phases of a new subscription start (catalog §8 rule 5). */
export const PlanAlignmentCreate = enumeration('START_OF_BUNDLE', 'START_OF_SUBSCRIPTION');
export type PlanAlignmentCreate = keyof typeof PlanAlignmentCreate;

/** Specifies when the phases start after a change of plan (catalog §8 rule 5). */
export const PlanAlignmentChange = enumeration(
  'START_OF_BUNDLE',
  'START_OF_SUBSCRIPTION',
  'CHANGE_OF_PLAN',
  'CHANGE_OF_PRICELIST',
);
export type PlanAlignmentChange = keyof typeof PlanAlignmentChange;

/** Specifies whether the account, the bundle or the subscription determines the bill cycle day. */
export const BillingAlignment = enumeration('ACCOUNT', 'BUNDLE', 'SUBSCRIPTION');
export type BillingAlignment = keyof typeof BillingAlignment;

/** Kind of a feature. It determines the form of the feature's values. */
export const FeatureKind = enumeration('SWITCH', 'NUMBER', 'TEXT', 'QUOTA');
export type FeatureKind = keyof typeof FeatureKind;

/** Specifies how the NUMBER values of several subscriptions are combined. */
export const FeatureCombination = enumeration('SUM', 'MAX');
export type FeatureCombination = keyof typeof FeatureCombination;

/** Period after which the counter of a QUOTA is reset to zero. The period EVER never ends. */
export const QuotaPeriod = enumeration('BILLING_PERIOD', 'DAY', 'MONTH', 'YEAR', 'EVER');
export type QuotaPeriod = keyof typeof QuotaPeriod;

/**
 * Specifies what happens to consumption beyond a QUOTA. BLOCK rejects it, ALLOW counts it, and BILL records it as
 * usage.
 */
export const QuotaOverage = enumeration('BLOCK', 'ALLOW', 'BILL');
export type QuotaOverage = keyof typeof QuotaOverage;
