import fc from 'fast-check';
import type { Generated } from '../for-all.ts';
import { planNames } from './plans.ts';

const planName = fc.constantFrom(...planNames);
const quantity = fc.constantFrom(1, 1, 1, 2, 3, 7);
/** The subscription to change, by place. */
const of = fc.nat(2);
/** Places of coupons. */
const coupon = fc.nat(4);
/** Days from today. Null: not given. */
const days = fc.option(fc.integer({ min: -70, max: 45 }), { freq: 2 });
const isRebilled = fc.boolean();

const terms = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ percentOff: fc.constantFrom('5', '12.5', '20', '33.33', '50', '100') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ amountOff: fc.constantFrom('1', '7.77', '20', '40'), perQuantity: fc.boolean() }),
  },
);

const count = fc.integer({ min: 1, max: 5 });

const coupons = fc.record({
  terms,
  currency: fc.constantFrom('USD' as const, 'USD' as const, 'USD' as const, 'USD' as const, 'EUR' as const),
  duration: fc.oneof(
    fc.constantFrom('ONCE' as const, 'FOREVER' as const),
    fc.record({ periods: count }),
    fc.record({ months: count }),
  ),
  plans: fc.option(fc.uniqueArray(planName, { minLength: 3, maxLength: 8 }), { freq: 1 }),
  products: fc.constantFrom(null, null, null, ['Lamp' as const], ['Sun' as const]),
  appliesTo: fc.constantFrom('RECURRING' as const, 'RECURRING' as const, 'FIXED' as const, 'BOTH' as const),
  oncePerAccount: fc.boolean(),
  maxRedemptions: fc.constantFrom(null, null, null, 1, 2),
  isActive: fc.nat(9).map((number) => number !== 5),
});

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('CREATE' as const),
      planName,
      quantity,
      coupons: fc.uniqueArray(coupon, { maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CHANGE' as const),
      of,
      planName,
      coupons: fc.uniqueArray(coupon, { maxLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('QUANTITY' as const), of, quantity }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('CANCEL' as const),
      of,
      policy: fc.constantFrom('IMMEDIATE' as const, 'END_OF_TERM' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('PAUSE' as const), of }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('RESUME' as const), of }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('REDEEM' as const),
      of,
      isOnAccount: fc.nat(3).map((number) => number === 1),
      coupon,
      days,
      isRebilled,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('REMOVE' as const), of: fc.nat(5), days, isRebilled }),
  },
);
export type LifeStep = Generated<typeof step>;

/** Random lives of an account with coupons. */
export const couponLives = fc.record({
  billCycleDay: fc.integer({ min: 1, max: 31 }),
  coupons: fc.array(coupons, { minLength: 5, maxLength: 5 }),
  first: fc.record({ planName, quantity, coupons: fc.uniqueArray(coupon, { maxLength: 2 }) }),
  steps: fc.array(fc.record({ later: fc.nat(45), step }), { minLength: 2, maxLength: 10 }),
});
export type CouponLife = Generated<typeof couponLives>;
