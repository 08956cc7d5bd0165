import type { JSX } from 'preact';
import { api, day, href, may, type ResultOf, useLoad, words } from '../../core/index.ts';
import { Action, ListSection, textOrNull } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { obstacleOf, termsText } from '../coupons/coupon-words.ts';
import type { Account } from './account-form.ts';

const t = texts.account;

type Redemption = ResultOf<'coupons', 'ofAccount'>[number];

/** The coupons of an account, or of one of its subscriptions. */
export function Coupons(props: { readonly account: Account; readonly subscriptionId?: string }) {
  const { account, subscriptionId } = props;
  const loaded = useLoad(async () => {
    if (!may('coupon:view')) return [];
    if (subscriptionId !== undefined) return api().coupons.ofSubscription(subscriptionId);
    return api().coupons.ofAccount(account.id);
  }, [account.id, subscriptionId ?? null]);
  return (
    <ListSection
      of={loaded}
      pageParameter="coupons"
      caption={t.coupons}
      keyOf={({ id }) => id}
      empty={t.noCoupons}
      columns={[
        { title: t.code, cell: ({ code }) => <a href={href('/coupons', code)}>{code}</a> },
        { title: t.discount, cell: (coupon) => termsText(coupon) },
        { title: t.until, cell: untilText },
        {
          title: '',
          cell: (coupon) => may('coupon:redeem') && isOpen(coupon) && <Remove coupon={coupon} />,
        },
      ]}
      actions={may('coupon:redeem') && <Redeem account={account} subscriptionId={subscriptionId ?? null} />}
    />
  );
}

function isOpen({ endedDate, discounts }: Redemption): boolean {
  const isUsedUp = discounts.length > 0 && discounts.every(({ periodsLeft }) => periodsLeft === 0);
  return endedDate === null && !isUsedUp;
}

function untilText({ endedDate, discounts }: Redemption): string {
  if (endedDate !== null) return t.removedOn(day(endedDate));
  const ends = discounts.map(({ endDate }) => endDate);
  if (ends.length === 0) return t.notUsed;
  if (ends.includes(null)) return t.noEnd;
  return day(ends.reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b)));
}

/** Redeems a coupon for the account or for a subscription. Shows the discount before. */
function Redeem(props: { readonly account: Account; readonly subscriptionId: string | null }) {
  const { account, subscriptionId } = props;
  const target = subscriptionId === null ? { accountId: account.id } : { subscriptionId };
  return (
    <Action
      label={t.redeem}
      explanation={subscriptionId === null ? t.redeemAccount : t.redeemSubscription}
      fields={[
        { name: 'code', label: t.code, isRequired: true },
        { name: 'rebill', label: t.rebill, kind: 'checkbox', help: t.rebillHelp },
      ]}
      preview={(values) => {
        const code = textOrNull(values, 'code');
        return code === null ? null : discountOf(code);
      }}
      run={(values) =>
        api().coupons.redeem({
          ...target,
          code: textOrNull(values, 'code') ?? '',
          rebill: values.rebill === true,
        })
      }
    />
  );
}

async function discountOf(code: string): Promise<JSX.Element> {
  const coupon = await api().coupons.get(code);
  const limits = [...(coupon.plans ?? []), ...(coupon.products ?? [])];
  return (
    <>
      <p>{`${coupon.name}: ${termsText(coupon)}`}</p>
      <p>{t.appliesTo(words(coupon.appliesTo).toLowerCase(), limits.join(', '))}</p>
      <p>{obstacleOf(coupon)}</p>
    </>
  );
}

function Remove({ coupon }: { readonly coupon: Redemption }) {
  return (
    <Action
      label={texts.labels.remove}
      explanation={t.removeCoupon(coupon.code)}
      fields={[{ name: 'rebill', label: t.rebill, kind: 'checkbox', help: t.rebillHelp }]}
      run={({ rebill }) => api().coupons.remove(coupon.id, { rebill: rebill === true })}
      isDangerous
    />
  );
}
