import { type Decimal, decimal } from '../../../lib/index.ts';
import { planOf } from './billing-events.ts';
import { addMonths, type Day } from './calendar.ts';
import type { PeriodPart } from './parts.ts';
import type { PlanName } from './plans.ts';

export interface ModelCoupon {
  readonly percentOff: string | null;
  readonly amountOff: string | null;
  readonly currency: 'USD' | 'EUR';
  readonly perQuantity: boolean;
  readonly duration: 'ONCE' | 'FOREVER' | { readonly periods: number } | { readonly months: number };
  readonly plans: readonly PlanName[] | null;
  readonly products: readonly ('Lamp' | 'Sun')[] | null;
  readonly appliesTo: 'RECURRING' | 'FIXED' | 'BOTH';
  readonly oncePerAccount: boolean;
  readonly maxRedemptions: number | null;
  readonly isActive: boolean;
}

/** A redemption as the model knows it. */
export interface ModelRedemption {
  readonly coupon: ModelCoupon;
  /** The place of the subscription. Null: the whole account. */
  readonly subscription: number | null;
  readonly from: Day;
  /** A redemption at creation starts with the first period. */
  readonly given: 'AT_CREATION' | 'LATER';
  /** Periods that start from this day on have the list price. */
  readonly ended: Day | null;
}

export function matches({ plans, products }: ModelCoupon, planName: PlanName): boolean {
  if (plans !== null) return plans.includes(planName);
  return products === null || products.includes(planOf(planName).product);
}

/** The span of days in which periods that start are discounted. */
interface Span {
  readonly start: Day;
  readonly end: Day;
  /** Fixed prices are discounted from this day on, until the other one. */
  readonly fixedFrom: Day;
  readonly fixedEnd: Day;
}

/**
 * Returns the span of a redemption on the periods of a subscription (coupons §3). It ends at the start of a period, so a
 * fixed price inside the last discounted period is discounted, but not after a removal. Undefined: no period starts in
 * it.
 */
export function spanOf(redemption: ModelRedemption, parts: readonly PeriodPart[]): Span | undefined {
  const { coupon, from, ended, subscription } = redemption;
  const starts = [...new Set(parts.map(({ periodStart }) => periodStart))];
  const first = starts.indexOf(firstPeriod(redemption, parts) ?? Number.NaN);
  const start = starts[first];
  if (start === undefined) return undefined;
  const { duration } = coupon;
  const isByMonths = typeof duration === 'object' && 'months' in duration;
  if (isByMonths && subscription === null && start >= addMonths(from, duration.months)) return undefined;
  const end = endOfSpan(coupon, starts, first);
  const removed = ended ?? Number.POSITIVE_INFINITY;
  return {
    start,
    end: Math.min(end, starts.find((each) => each >= removed) ?? removed),
    fixedFrom: from,
    fixedEnd: Math.min(end, removed),
  };
}

/** Returns the start of the first period that the duration does not cover. */
function endOfSpan({ duration }: ModelCoupon, starts: readonly Day[], first: number): Day {
  if (duration === 'FOREVER') return Number.POSITIVE_INFINITY;
  if (duration === 'ONCE') return starts[first + 1] ?? Number.POSITIVE_INFINITY;
  if ('periods' in duration) return starts[first + duration.periods] ?? Number.POSITIVE_INFINITY;
  const end = addMonths(starts[first] ?? 0, duration.months);
  return starts.find((each) => each >= end) ?? end;
}

/** Returns the start of the first discounted period. */
function firstPeriod({ given, from }: ModelRedemption, parts: readonly PeriodPart[]): Day | undefined {
  const isFirst = given === 'AT_CREATION';
  return parts.find(({ periodStart }) => isFirst || periodStart >= from)?.periodStart;
}

interface PriceTerms {
  readonly planName: PlanName;
  /** Start of the period, or day of the charge. */
  readonly day: Day;
  readonly scope: 'RECURRING' | 'FIXED';
}

export interface Discount {
  readonly coupon: ModelCoupon;
  readonly span: Span;
}

/** Returns the coupons that reduce the price of a period that starts on the day, or a fixed price charged on it. */
export function couponsOf(
  { planName, day, scope }: PriceTerms,
  discounts: readonly Discount[],
): readonly ModelCoupon[] {
  return discounts
    .filter(({ span: { start, end, fixedFrom, fixedEnd } }) =>
      scope === 'FIXED' ? day >= fixedFrom && day < fixedEnd : day >= start && day < end,
    )
    .map(({ coupon }) => coupon)
    .filter(({ appliesTo }) => appliesTo === scope || appliesTo === 'BOTH')
    .filter((coupon) => matches(coupon, planName));
}

/** Returns the price for the quantity after all percentages and then all amounts. */
export function discountedPrice(price: string, quantity: number, coupons: readonly ModelCoupon[]): Decimal {
  let rate = decimal(price).times(quantity);
  for (const { percentOff } of coupons)
    if (percentOff !== null) rate = rate.times(decimal('100').minus(decimal(percentOff))).dividedBy(100);
  for (const { amountOff, perQuantity } of coupons)
    if (amountOff !== null) rate = rate.minus(decimal(amountOff).times(perQuantity ? quantity : 1));
  return rate.isNegative() ? decimal('0') : rate;
}
