import { api, type Coupon, type Redemption } from '../core/data.ts';
import { day, label, money, now } from '../core/format.ts';
import { Action } from '../parts/action.tsx';
import { Badge, Page, Sentences } from '../parts/layout.tsx';
import { List, ListSection } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.coupons;

/** The coupons of the tenant. */
export function Coupons() {
  return (
    <Page name="coupons" actions={<NewCoupon />}>
      <List
        name="coupons"
        load={(page) => api().coupons.page(page)}
        columns={[
          'code',
          ['name', 'name', 'text'],
          ['discount', termsText],
          ['appliesTo', scopeText, 'text'],
          'redeemedCount',
          'maxRedemptions',
          'redeemBy',
          ['state', CouponState],
        ]}
      />
    </Page>
  );
}

function CouponState(coupon: Coupon) {
  const obstacle = obstacleOf(coupon);
  return <Badge tone={obstacle === null ? 'good' : 'quiet'}>{obstacle ?? label('active')}</Badge>;
}

/** Returns the terms of a coupon in words, such as `20 % off for 6 periods`. */
function termsText({ percentOff, amountOff, perQuantity, duration }: Coupon | Redemption): string {
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
function scopeText({ plans, products, appliesTo }: Coupon): string {
  const names = [...(products ?? []), ...(plans ?? [])];
  return `${names.length === 0 ? t.allPlans : names.join(', ')} (${label(appliesTo).toLowerCase()})`;
}

/** Returns why a coupon cannot be redeemed now; null if it can. */
function obstacleOf(coupon: Coupon): string | null {
  if (!coupon.isActive) return t.inactive;
  if (coupon.redeemBy !== null && coupon.redeemBy < now()) return t.expired;
  if (coupon.maxRedemptions !== null && coupon.redeemedCount >= coupon.maxRedemptions) return t.usedUp;
  return null;
}

const durations = [
  ['ONCE', t.once],
  ['periods', t.severalPeriods],
  ['months', t.severalMonths],
  ['FOREVER', t.forever],
] as const;

function NewCoupon() {
  return (
    <Action
      name="newCoupon"
      needs="coupon:manage"
      fields={(_, { discount, duration }) => ({
        code: { isRequired: true, placeholder: 'SPRING' },
        name: { help: t.nameHelp },
        discount: { kind: 'select', options: ['percentage', 'amount'] },
        percentOff: discount !== 'amount' && { kind: 'number', isRequired: true },
        amountOff: discount === 'amount' && { kind: 'number', isRequired: true },
        currency: discount === 'amount' && 'required',
        duration: { kind: 'select', options: durations },
        howMany: (duration === 'periods' || duration === 'months') && { kind: 'number', isRequired: true },
        plans: { help: t.plansHelp },
        maxRedemptions: { kind: 'number', help: t.emptyMeansUnlimited },
        redeemBy: { kind: 'date', help: t.redeemByHelp },
      })}
      run={(values) => {
        const { code, name, percentOff, amountOff, currency, duration, howMany, plans, redeemBy } = values;
        const isCounted = duration === 'periods' || duration === 'months';
        return api().coupons.create({
          code,
          name,
          ...(percentOff !== undefined && { percentOff }),
          ...(amountOff !== undefined && { amountOff: { [currency?.toUpperCase() ?? '']: amountOff } }),
          duration: isCounted ? ({ [duration]: Number(howMany) } as { periods: number }) : duration,
          ...(plans !== null && { plans: plans.split(/[\s,]+/) }),
          maxRedemptions: values.maxRedemptions === null ? null : Number(values.maxRedemptions),
          redeemBy: redeemBy === null ? null : new Date(`${redeemBy}T23:59:59.999Z`),
        });
      }}
      isPrimary
    />
  );
}

const rebillField = { rebill: { kind: 'checkbox', help: t.rebillHelp } } as const;

/** The redeemed coupons of a subscription. */
export function Redemptions({ subscriptionId }: { readonly subscriptionId: string }) {
  const redeem = (
    <Action
      name="redeemCoupon"
      needs="coupon:redeem"
      fields={{ code: 'required', ...rebillField }}
      preview={({ code }) => code && discountOf(code)}
      run={(values) => api().coupons.redeem({ subscriptionId, ...values })}
    />
  );
  return (
    <ListSection
      name="coupons"
      load={() => api().coupons.ofSubscription(subscriptionId)}
      columns={['code', ['discount', termsText], ['until', untilText], ['', RemoveCoupon]]}
      actions={redeem}
    />
  );
}

function untilText({ endedDate, discounts }: Redemption): string {
  if (endedDate !== null) return t.removedOn(day(endedDate));
  const ends = discounts.map(({ endDate }) => endDate);
  if (ends.length === 0) return t.notUsed;
  if (ends.includes(null)) return t.noEnd;
  return day(ends.toSorted().at(-1));
}

async function discountOf(code: string) {
  const coupon = await api().coupons.get(code);
  const terms = [`${coupon.name}: ${termsText(coupon)}`, t.appliesTo(scopeText(coupon)), obstacleOf(coupon)];
  return <Sentences of={terms.filter((each) => each !== null)} />;
}

function RemoveCoupon({ id, code, endedDate, discounts }: Redemption) {
  const isUsedUp = discounts.length > 0 && discounts.every(({ periodsLeft }) => periodsLeft === 0);
  return (
    <Action
      name="remove"
      needs="coupon:redeem"
      isHidden={endedDate !== null || isUsedUp}
      explanation={t.remove(code)}
      fields={rebillField}
      run={(values) => api().coupons.remove(id, values)}
      isDangerous
    />
  );
}
