import type { CouponInput, CouponTerms, CouponView, RedemptionView } from '../../../lib/coupons/index.ts';
import { CouponDuration, couponFields } from '../../../lib/records/index.ts';
import type { Currency, Decimal } from '../../../lib/values/money/index.ts';
import { alike, field, maybe, model, modelWith, type RequestOf, reading, shown } from '../wire/model.ts';
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

/** The members that coupons and redemptions share (coupons §1). */
const terms = {
  ...recordFields(couponFields, ['name', 'percentOff', 'perQuantity', 'appliesTo']),
  amountOff: field(listOf(CouponAmount), 'C', { nullable: true, from: amountsOf }),
  duration: field(enumeration(CouponDuration), 'C', { required: true, from: durationOf }),
  durationCount: field(int(), 'C', { nullable: true, from: countOf }),
  ...alike(field(listOf(text()), 'C', { nullable: true }), 'plans', 'products'),
};

export const Coupon = model('Coupon', {
  couponId: shown(uuid, ({ id }: CouponView) => id),
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

const { name, redeemBy, maxRedemptions, isActive } = Coupon.fields;
export const CouponUpdate = reading(Coupon, { name, redeemBy, maxRedemptions, isActive });

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
  redemptionId: shown(uuid, ({ id }: RedemptionView) => id),
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
export const RedemptionOfCoupon = reading(CouponRedemption, { accountId, subscriptionId, from, rebill });
/** A redemption on the subscription in the path. */
export const RedemptionOnSubscription = reading(CouponRedemption, { code, from, rebill });

/** Returns the coupon to create. The library checks the values. */
export function couponInputOf(body: RequestOf<typeof Coupon.fields>): CouponInput {
  const { duration, durationCount, amountOff, ...others } = body;
  const amounts = amountOff?.map((each) => [each.currency, each.amount]);
  return {
    ...others,
    amountOff: amounts === undefined ? null : Object.fromEntries(amounts),
    duration: durationInput(duration, durationCount),
  } as CouponInput;
}

function durationInput(duration: CouponDuration | null | undefined, count: number | null | undefined) {
  if (duration === CouponDuration.PERIODS) return { periods: count };
  return duration === CouponDuration.MONTHS ? { months: count } : duration;
}

function amountsOf({ amountOff }: CouponTerms) {
  if (amountOff === null) return null;
  const amounts = Object.entries(amountOff) as [Currency, Decimal][];
  return amounts.map(([each, amount]) => ({ currency: each, amount }));
}

function durationOf({ duration }: CouponTerms): CouponDuration {
  if (typeof duration === 'string') return duration;
  return 'periods' in duration ? CouponDuration.PERIODS : CouponDuration.MONTHS;
}

function countOf({ duration }: CouponTerms): number | null {
  if (typeof duration === 'string') return null;
  return 'periods' in duration ? duration.periods : duration.months;
}
