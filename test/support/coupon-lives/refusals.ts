import { dayAt, type Minute, minuteAt } from './billing-events.ts';
import { addMonths, type Day } from './calendar.ts';
import type { CouponModel, ModelSubscription } from './coupon-model.ts';
import { type ModelCoupon, type ModelRedemption, matches, spanOf } from './discounts.ts';
import type { PlanName } from './plans.ts';

/** The codes with which the specification refuses redemptions and removals (coupons §2, §5). */
export const Refusal = {
  INACTIVE: 62_003,
  USED_UP: 62_005,
  ALREADY_REDEEMED: 62_006,
  NOT_APPLICABLE: 62_007,
  WITHOUT_CURRENCY: 62_008,
  CHANGES_BILLED_DAYS: 62_010,
  SUBSCRIPTION_ENDED: 62_012,
  REDEMPTION_ENDED: 62_013,
} as const;

/** Returns the reasons to refuse the coupon itself. The specification does not order the reasons. */
function refusalsOf(coupon: ModelCoupon, redemptions: readonly ModelRedemption[]): readonly number[] {
  const count = redemptions.filter((each) => each.coupon === coupon).length;
  const { isActive, maxRedemptions, oncePerAccount, amountOff, currency } = coupon;
  return [
    ...(isActive ? [] : [Refusal.INACTIVE]),
    ...(maxRedemptions !== null && count >= maxRedemptions ? [Refusal.USED_UP] : []),
    ...(oncePerAccount && count > 0 ? [Refusal.ALREADY_REDEEMED] : []),
    ...(amountOff !== null && currency !== 'USD' ? [Refusal.WITHOUT_CURRENCY] : []),
  ];
}

/** Returns the reasons to refuse coupons given with a creation or a plan change. */
export function refusalsOfAll(
  coupons: readonly ModelCoupon[],
  planName: PlanName,
  redemptions: readonly ModelRedemption[],
): readonly number[] {
  return coupons.flatMap((coupon) => [
    ...refusalsOf(coupon, redemptions),
    ...(matches(coupon, planName) ? [] : [Refusal.NOT_APPLICABLE]),
  ]);
}

/** Returns the reasons to refuse a redemption on a running subscription or an account. */
export function refusalsOfRedemption(
  model: CouponModel,
  redemption: ModelRedemption,
  { at, isRebilled }: { readonly at: Minute; readonly isRebilled: boolean },
): readonly number[] {
  const refusals = [
    ...refusalsOf(redemption.coupon, model.redemptions),
    ...targetRefusals(model, redemption, at),
  ];
  if (refusals.length > 0 || isRebilled) return refusals;
  const isBilled = model.changesBilledDays([...model.redemptions, redemption]);
  return isBilled ? [Refusal.CHANGES_BILLED_DAYS] : [];
}

/** An account needs a running subscription that matches, unless no subscription runs (coupons §2 rule 4). */
function targetRefusals(
  model: CouponModel,
  { coupon, subscription }: ModelRedemption,
  at: Minute,
): readonly number[] {
  const all = subscription === null ? model.subscriptions : [model.subscriptionAt(subscription)];
  const running = all.filter(({ timeline }) => timeline.end === null || timeline.end > at);
  const isEnded = subscription !== null && running.length === 0;
  const candidates = isEnded ? all : running;
  const isMatched = candidates.some(({ timeline }) => matches(coupon, timeline.at(endOfDay(at)).planName));
  return [
    ...(isEnded ? [Refusal.SUBSCRIPTION_ENDED] : []),
    ...(isMatched || candidates.length === 0 ? [] : [Refusal.NOT_APPLICABLE]),
  ];
}

/** The plan that is in force at the end of the day decides. */
const endOfDay = (at: Minute): Minute => minuteAt(dayAt(at) + 1) - 1;

/** Returns the first day on which a removal changes no billed charge. */
export function firstFreeDay(model: CouponModel, place: number, at: Minute): number {
  for (let day = dayAt(at); ; day++) if (!changesBilled(model, place, day)) return day;
}

/** Returns true if the removal on this day changes the discounts of billed days, even if their price remains 0. */
export function changesBilled(model: CouponModel, place: number, ended: number): boolean {
  const redemptions = model.redemptions.map((each, index) => (index === place ? { ...each, ended } : each));
  return model.changesBilledDays(redemptions) || model.changesFreeDays(redemptions);
}

/** Returns true if the redemption was removed, or if its last discount or its subscription has ended (coupons §6). */
export function hasEnded(model: CouponModel, place: number, at: Minute): boolean {
  const redemption = model.redemptions[place];
  if (redemption === undefined || redemption.ended !== null) return true;
  const { subscription, coupon, from } = redemption;
  const isOver = (each: ModelSubscription) =>
    (each.timeline.end !== null && each.timeline.end <= at) || endOn(redemption, each) <= dayAt(at);
  if (subscription !== null) return isOver(model.subscriptionAt(subscription));
  const { duration } = coupon;
  if (typeof duration === 'string' || 'periods' in duration) return false;
  if (addMonths(from, duration.months) > dayAt(at)) return false;
  const isDiscounted = ({ parts, timeline }: ModelSubscription) =>
    spanOf(redemption, parts) !== undefined || (coupon.appliesTo !== 'RECURRING' && timeline.end === null);
  return model.subscriptions.every((each) => !isDiscounted(each) || isOver(each));
}

/** Returns the end of the discount of a subscription. Infinity while later periods can be discounted. */
function endOn(redemption: ModelRedemption, { parts, events }: ModelSubscription): Day {
  const { coupon } = redemption;
  const never = Number.POSITIVE_INFINITY;
  if (!events.some(({ planName }) => matches(coupon, planName))) return never;
  const span = spanOf(redemption, parts);
  if (span === undefined) return coupon.appliesTo === 'FIXED' ? endOfFixed(redemption, events) : never;
  const { duration } = coupon;
  if (typeof duration === 'string' || 'periods' in duration) return span.end;
  return parts.find(({ periodStart }) => periodStart >= span.end)?.periodStart ?? span.end;
}

/** Without periods, each fixed price counts as a period. */
function endOfFixed({ coupon, from }: ModelRedemption, events: ModelSubscription['events']): Day {
  const { duration } = coupon;
  const never = Number.POSITIVE_INFINITY;
  if (duration === 'FOREVER') return never;
  if (duration !== 'ONCE' && 'months' in duration) return addMonths(from, duration.months);
  const charged = events.filter(({ fixed, day }) => fixed !== null && day >= from);
  const last = charged[(duration === 'ONCE' ? 1 : duration.periods) - 1];
  return last === undefined ? never : last.day + 1;
}
