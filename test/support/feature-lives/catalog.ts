import { defineCatalog } from '../../../lib/index.ts';

export type Period = 'BILLING_PERIOD' | 'DAY' | 'MONTH' | 'YEAR' | 'EVER';
export type Overage = 'BLOCK' | 'ALLOW' | 'BILL';

export interface QuotaValue {
  readonly amount: string;
  readonly per: Period;
  readonly overage?: Overage;
  readonly perQuantity?: boolean;
}
export interface NumberValue {
  readonly amount: string;
  readonly perQuantity?: boolean;
}
export type LifeValue = boolean | string | NumberValue | QuotaValue;
type LifeValues = { readonly [feature in FeatureName]?: LifeValue };

export interface LifePhase {
  readonly type: 'TRIAL' | 'DISCOUNT' | 'FIXEDTERM' | 'EVERGREEN';
  readonly duration?: { readonly unit: 'DAYS' | 'MONTHS'; readonly number: number };
  readonly recurring?: { readonly billingPeriod: keyof typeof periodMonths | 'WEEKLY' };
  readonly usages?: object;
  readonly features?: LifeValues;
}

export interface LifePlan {
  readonly product: ProductName;
  readonly features?: LifeValues;
  readonly initialPhases?: readonly LifePhase[];
  readonly finalPhase: LifePhase;
}

export interface LifeProduct {
  readonly category: 'BASE' | 'ADD_ON' | 'STANDALONE';
  readonly available?: readonly ProductName[];
  readonly features?: LifeValues;
}

export const periodMonths = { MONTHLY: 1, QUARTERLY: 3, ANNUAL: 12 } as const;

export const features = {
  sso: { kind: 'SWITCH' },
  beta: { kind: 'SWITCH' },
  seats: { kind: 'NUMBER' },
  storage: { kind: 'NUMBER', combine: 'MAX' },
  support: { kind: 'TEXT' },
  calls: { kind: 'QUOTA', unit: 'call' },
  exports: { kind: 'QUOTA' },
  reports: { kind: 'QUOTA' },
  audits: { kind: 'QUOTA' },
  credits: { kind: 'QUOTA' },
} as const;
export type FeatureName = keyof typeof features;
export const featureNames = Object.keys(features) as readonly FeatureName[];
export const quotaNames = ['calls', 'exports', 'reports', 'audits', 'credits'] as const;

const products = {
  Pro: {
    category: 'BASE',
    available: ['Extra', 'Plus'],
    features: { sso: true, support: 'email', audits: { amount: '12', per: 'YEAR' } },
  },
  Max: { category: 'BASE', available: ['Extra'], features: { sso: true, storage: '50', support: 'phone' } },
  Solo: { category: 'STANDALONE', features: { beta: true, support: 'chat' } },
  Extra: { category: 'ADD_ON' },
  Plus: { category: 'ADD_ON', features: { beta: true } },
} as const;
type ProductName = keyof typeof products;

const trial = { type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: {} } as const;
const monthly = (price: `${number}`) => ({ billingPeriod: 'MONTHLY', price: { USD: price } }) as const;

const centPerCall = {
  usageType: 'CONSUMABLE',
  billingMode: 'IN_ARREAR',
  billingPeriod: 'MONTHLY',
  tiers: [{ blocks: [{ unit: 'call', size: '1', prices: { USD: '0.01' }, max: '1000000000' }] }],
} as const;

/** A usage section with one cent per call. */
const billedCalls = <N extends string>(name: N) =>
  ({ [name]: centPerCall }) as { readonly [name in N]: typeof centPerCall };

const plans = {
  pro: {
    product: 'Pro',
    features: {
      seats: { amount: '5', perQuantity: true },
      storage: '10',
      calls: { amount: '30', per: 'MONTH' },
      exports: { amount: '3', per: 'DAY', overage: 'ALLOW' },
      reports: { amount: '8', per: 'BILLING_PERIOD' },
      credits: { amount: '40', per: 'EVER' },
    },
    initialPhases: [{ ...trial, features: { sso: false, calls: { amount: '10', per: 'MONTH' } } }],
    finalPhase: { type: 'EVERGREEN', recurring: monthly('20.00') },
  },
  'pro-annual': {
    product: 'Pro',
    features: {
      seats: { amount: '6', perQuantity: true },
      calls: { amount: '45', per: 'MONTH', perQuantity: true },
      exports: { amount: '2.5', per: 'DAY', perQuantity: true },
      reports: { amount: '60', per: 'BILLING_PERIOD', overage: 'ALLOW' },
    },
    finalPhase: {
      type: 'EVERGREEN',
      recurring: { billingPeriod: 'ANNUAL', price: { USD: '200.00' } },
      features: { beta: true, audits: { amount: '30', per: 'YEAR' } },
    },
  },
  max: {
    product: 'Max',
    features: {
      seats: '20',
      calls: { amount: '60', per: 'MONTH', overage: 'BILL' },
      reports: { amount: '20', per: 'BILLING_PERIOD', perQuantity: true },
    },
    finalPhase: { type: 'EVERGREEN', recurring: monthly('50.00'), usages: billedCalls('max-calls') },
  },
  'max-intro': {
    product: 'Max',
    features: {
      seats: 'UNLIMITED',
      calls: { amount: '40', per: 'MONTH', overage: 'BILL' },
      audits: { amount: '4', per: 'YEAR', overage: 'ALLOW' },
    },
    initialPhases: [
      {
        ...trial,
        usages: billedCalls('intro-trial-calls'),
        features: { support: 'trial support', exports: { amount: '0', per: 'DAY' } },
      },
      {
        type: 'DISCOUNT',
        duration: { unit: 'MONTHS', number: 2 },
        recurring: monthly('25.00'),
        usages: billedCalls('intro-discount-calls'),
        features: { storage: '75', reports: { amount: '5', per: 'BILLING_PERIOD' } },
      },
    ],
    finalPhase: {
      type: 'EVERGREEN',
      recurring: { billingPeriod: 'QUARTERLY', price: { USD: '140.00' } },
      usages: billedCalls('intro-calls'),
      features: { storage: 'UNLIMITED', reports: { amount: '15', per: 'BILLING_PERIOD', overage: 'ALLOW' } },
    },
  },
  'max-meter': {
    product: 'Max',
    features: {
      calls: { amount: '0', per: 'MONTH', overage: 'BILL' },
      reports: { amount: '7', per: 'BILLING_PERIOD' },
      credits: { amount: '5', per: 'EVER', overage: 'ALLOW', perQuantity: true },
    },
    finalPhase: { type: 'EVERGREEN', usages: billedCalls('meter-calls') },
  },
  extra: {
    product: 'Extra',
    features: {
      seats: '3',
      calls: { amount: '20', per: 'MONTH', overage: 'ALLOW' },
      exports: { amount: '4', per: 'DAY' },
      reports: { amount: '6', per: 'BILLING_PERIOD' },
    },
    finalPhase: { type: 'EVERGREEN', recurring: monthly('5.00') },
  },
  plus: {
    product: 'Plus',
    features: {
      seats: { amount: '1.5', perQuantity: true },
      support: 'plus support',
      calls: { amount: '15', per: 'MONTH' },
      credits: { amount: '20', per: 'EVER' },
    },
    initialPhases: [{ ...trial, features: { beta: false } }],
    finalPhase: { type: 'EVERGREEN', recurring: monthly('9.00') },
  },
  solo: {
    product: 'Solo',
    features: {
      seats: '1',
      exports: { amount: '1', per: 'DAY' },
      reports: { amount: '3', per: 'BILLING_PERIOD' },
      credits: { amount: '10', per: 'EVER' },
    },
    finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'WEEKLY', price: { USD: '2.00' } } },
  },
  pass: {
    product: 'Solo',
    features: { storage: '20', calls: { amount: '25', per: 'MONTH', overage: 'ALLOW' } },
    finalPhase: {
      type: 'FIXEDTERM',
      duration: { unit: 'DAYS', number: 30 },
      recurring: monthly('8.00'),
    },
  },
} as const;
export type PlanName = keyof typeof plans;

export const planOf = (name: PlanName): LifePlan => plans[name];
export const productOf = (name: ProductName): LifeProduct => products[name];
export const phasesOf = (name: PlanName): readonly LifePhase[] => {
  const { initialPhases = [], finalPhase } = planOf(name);
  return [...initialPhases, finalPhase];
};
/** Returns true if the plan prices the unit of the calls. */
export const isMetered = (name: PlanName): boolean =>
  phasesOf(name).some(({ usages }) => usages !== undefined);
export const phaseNameOf = (name: PlanName, { type }: LifePhase): string => `${name}-${type.toLowerCase()}`;

/** The catalog of all lives. Phases of a new plan count from the change. */
export const featureLifeCatalog = defineCatalog({
  name: 'FeatureLives',
  effectiveDate: '2020-01-01T00:00:00Z',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  units: { call: {} },
  features,
  products,
  plans,
  rules: {
    changePolicy: [{ policy: 'IMMEDIATE' }],
    changeAlignment: [{ alignment: 'CHANGE_OF_PLAN' }],
    cancelPolicy: [{ policy: 'IMMEDIATE' }],
    createAlignment: [{ alignment: 'START_OF_SUBSCRIPTION' }],
    billingAlignment: [
      { productCategory: 'STANDALONE', alignment: 'SUBSCRIPTION' },
      { alignment: 'ACCOUNT' },
    ],
  },
});
