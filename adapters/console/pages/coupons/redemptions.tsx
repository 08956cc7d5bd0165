import { api, type Coupon, may, type Redemption } from '../../core/data.ts';
import { day, money, now } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { Sentences } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.coupons;

/** Returns the terms of a coupon in words, such as `20 % off for 6 periods`. */
export function termsText({ percentOff, amountOff, perQuantity, duration }: Coupon | Redemption): string {
  const amounts = Object.entries(amountOff ?? {}).map(([currency, amount]) => money(amount, currency));
  const size = percentOff === null ? amounts.join(t.or) : t.percent(String(percentOff));
  return t.terms(perQuantity ? t.perSeat(size) : size, durationText(duration));
}

function durationText(duration: Coupon['duration']): string {
  if (duration === 'ONCE') return t.once;
  if (duration === 'FOREVER') return t.forever;
  return 'periods' in duration ? t.periods(duration.periods) : t.months(duration.months);
}

/** Returns the plans and the prices that a coupon reduces. */
export function scopeText({ plans, products, appliesTo }: Coupon): string {
  const names = [...(products ?? []), ...(plans ?? [])];
  return `${names.length === 0 ? t.allPlans : names.join(', ')} (${t.scopes[appliesTo]})`;
}

/** Returns why a coupon cannot be redeemed now; null if it can. */
export function obstacleOf(coupon: Coupon): string | null {
  if (!coupon.isActive) return t.inactive;
  if (coupon.redeemBy !== null && coupon.redeemBy < now()) return t.expired;
  if (coupon.maxRedemptions !== null && coupon.redeemedCount >= coupon.maxRedemptions) return t.usedUp;
  return null;
}

interface RedemptionsProps {
  readonly of: { readonly accountId: string } | { readonly subscriptionId: string };
}

const rebillField = { rebill: { kind: 'checkbox', help: t.rebillHelp } } as const;

/** The redeemed coupons of an account, or of one of its subscriptions. */
export function Redemptions({ of }: RedemptionsProps) {
  const load = async () => {
    if (!may('coupon:view')) return [];
    const { coupons } = api();
    return 'accountId' in of ? coupons.ofAccount(of.accountId) : coupons.ofSubscription(of.subscriptionId);
  };
  return (
    <ListSection
      name="coupons"
      load={load}
      columns={['code', ['discount', termsText], ['until', untilText], ['', Remove]]}
      actions={
        <Action
          name="redeemCoupon"
          needs="coupon:redeem"
          explanation={'accountId' in of ? t.ofAccount : t.ofSubscription}
          fields={{ code: 'required', ...rebillField }}
          preview={({ code }) => code && discountOf(code)}
          run={(values) => api().coupons.redeem({ ...of, ...values })}
        />
      }
    />
  );
}

function untilText({ endedDate, discounts }: Redemption): string {
  if (endedDate !== null) return t.removedOn(day(endedDate));
  const ends = discounts.map(({ endDate }) => endDate);
  if (ends.length === 0) return t.notUsed;
  if (ends.includes(null)) return t.noEnd;
  return day(ends.reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b)));
}

async function discountOf(code: string) {
  const coupon = await api().coupons.get(code);
  const sentences = [
    `${coupon.name}: ${termsText(coupon)}`,
    t.appliesTo(scopeText(coupon)),
    obstacleOf(coupon),
  ];
  return <Sentences of={sentences.filter((each) => each !== null)} />;
}

function Remove({ id, code, endedDate, discounts }: Redemption) {
  const isUsedUp = discounts.length > 0 && discounts.every(({ periodsLeft }) => periodsLeft === 0);
  if (endedDate !== null || isUsedUp) return null;
  return (
    <Action
      name="remove"
      needs="coupon:redeem"
      explanation={t.remove(code)}
      fields={rebillField}
      run={(values) => api().coupons.remove(id, values)}
      isDangerous
    />
  );
}
