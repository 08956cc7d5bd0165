import { expect } from 'chai';
import { checkedCoupon } from '../../../lib/coupons/rules/check-coupon.ts';
import type { CouponInput } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { errorOf } from '../../support/assertions.ts';

const coupon: CouponInput = { code: 'SPRING', percentOff: decimal(10), duration: 'ONCE' };

describe('invalid coupon', () => {
  for (const [name, value, message] of [
    ['code', ' SPRING', 'code must be a non-empty string without leading or trailing spaces, not " SPRING"'],
    ['code', 'x'.repeat(65), 'code has 65 characters. Use at most 64'],
    ['name', '', 'name must have 1 to 255 characters, without NUL or unpaired surrogates, not ""'],
    [
      'percentOff',
      decimal(101),
      'percentOff is 101; it must be greater than 0 and at most 100, with at most two decimal places',
    ],
    [
      'amountOff',
      { EUR: decimal('0.001') },
      'amountOff.EUR is 0.001; it must be greater than 0, with no more decimal places than its currency allows',
    ],
    ['maxRedemptions', 0, 'maxRedemptions must be a whole number from 1 to 1,000,000,000, not 0'],
    ['duration', 'TWICE', 'duration must be ONCE, FOREVER, { periods } or { months }, not "TWICE"'],
    ['duration', { weeks: 2n }, 'duration must be ONCE, FOREVER, { periods } or { months }, not an object'],
    ['duration', { months: 0 }, 'duration.months must be a whole number from 1 to 1,200, not 0'],
  ] as const)
    it(`is rejected with its ${name} and the valid values: ${message}`, () => {
      const error = errorOf(() =>
        checkedCoupon({
          ...coupon,
          ...(name === 'amountOff' ? { percentOff: null } : {}),
          [name]: value,
        } as CouponInput),
      );
      expect(error).to.include({ code: 62009, message: `The coupon is invalid: ${message}` });
    });
});
