import type { JSX } from 'preact';
import { api, type ResultOf } from '../../core/api.ts';
import { day, words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { href } from '../../core/location.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { textOrNull } from '../../parts/form.tsx';
import { Section } from '../../parts/layout.tsx';
import { ListTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { obstacleOf, termsText } from '../coupons/coupon-words.ts';
import type { Account } from './account-form.ts';

type Redemption = ResultOf<'coupons', 'ofAccount'>[number];

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
          { title: texts.account.discount, cell: (coupon) => termsText(coupon) },
          {
            title: texts.account.valid,
            cell: (coupon) => texts.preview.period(day(coupon.redeemedDate), untilText(coupon)),
          },
          {
            title: '',
            cell: (coupon) => coupon.endedDate === null && may('coupon:redeem') && <Remove coupon={coupon} />,
          },
        ]}
      />
    </Section>
  );
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
      <p>{texts.account.appliesTo(words(coupon.appliesTo).toLowerCase(), limits.join(', '))}</p>
      <p>{obstacleOf(coupon)}</p>
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
      isDangerous
    />
  );
}
