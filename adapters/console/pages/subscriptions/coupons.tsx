import { api, type Coupon, type Redemption } from '../../core/data.ts';
import { money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.coupons;

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

const rebillField = { rebill: { kind: 'checkbox', help: t.rebillHelp } } as const;

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
      columns={['code', ['discount', termsText], 'endedDate', ['', RemoveCoupon]]}
      actions={redeem}
    />
  );
}

async function discountOf(code: string) {
  const coupon = await api().coupons.get(code);
  const names = [...(coupon.products ?? []), ...(coupon.plans ?? [])];
  return `${coupon.name}: ${termsText(coupon)} (${names.join(', ') || t.allPlans})`;
}

function RemoveCoupon({ id, code, endedDate }: Redemption) {
  return (
    <Action
      name="remove"
      needs="coupon:redeem"
      isHidden={endedDate !== null}
      explanation={t.remove(code)}
      fields={rebillField}
      run={(values) => api().coupons.remove(id, values)}
      isDangerous
    />
  );
}
