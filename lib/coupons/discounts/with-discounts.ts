import {
  type BillingEvent,
  CouponDuration,
  CouponScope,
  type Discount,
  type New,
  type Redemption,
} from '../../records/index.ts';
import { type Currency, decimal } from '../../values/money/index.ts';
import { addDays, addMonths, earlierDate, type LocalDate } from '../../values/time/index.ts';
import { type DiscountLength, discountSpan } from './discount-spans.ts';

/**
 * Returns the events with the discounts of the redemptions that match their plans (§3).
 * @param events billing events of one subscription, in order.
 * @param redemptions redemptions on the subscription and its account, in the order of redemption.
 */
export function withDiscounts(
  events: readonly BillingEvent[],
  redemptions: readonly Redemption[],
  currency: Currency | null,
): readonly BillingEvent[] {
  const granted = redemptions.flatMap((redemption) => {
    const discount = discountOf(redemption, events, currency);
    return discount === null ? [] : [{ redemption, discount }];
  });
  if (granted.length === 0) return events;
  return events.map((event) => {
    const discounts = granted
      .filter(({ redemption }) => matchesPlan(redemption, event))
      .map(({ discount }) => discount);
    return discounts.length === 0 ? event : { ...event, discounts };
  });
}

/** The plan of a subscription that receives a coupon. */
export type DiscountedPlan = Pick<BillingEvent, 'planName' | 'productName' | 'parentPlanName'>;

/** Returns true if the coupon applies to the plan. A plan with overridden prices counts as its parent plan. */
export function matchesPlan(
  { plans, products }: Pick<Redemption, 'plans' | 'products'>,
  { planName, productName, parentPlanName }: DiscountedPlan,
): boolean {
  if (planName === null || productName === null) return false;
  const listedName = parentPlanName ?? planName;
  return (plans?.includes(listedName) ?? true) && (products?.includes(productName) ?? true);
}

/** Returns the discounts of a recurring period that starts on this day. */
export function recurringDiscounts(event: BillingEvent, startDate: LocalDate): readonly Discount[] {
  return (event.discounts ?? []).filter(
    ({ appliesTo, from, until }) => appliesTo !== CouponScope.FIXED && isWithin(startDate, from, until),
  );
}

/** Returns the discounts of a fixed price that is charged on the day of the event. */
export function fixedDiscounts({ discounts = [], localDate }: BillingEvent): readonly Discount[] {
  return discounts.filter(
    ({ appliesTo, redeemed, fixedUntil }) =>
      appliesTo !== CouponScope.RECURRING && isWithin(localDate, redeemed, fixedUntil),
  );
}

function isWithin(date: LocalDate, from: LocalDate, until: LocalDate | null): boolean {
  return from <= date && (until === null || date < until);
}

/**
 * Returns the discount of a redemption on these events of one subscription. Null if the coupon has no amount in the
 * currency, or if its span is empty.
 */
export function discountOf(
  redemption: New<Redemption>,
  events: readonly BillingEvent[],
  currency: Currency | null,
): Discount | null {
  const { id, code, name, percentOff, amountsOff, perQuantity, appliesTo } = redemption;
  const amount = currency === null ? undefined : amountsOff?.[currency];
  if (percentOff === null && amount === undefined) return null;
  const redeemed = redemption.redeemed.date;
  const ended = redemption.ended?.date ?? null;
  const length = lengthOf(redemption);
  const span = discountSpan(events, { redeemed, length, ended });
  if (span === null && appliesTo === CouponScope.RECURRING) return null;
  if (span !== null && isOver(redemption, span.from)) return null;
  const fixedUntil = earlierDate(span === null ? endOfFixed(events, redeemed, length) : span.until, ended);
  return {
    redemptionId: id,
    code,
    name,
    percentOff,
    amountOff: amount === undefined ? null : decimal(amount),
    perQuantity,
    appliesTo,
    redeemed,
    from: span?.from ?? redeemed,
    until: span === null ? redeemed : span.until,
    fixedUntil,
  };
}

/** Returns true if the redemption on an account had ended by the first period of a later subscription (§2 rule 1). */
function isOver(
  { subscriptionId, redeemed, duration, durationCount }: New<Redemption>,
  from: LocalDate,
): boolean {
  if (subscriptionId !== null || duration !== CouponDuration.MONTHS) return false;
  return from >= addMonths(redeemed.date, durationCount ?? 1);
}

/** Returns the end of a discount on a subscription without recurring periods, where each fixed price counts as one. */
function endOfFixed(
  events: readonly BillingEvent[],
  redeemed: LocalDate,
  length: DiscountLength,
): LocalDate | null {
  if (length.unit === 'FOREVER') return null;
  if (length.unit === 'MONTHS') return addMonths(redeemed, length.count);
  const charged = events.filter(({ fixedPrice, localDate }) => fixedPrice !== null && localDate >= redeemed);
  const last = charged[length.count - 1];
  return last === undefined ? null : addDays(last.localDate, 1);
}

function lengthOf({ duration, durationCount }: New<Redemption>): DiscountLength {
  switch (duration) {
    case CouponDuration.FOREVER:
      return { unit: 'FOREVER' };
    case CouponDuration.MONTHS:
      return { unit: 'MONTHS', count: durationCount ?? 1 };
    default:
      return { unit: 'PERIODS', count: durationCount ?? 1 };
  }
}
