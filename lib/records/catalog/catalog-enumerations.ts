// The literals are the wire values (catalog §1).

/** What a product is sold as: BASE carries a bundle, ADD_ON joins one, STANDALONE is alone in its own. */
export const ProductCategory = { BASE: 'BASE', ADD_ON: 'ADD_ON', STANDALONE: 'STANDALONE' } as const;
export type ProductCategory = (typeof ProductCategory)[keyof typeof ProductCategory];

/** Kind of a phase; a plan has at most one of each. EVERGREEN never ends. */
export const PhaseType = {
  TRIAL: 'TRIAL',
  DISCOUNT: 'DISCOUNT',
  FIXEDTERM: 'FIXEDTERM',
  EVERGREEN: 'EVERGREEN',
} as const;
export type PhaseType = (typeof PhaseType)[keyof typeof PhaseType];

/** Whether a period is charged at its start or at its end. */
export const BillingMode = { IN_ADVANCE: 'IN_ADVANCE', IN_ARREAR: 'IN_ARREAR' } as const;
export type BillingMode = (typeof BillingMode)[keyof typeof BillingMode];

/** When a fixed price is charged: once, at the start of its phase. */
export const FixedType = { ONE_TIME: 'ONE_TIME' } as const;
export type FixedType = (typeof FixedType)[keyof typeof FixedType];

/** CONSUMABLE adds what was used up; CAPACITY takes the peak. */
export const UsageType = { CONSUMABLE: 'CONSUMABLE', CAPACITY: 'CAPACITY' } as const;
export type UsageType = (typeof UsageType)[keyof typeof UsageType];

/** ALL_TIERS prices each unit in its own tier, TOP_TIER all units in the highest tier reached. */
export const TierBlockPolicy = { ALL_TIERS: 'ALL_TIERS', TOP_TIER: 'TOP_TIER' } as const;
export type TierBlockPolicy = (typeof TierBlockPolicy)[keyof typeof TierBlockPolicy];

/** Kind of a block of units; blocks of tiers are TIERED. */
export const BlockType = { VANILLA: 'VANILLA', TOP_UP: 'TOP_UP', TIERED: 'TIERED' } as const;
export type BlockType = (typeof BlockType)[keyof typeof BlockType];

/** When a change or cancellation takes effect, or that it is forbidden. */
export const BillingActionPolicy = {
  IMMEDIATE: 'IMMEDIATE',
  END_OF_TERM: 'END_OF_TERM',
  START_OF_TERM: 'START_OF_TERM',
  ILLEGAL: 'ILLEGAL',
} as const;
export type BillingActionPolicy = (typeof BillingActionPolicy)[keyof typeof BillingActionPolicy];

/** From where the phases of a new subscription count (catalog §8 rule 5). */
export const PlanAlignmentCreate = {
  START_OF_BUNDLE: 'START_OF_BUNDLE',
  START_OF_SUBSCRIPTION: 'START_OF_SUBSCRIPTION',
} as const;
export type PlanAlignmentCreate = (typeof PlanAlignmentCreate)[keyof typeof PlanAlignmentCreate];

/** From where phases count after a change of plan (catalog §8 rule 5). */
export const PlanAlignmentChange = {
  START_OF_BUNDLE: 'START_OF_BUNDLE',
  START_OF_SUBSCRIPTION: 'START_OF_SUBSCRIPTION',
  CHANGE_OF_PLAN: 'CHANGE_OF_PLAN',
  CHANGE_OF_PRICELIST: 'CHANGE_OF_PRICELIST',
} as const;
export type PlanAlignmentChange = (typeof PlanAlignmentChange)[keyof typeof PlanAlignmentChange];

/** Whose bill cycle day a subscription follows. */
export const BillingAlignment = {
  ACCOUNT: 'ACCOUNT',
  BUNDLE: 'BUNDLE',
  SUBSCRIPTION: 'SUBSCRIPTION',
} as const;
export type BillingAlignment = (typeof BillingAlignment)[keyof typeof BillingAlignment];
