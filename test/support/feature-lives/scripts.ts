import fc from 'fast-check';
import type { Generated } from '../for-all.ts';
import type { FeatureName, LifeValue } from './catalog.ts';
import { quotaNames } from './catalog.ts';

const zones = [
  'UTC',
  'America/Los_Angeles',
  'Europe/Berlin',
  'Pacific/Auckland',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  // Their clocks skip or repeat midnight.
  'Africa/Cairo',
  'America/Havana',
] as const;

const basePlan = fc.constantFrom('pro', 'pro-annual', 'max', 'max-intro', 'max-meter');
const alonePlan = fc.constantFrom('solo', 'pass');
const addOnPlan = fc.constantFrom('extra', 'plus');
const newPlan = fc.oneof(
  { weight: 4, arbitrary: basePlan },
  { weight: 1, arbitrary: alonePlan },
  { weight: 4, arbitrary: addOnPlan },
);
const quantity = fc.constantFrom(1, 1, 2, 3, 7);
/** The subscription, by place. */
const of = fc.nat(4);
const policy = fc.constantFrom('IMMEDIATE' as const, 'END_OF_TERM' as const);
/** Days from today. Null: now. */
const laterDays = fc.option(fc.integer({ min: 1, max: 20 }), { freq: 2 });
const key = fc.nat(3);

type Given = { readonly feature: FeatureName; readonly value: LifeValue };
const given: fc.Arbitrary<Given> = fc.constantFrom<Given[]>(
  { feature: 'sso', value: true },
  { feature: 'sso', value: false },
  { feature: 'beta', value: true },
  { feature: 'seats', value: '12' },
  { feature: 'seats', value: 'UNLIMITED' },
  { feature: 'seats', value: { amount: '2', perQuantity: true } },
  { feature: 'storage', value: '33.5' },
  { feature: 'support', value: 'personal' },
  { feature: 'calls', value: { amount: '60', per: 'MONTH', overage: 'ALLOW' } },
  { feature: 'exports', value: { amount: '5', per: 'DAY' } },
  { feature: 'exports', value: { amount: '9', per: 'EVER', overage: 'ALLOW' } },
  { feature: 'credits', value: { amount: '15', per: 'EVER' } },
  { feature: 'reports', value: { amount: '2', per: 'MONTH' } },
);
const givenToSubscription: fc.Arbitrary<Given> = fc.constantFrom<Given[]>(
  { feature: 'calls', value: { amount: '20', per: 'MONTH', overage: 'BILL', perQuantity: true } },
  { feature: 'calls', value: { amount: '2', per: 'DAY', overage: 'BILL' } },
  { feature: 'reports', value: { amount: '4', per: 'BILLING_PERIOD' } },
  { feature: 'audits', value: { amount: '3', per: 'YEAR' } },
);

const days = {
  from: fc.option(fc.integer({ min: -5, max: 20 }), { freq: 2 }),
  until: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 2 }),
};

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('CREATE' as const), of, planName: newPlan, quantity }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CHANGE' as const),
      of,
      planName: fc.oneof(basePlan, alonePlan),
      policy,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('QUANTITY' as const), of, quantity }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('CANCEL' as const), of, service: policy, billing: policy }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('PAUSE' as const), of, days: laterDays }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('RESUME' as const), of, days: laterDays }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('BLOCK' as const),
      of,
      level: fc.constantFrom('ACCOUNT' as const, 'BUNDLE' as const, 'SUBSCRIPTION' as const),
      service: fc.constantFrom('fraud', 'support-desk'),
      stopsService: fc.boolean(),
      stopsBilling: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('BILL_CYCLE_DAY' as const),
      of,
      day: fc.integer({ min: 1, max: 31 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('OVERRIDE' as const),
      of,
      isOnAccount: fc.constant(true),
      given,
      ...days,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('OVERRIDE' as const),
      of,
      isOnAccount: fc.constant(false),
      given: fc.oneof(given, givenToSubscription),
      ...days,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('END_OVERRIDE' as const), of: fc.nat(5) }) },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('CONSUME' as const),
      feature: fc.constantFrom('calls' as const, 'calls' as const, ...quotaNames),
      amount: fc.constantFrom('1', '1', '2', '3', '5', '10', '25', '40', '120'),
      key: fc.option(key, { freq: 1 }),
      daysAgo: fc.option(fc.nat(34), { freq: 1 }).map((each) => (each === null ? 0 : each)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('RELEASE' as const),
      feature: fc.constantFrom(...quotaNames),
      key,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('PAY' as const) }) },
);
export type LifeStep = Generated<typeof step>;
export type StepOf<T extends LifeStep['do']> = Extract<LifeStep, { do: T }>;

const wait = fc.oneof(
  { weight: 3, arbitrary: fc.record({ days: fc.constant(0), minutes: fc.nat(600) }) },
  { weight: 3, arbitrary: fc.record({ days: fc.nat(40), minutes: fc.nat(1439) }) },
  { weight: 1, arbitrary: fc.constantFrom('MIDNIGHT' as const, 'BEFORE_MIDNIGHT' as const) },
);
export type Wait = Generated<typeof wait>;

/** Random lives of an account with features. */
export const featureLives = fc.record({
  zone: fc.constantFrom(...zones),
  minuteOfStart: fc.nat(1439),
  billCycleDay: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constant(0)),
  pays: fc.nat(3).map((number) => number !== 2),
  first: fc.record({
    planName: fc.oneof({ weight: 4, arbitrary: basePlan }, { weight: 1, arbitrary: alonePlan }),
    quantity,
  }),
  steps: fc.array(fc.record({ wait, step, probeDays: fc.integer({ min: -40, max: 40 }) }), {
    minLength: 3,
    maxLength: 16,
  }),
});
export type FeatureLife = Generated<typeof featureLives>;
