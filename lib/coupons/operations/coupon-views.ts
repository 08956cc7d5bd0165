import {
  type BillingEvent,
  type Coupon,
  CouponDuration,
  type New,
  type Redemption,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, decimal } from '../../values/money/index.ts';
import { addDays, type LocalDate, maxDate } from '../../values/time/index.ts';
import { countPeriods } from '../discounts/discount-spans.ts';
import { discountOf, matchesPlan } from '../discounts/with-discounts.ts';
import type { CouponInput } from '../rules/check-coupon.ts';
import type { CouponTerms, CouponView, DiscountView, RedemptionView } from './coupon-operations.ts';

export function couponView(coupon: Coupon): CouponView {
  const { id, redeemBy, maxRedemptions, redeemedCount, oncePerAccount, isActive } = coupon;
  const { createdDate, updatedDate } = coupon;
  return {
    id,
    ...termsOf(coupon),
    redeemBy,
    maxRedemptions,
    redeemedCount,
    oncePerAccount,
    isActive,
    createdDate,
    updatedDate,
  };
}

/** The subscriptions of an account with their billing events, and the data that determines their discounts. */
export interface DiscountedAccount {
  readonly eventsOf: ReadonlyMap<Uuid, readonly BillingEvent[]>;
  readonly currency: Currency | null;
  readonly today: LocalDate;
}

export function redemptionView(redemption: New<Redemption>, account: DiscountedAccount): RedemptionView {
  const { id, accountId, subscriptionId, createdDate, redeemed, ended } = redemption;
  return {
    id,
    accountId,
    subscriptionId,
    ...termsOf(redemption),
    redeemedDate: redeemed.date,
    endedDate: ended?.date ?? null,
    discounts: discountViews(redemption, account),
    createdDate,
  };
}

function discountViews(
  redemption: New<Redemption>,
  { eventsOf, currency, today }: DiscountedAccount,
): readonly DiscountView[] {
  const { subscriptionId: only } = redemption;
  return [...eventsOf].flatMap(([subscriptionId, events]): readonly DiscountView[] => {
    if (only !== null && only !== subscriptionId) return [];
    if (!events.some((event) => matchesPlan(redemption, event))) return [];
    const discount = discountOf(redemption, events, currency);
    if (discount === null) return [];
    const { from: startDate, until: endDate } = discount;
    const from = maxDate(startDate, addDays(today, 1));
    const periodsLeft = endDate === null ? null : countPeriods(events, { from, until: endDate });
    return [{ subscriptionId, startDate, endDate, periodsLeft }];
  });
}

type StoredTerms = Pick<
  Coupon,
  | 'code'
  | 'name'
  | 'percentOff'
  | 'amountsOff'
  | 'perQuantity'
  | 'duration'
  | 'durationCount'
  | 'plans'
  | 'products'
  | 'appliesTo'
>;

function termsOf(stored: StoredTerms): CouponTerms {
  const { code, name, percentOff, amountsOff, perQuantity, plans, products, appliesTo } = stored;
  const amounts = Object.entries(amountsOff ?? {}).map(([currency, amount]) => [currency, decimal(amount)]);
  return {
    code,
    name,
    percentOff,
    amountOff: amountsOff === null ? null : Object.fromEntries(amounts),
    perQuantity,
    duration: durationOf(stored),
    plans,
    products,
    appliesTo,
  };
}

function durationOf({ duration, durationCount }: StoredTerms): CouponInput['duration'] {
  switch (duration) {
    case CouponDuration.PERIODS:
      return { periods: durationCount ?? 1 };
    case CouponDuration.MONTHS:
      return { months: durationCount ?? 1 };
    default:
      return duration;
  }
}
