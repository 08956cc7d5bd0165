import type { CouponView, RedemptionView } from '../../../lib/coupons/index.ts';
import { type CouponChange, type CouponTerms, couponFields } from '../../../lib/records/index.ts';
import { billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { enumeration as enumerationOf } from '../../../lib/values/fields/index.ts';
import {
  alike,
  derivedField,
  field,
  maybe,
  model,
  modelWith,
  partial,
  type RequestOf,
  replaceRequestFields,
} from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import {
  bool,
  currency,
  date,
  decimalNumber,
  enumeration,
  int,
  recordDate,
  text,
  timestamp,
  uuid,
} from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const CouponAmount = modelWith('C', 'CouponAmount', {
  currency: field(currency, 'C', { required: true }),
  amount: field(decimalNumber, 'C', { required: true }),
});

const DurationUnit = enumerationOf('ONCE', 'PERIODS', 'MONTHS', 'FOREVER');
type DurationUnit = keyof typeof DurationUnit;

/** The fields that coupons and redemptions have in common (coupons §1). */
const terms = {
  ...recordFields(couponFields, ['name', 'percentOff', 'perQuantity', 'appliesTo']),
  amountOff: field(listOf(CouponAmount), 'C', { nullable: true, from: amountsOf }),
  duration: field(enumeration(DurationUnit), 'C', { required: true, from: durationOf }),
  durationCount: field(int(), 'C', { nullable: true, from: countOf }),
  ...alike(field(listOf(text()), 'C', { nullable: true }), 'plans', 'products'),
};

export const Coupon = model('Coupon', {
  couponId: derivedField(uuid, ({ id }: CouponView) => id),
  code: field(text(), 'C', { required: true }),
  ...terms,
  ...recordFields(couponFields, [
    'redeemBy',
    'maxRedemptions',
    'oncePerAccount',
    'isActive',
    'redeemedCount',
  ]),
  ...alike(timestamp, 'createdDate', 'updatedDate'),
});

export const CouponUpdate = partial(Coupon);

const CouponDiscount = model('CouponDiscount', {
  subscriptionId: uuid,
  startDate: date,
  endDate: maybe(date),
  periodsLeft: maybe(int()),
});

const shownTerms = Object.fromEntries(
  Object.entries(terms).map(([key, each]) => [key, { ...each, access: 'R', required: false }]),
) as { readonly [K in keyof typeof terms]: (typeof terms)[K] & { readonly access: 'R' } };

export const CouponRedemption = model('CouponRedemption', {
  redemptionId: derivedField(uuid, ({ id }: RedemptionView) => id),
  code: field(text(), 'C', { required: true }),
  ...shownTerms,
  accountId: field(uuid, 'C'),
  subscriptionId: field(uuid, 'C', { nullable: true }),
  redeemedDate: date,
  endedDate: maybe(date),
  discounts: listOf(CouponDiscount),
  from: field(recordDate, 'I', { absentable: true }),
  rebill: field(bool, 'I', { absentable: true }),
  createdDate: timestamp,
});

const { code, accountId, subscriptionId, from, rebill } = CouponRedemption.fields;
/** A redemption of the coupon in the path. */
export const RedemptionOfCoupon = replaceRequestFields(CouponRedemption, {
  accountId,
  subscriptionId,
  from,
  rebill,
});
/** A redemption on the subscription named in the path. */
export const RedemptionOnSubscription = replaceRequestFields(CouponRedemption, { code, from, rebill });

/**
 * Returns the coupon of a request. The library checks the values.
 * @throws BillingError COUPON_INVALID (62009) for two amounts in the same currency, because the library would see only
 * one of them.
 */
export function couponInputOf(body: RequestOf<typeof Coupon.fields>): CouponChange {
  const { duration, durationCount: count, amountOff, ...others } = body;
  const amounts = amountOff?.map((each) => [each.currency, each.amount] as const);
  const twice = amounts?.find(([name], index) => amounts.findIndex(([each]) => each === name) < index);
  if (twice !== undefined)
    throw billingError(ErrorCode.COUPON_INVALID, `amountOff contains ${twice[0]} twice; use one amount`, {
      field: 'amountOff',
    });
  const input = {
    ...others,
    amountOff: amounts && Object.fromEntries(amounts),
    duration:
      duration === 'PERIODS' ? { periods: count } : duration === 'MONTHS' ? { months: count } : duration,
  };
  return input as CouponChange;
}

function amountsOf({ amountOff }: CouponTerms) {
  return amountOff && Object.entries(amountOff).map(([name, amount]) => ({ currency: name, amount }));
}

function durationOf({ duration }: CouponTerms): DurationUnit {
  if (typeof duration === 'string') return duration;
  return 'periods' in duration ? 'PERIODS' : 'MONTHS';
}

function countOf({ duration }: CouponTerms): number | null {
  const [count = null] = typeof duration === 'string' ? [] : Object.values(duration);
  return count;
}
