// The literals are the wire values (catalog.md §1).

export const ProductCategory = { BASE: 'BASE', ADD_ON: 'ADD_ON', STANDALONE: 'STANDALONE' } as const;
export type ProductCategory = (typeof ProductCategory)[keyof typeof ProductCategory];

export const PhaseType = {
  TRIAL: 'TRIAL',
  DISCOUNT: 'DISCOUNT',
  FIXEDTERM: 'FIXEDTERM',
  EVERGREEN: 'EVERGREEN',
} as const;
export type PhaseType = (typeof PhaseType)[keyof typeof PhaseType];

export const BillingMode = { IN_ADVANCE: 'IN_ADVANCE', IN_ARREAR: 'IN_ARREAR' } as const;
export type BillingMode = (typeof BillingMode)[keyof typeof BillingMode];

export const FixedType = { ONE_TIME: 'ONE_TIME' } as const;
export type FixedType = (typeof FixedType)[keyof typeof FixedType];

export const UsageType = { CONSUMABLE: 'CONSUMABLE', CAPACITY: 'CAPACITY' } as const;
export type UsageType = (typeof UsageType)[keyof typeof UsageType];

export const TierBlockPolicy = { ALL_TIERS: 'ALL_TIERS', TOP_TIER: 'TOP_TIER' } as const;
export type TierBlockPolicy = (typeof TierBlockPolicy)[keyof typeof TierBlockPolicy];

export const BlockType = { VANILLA: 'VANILLA', TOP_UP: 'TOP_UP', TIERED: 'TIERED' } as const;
export type BlockType = (typeof BlockType)[keyof typeof BlockType];

export const BillingActionPolicy = {
  IMMEDIATE: 'IMMEDIATE',
  END_OF_TERM: 'END_OF_TERM',
  START_OF_TERM: 'START_OF_TERM',
  ILLEGAL: 'ILLEGAL',
} as const;
export type BillingActionPolicy = (typeof BillingActionPolicy)[keyof typeof BillingActionPolicy];

export const PlanAlignmentCreate = {
  START_OF_BUNDLE: 'START_OF_BUNDLE',
  START_OF_SUBSCRIPTION: 'START_OF_SUBSCRIPTION',
} as const;
export type PlanAlignmentCreate = (typeof PlanAlignmentCreate)[keyof typeof PlanAlignmentCreate];

export const PlanAlignmentChange = {
  START_OF_BUNDLE: 'START_OF_BUNDLE',
  START_OF_SUBSCRIPTION: 'START_OF_SUBSCRIPTION',
  CHANGE_OF_PLAN: 'CHANGE_OF_PLAN',
  CHANGE_OF_PRICELIST: 'CHANGE_OF_PRICELIST',
} as const;
export type PlanAlignmentChange = (typeof PlanAlignmentChange)[keyof typeof PlanAlignmentChange];

export const BillingAlignment = {
  ACCOUNT: 'ACCOUNT',
  BUNDLE: 'BUNDLE',
  SUBSCRIPTION: 'SUBSCRIPTION',
} as const;
export type BillingAlignment = (typeof BillingAlignment)[keyof typeof BillingAlignment];
