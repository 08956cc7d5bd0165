import { enumeration } from '../../values/fields/index.ts';
// The literals are the values used over HTTP (catalog §1).

/** Category of a product: BASE opens a bundle, ADD_ON joins one, STANDALONE has its own bundle. */
export const ProductCategory = enumeration('BASE', 'ADD_ON', 'STANDALONE');
export type ProductCategory = keyof typeof ProductCategory;

/** Kind of a phase; a plan has at most one of each. EVERGREEN never ends. */
export const PhaseType = enumeration('TRIAL', 'DISCOUNT', 'FIXEDTERM', 'EVERGREEN');
export type PhaseType = keyof typeof PhaseType;

/** Whether a period is charged at its start or at its end. */
export const BillingMode = enumeration('IN_ADVANCE', 'IN_ARREAR');
export type BillingMode = keyof typeof BillingMode;

/** When a fixed price is charged: once, at the start of its phase. */
export const FixedType = enumeration('ONE_TIME');
export type FixedType = keyof typeof FixedType;

/** CONSUMABLE adds up the used quantities; CAPACITY uses the peak. */
export const UsageType = enumeration('CONSUMABLE', 'CAPACITY');
export type UsageType = keyof typeof UsageType;

/** ALL_TIERS prices each unit in its own tier. TOP_TIER prices all units in the highest tier reached. */
export const TierBlockPolicy = enumeration('ALL_TIERS', 'TOP_TIER');
export type TierBlockPolicy = keyof typeof TierBlockPolicy;

/** Kind of a block of units; blocks of tiers are TIERED. */
export const BlockType = enumeration('VANILLA', 'TOP_UP', 'TIERED');
export type BlockType = keyof typeof BlockType;

/** The effective time of a change or cancellation; ILLEGAL forbids it. */
export const BillingActionPolicy = enumeration('IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM', 'ILLEGAL');
export type BillingActionPolicy = keyof typeof BillingActionPolicy;

/** Start of the phases of a new subscription (catalog §8 rule 5). */
export const PlanAlignmentCreate = enumeration('START_OF_BUNDLE', 'START_OF_SUBSCRIPTION');
export type PlanAlignmentCreate = keyof typeof PlanAlignmentCreate;

/** Start of the phases after a change of plan (catalog §8 rule 5). */
export const PlanAlignmentChange = enumeration(
  'START_OF_BUNDLE',
  'START_OF_SUBSCRIPTION',
  'CHANGE_OF_PLAN',
  'CHANGE_OF_PRICELIST',
);
export type PlanAlignmentChange = keyof typeof PlanAlignmentChange;

/** The owner of a subscription's bill cycle day. */
export const BillingAlignment = enumeration('ACCOUNT', 'BUNDLE', 'SUBSCRIPTION');
export type BillingAlignment = keyof typeof BillingAlignment;

/** Kind of a feature, which determines the form of its values. */
export const FeatureKind = enumeration('SWITCH', 'NUMBER', 'TEXT', 'QUOTA');
export type FeatureKind = keyof typeof FeatureKind;

/** Combination of the NUMBER values of several subscriptions. */
export const FeatureCombination = enumeration('SUM', 'MAX');
export type FeatureCombination = keyof typeof FeatureCombination;

/** Period after which the counter of a QUOTA starts at zero; EVER never ends. */
export const QuotaPeriod = enumeration('BILLING_PERIOD', 'DAY', 'MONTH', 'YEAR', 'EVER');
export type QuotaPeriod = keyof typeof QuotaPeriod;

/** Consumption beyond a QUOTA: BLOCK rejects it, ALLOW counts it, BILL records it as usage. */
export const QuotaOverage = enumeration('BLOCK', 'ALLOW', 'BILL');
export type QuotaOverage = keyof typeof QuotaOverage;
