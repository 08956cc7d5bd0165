import type { JSX } from 'preact';
import { api, type ResultOf } from '../../core/api.ts';
import { day, money, words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { href } from '../../core/location.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { textOrNull } from '../../parts/form.tsx';
import { Section } from '../../parts/layout.tsx';
import { ListTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import type { Account } from './account-form.ts';

type Redemption = ResultOf<'coupons', 'ofAccount'>[number];
type Terms = Pick<Redemption, 'percentOff' | 'amountOff' | 'perQuantity' | 'duration'>;

/** The coupons of an account, or of one of its subscriptions. */
export function Coupons(props: { readonly account: Account; readonly subscriptionId?: string }): JSX.Element {
  const { account, subscriptionId } = props;
  const loaded = useLoad(async () => {
    if (!may('coupon:view')) return [];
    if (subscriptionId !== undefined) return api().coupons.ofSubscription(subscriptionId);
    return api().coupons.ofAccount(account.id);
  }, [account.id, subscriptionId ?? null]);
  return (
    <Section
      title={texts.account.coupons}
      actions={may('coupon:redeem') && <Redeem account={account} subscriptionId={subscriptionId ?? null} />}
    >
      <ListTable
        of={loaded}
        pageParameter="coupons"
        caption={texts.account.coupons}
        keyOf={({ id }) => id}
        empty={texts.account.noCoupons}
        columns={[
          { title: texts.account.code, cell: ({ code }) => <a href={href('/coupons', code)}>{code}</a> },
          { title: texts.account.discount, cell: (coupon) => termsText(coupon, account.currency) },
          { title: texts.account.redeemed, cell: ({ redeemedDate }) => day(redeemedDate) },
          { title: texts.account.validUntil, cell: untilText },
          {
            title: '',
            cell: (coupon) => coupon.endedDate === null && may('coupon:redeem') && <Remove coupon={coupon} />,
          },
        ]}
      />
    </Section>
  );
}

/** Returns a discount in words, such as `20 % off for 6 periods`. */
export function termsText(terms: Terms, currency: string | null): string {
  const { percentOff, amountOff, perQuantity, duration } = terms;
  const amounts = Object.entries(amountOff ?? {}).filter(([name]) => currency === null || name === currency);
  const off =
    percentOff === null
      ? amounts.map(([name, amount]) => money(amount, name)).join(', ')
      : texts.account.percent(String(percentOff));
  return texts.account.off(perQuantity ? texts.account.perSeat(off) : off, durationText(duration));
}

function durationText(duration: Terms['duration']): string {
  if (duration === 'ONCE') return texts.account.once;
  if (duration === 'FOREVER') return texts.account.forever;
  return 'periods' in duration
    ? texts.account.periods(duration.periods)
    : texts.account.months(duration.months);
}

function untilText({ endedDate, discounts }: Redemption): string {
  if (endedDate !== null) return texts.account.removedOn(day(endedDate));
  const ends = discounts.map(({ endDate }) => endDate);
  if (ends.length === 0) return texts.account.notUsed;
  if (ends.includes(null)) return texts.account.noEnd;
  return day(ends.reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b)));
}

/** Redeems a coupon for the account or for a subscription. Shows the discount before. */
function Redeem(props: { readonly account: Account; readonly subscriptionId: string | null }): JSX.Element {
  const { account, subscriptionId } = props;
  const target = subscriptionId === null ? { accountId: account.id } : { subscriptionId };
  return (
    <Action
      label={texts.account.redeem}
      explanation={subscriptionId === null ? texts.account.redeemAccount : texts.account.redeemSubscription}
      fields={[
        { name: 'code', label: texts.account.code, isRequired: true },
        { name: 'rebill', label: texts.account.rebill, kind: 'checkbox', help: texts.account.rebillHelp },
      ]}
      preview={(values) => {
        const code = textOrNull(values, 'code');
        return code === null ? null : discountOf(code, account.currency);
      }}
      run={(values) =>
        api().coupons.redeem({
          ...target,
          code: textOrNull(values, 'code') ?? '',
          rebill: values.rebill === true,
        })
      }
      done={texts.account.couponRedeemed}
    />
  );
}

async function discountOf(code: string, currency: string | null): Promise<JSX.Element> {
  const coupon = await api().coupons.get(code);
  const limits = [...(coupon.plans ?? []), ...(coupon.products ?? [])];
  return (
    <>
      <p>{`${coupon.name}: ${termsText(coupon, currency)}`}</p>
      <p>{texts.account.appliesTo(words(coupon.appliesTo).toLowerCase(), limits.join(', '))}</p>
      {!coupon.isActive && <p>{texts.account.inactive}</p>}
    </>
  );
}

function Remove({ coupon }: { readonly coupon: Redemption }): JSX.Element {
  return (
    <Action
      label={texts.labels.remove}
      explanation={texts.account.removeCoupon(coupon.code)}
      fields={[
        { name: 'rebill', label: texts.account.rebill, kind: 'checkbox', help: texts.account.rebillHelp },
      ]}
      run={({ rebill }) => api().coupons.remove(coupon.id, { rebill: rebill === true })}
      done={texts.account.couponRemoved}
      isDangerous
    />
  );
}
