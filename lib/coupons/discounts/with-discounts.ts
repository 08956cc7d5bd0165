import {
  type BillingEvent,
  CouponDuration,
  CouponScope,
  type Discount,
  type DiscountSpan,
  type Redemption,
} from '../../records/index.ts';
import { type Currency, decimal } from '../../values/money/index.ts';
import { addDays, addMonths, type LocalDate } from '../../values/time/index.ts';
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
  if (redemptions.length === 0 || currency === null) return events;
  const granted = redemptions.flatMap((redemption) => {
    const discount = discountOf(redemption, events, currency);
    return discount === null ? [] : [{ redemption, discount }];
  });
  return events.map((event) => {
    const discounts = granted
      .filter(({ redemption }) => matchesPlan(redemption, event))
      .map(({ discount }) => discount);
    return discounts.length === 0 ? event : { ...event, discounts };
  });
}

/** Returns true if the coupon applies to the plan. */
export function matchesPlan(
  { plans, products }: Pick<Redemption, 'plans' | 'products'>,
  { planName, productName }: Pick<BillingEvent, 'planName' | 'productName'>,
): boolean {
  if (planName === null || productName === null) return false;
  return (plans?.includes(planName) ?? true) && (products?.includes(productName) ?? true);
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
    ({ appliesTo, redeemed, until }) =>
      appliesTo !== CouponScope.RECURRING && isWithin(localDate, redeemed, until),
  );
}

function isWithin(date: LocalDate, from: LocalDate, until: LocalDate | null): boolean {
  return from <= date && (until === null || date < until);
}

function discountOf(
  redemption: Redemption,
  events: readonly BillingEvent[],
  currency: Currency,
): Discount | null {
  const { id, code, name, percentOff, amountsOff, perQuantity, appliesTo } = redemption;
  const amount = amountsOff?.[currency];
  if (percentOff === null && amount === undefined) return null;
  const redeemed = redemption.redeemed.date;
  const span = spanOf(redemption, events);
  if (span === null) return null;
  const ended = redemption.ended?.date ?? null;
  const until = span.until === null || (ended !== null && ended < span.until) ? ended : span.until;
  const amountOff = amount === undefined ? null : decimal(amount);
  return {
    redemptionId: id,
    code,
    name,
    percentOff,
    amountOff,
    perQuantity,
    appliesTo,
    redeemed,
    from: span.from,
    until,
  };
}

function spanOf(redemption: Redemption, events: readonly BillingEvent[]): DiscountSpan | null {
  const redeemed = redemption.redeemed.date;
  const length = lengthOf(redemption);
  const span = discountSpan(events, { redeemed, length });
  if (span !== null || redemption.appliesTo === CouponScope.RECURRING) return span;
  return { from: redeemed, until: endOfFixedPrices(events, redeemed, length) };
}

/** Returns the end of a discount on fixed prices of a subscription without recurring periods: each price counts as one. */
function endOfFixedPrices(
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

function lengthOf({ duration, durationCount }: Redemption): DiscountLength {
  switch (duration) {
    case CouponDuration.FOREVER:
      return { unit: 'FOREVER' };
    case CouponDuration.MONTHS:
      return { unit: 'MONTHS', count: durationCount ?? 1 };
    default:
      return { unit: 'PERIODS', count: durationCount ?? 1 };
  }
}
