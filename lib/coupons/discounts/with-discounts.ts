import {
  type BillingEvent,
  CouponScope,
  type Discount,
  type New,
  type Redemption,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { addDays, addMonths, earlierDate, type LocalDate } from '../../values/time/index.ts';
import { discountSpan, monthsOf, periodsOf } from './discount-spans.ts';

/**
 * Returns the events with the discounts of all redemptions that apply to their plans (§3).
 * @param events Billing events of one subscription, in order.
 * @param redemptions Redemptions on the subscription and its account, in the order of redemption.
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

/** Returns true if the redemption is on this subscription or on its account. */
export function isOnSubscription({ subscriptionId }: New<Redemption>, id: Uuid): boolean {
  return subscriptionId === null || subscriptionId === id;
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
  return (event.discounts ?? []).filter((discount) => reducesPeriod(discount, startDate));
}

/** Returns true if the discount reduces the recurring price of a period that starts on this day. */
export function reducesPeriod({ appliesTo, from, until }: Discount, startDate: LocalDate): boolean {
  return appliesTo !== CouponScope.FIXED && isWithin(startDate, from, until);
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
 * Returns the discount that a redemption gives on these events of one subscription. Returns null if no plan matches,
 * the coupon has no amount in the currency, or no period is discounted.
 */
export function discountOf(
  redemption: New<Redemption>,
  events: readonly BillingEvent[],
  currency: Currency | null,
): Discount | null {
  const { id, code, name, percentOff, perQuantity, appliesTo } = redemption;
  const amountOff = (currency === null ? null : redemption.amountOff?.[currency]) ?? null;
  if (percentOff === null && amountOff === null) return null;
  if (!events.some((event) => matchesPlan(redemption, event))) return null;
  const redeemed = redemption.redeemed.date;
  const ended = redemption.ended?.date ?? null;
  const { duration } = redemption;
  const span = discountSpan(events, { redeemed, duration, ended });
  if (span === null && appliesTo === CouponScope.RECURRING) return null;
  if (span !== null && isOver(redemption, span.from)) return null;
  const fixedUntil = earlierDate(span === null ? endOfFixed(events, redemption) : span.until, ended);
  return {
    redemptionId: id,
    code,
    name,
    percentOff,
    amountOff,
    perQuantity,
    appliesTo,
    redeemed,
    from: span?.from ?? redeemed,
    until: span === null ? redeemed : span.until,
    fixedUntil,
  };
}

/** Returns true if a redemption on an account had ended before the first period of a later subscription (§2 rule 1). */
function isOver(redemption: New<Redemption>, from: LocalDate): boolean {
  const months = monthsOf(redemption.duration);
  if (redemption.subscriptionId !== null || months === null) return false;
  return from >= addMonths(redemption.redeemed.date, months);
}

/**
 * Returns the end of a discount on a subscription without recurring periods. On such a subscription, each fixed price
 * counts as a period.
 */
function endOfFixed(
  events: readonly BillingEvent[],
  { redeemed: { date }, duration }: New<Redemption>,
): LocalDate | null {
  const months = monthsOf(duration);
  if (months !== null) return addMonths(date, months);
  const charged = events.filter(({ fixedPrice, localDate }) => fixedPrice !== null && localDate >= date);
  const last = charged[(periodsOf(duration) ?? 0) - 1];
  return last === undefined ? null : addDays(last.localDate, 1);
}
