import { expect } from 'chai';
import { checkedCoupon } from '../../../lib/coupons/rules/check-coupon.ts';
import type { CouponInput } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { errorOf } from '../../support/assertions.ts';

const coupon: CouponInput = { code: 'SPRING', percentOff: decimal(10), duration: 'ONCE' };

describe('invalid coupon', () => {
  for (const [name, value, message] of [
    ['code', ' SPRING', 'code " SPRING" must be a non-empty string without leading or trailing spaces'],
    ['code', 'x'.repeat(65), 'code has 65 characters. Use at most 64'],
    ['name', '', 'name "" must have 1 to 255 characters, without NUL or unpaired surrogates'],
    ['percentOff', decimal(101), 'percentOff 101 must be above 0 and at most 100, with at most two decimals'],
    ['maxRedemptions', 0, 'maxRedemptions 0 must be a whole number from 1 to 1,000,000,000'],
    ['duration', 'TWICE', 'duration "TWICE" must be ONCE, FOREVER, { periods } or { months }'],
    ['duration', { weeks: 2n }, 'duration { weeks } must be ONCE, FOREVER, { periods } or { months }'],
    ['duration', { months: 0 }, 'duration.months 0 must be a whole number from 1 to 1,200'],
  ] as const)
    it(`is rejected with its ${name} and the valid values: ${message}`, () => {
      const error = errorOf(() => checkedCoupon({ ...coupon, [name]: value } as CouponInput));
      expect(error).to.include({ code: 62009, message: `The coupon is invalid: ${message}` });
    });
});
