import { api, may, type Redemption } from '../../core/data.ts';
import { day, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Action, type Field, requiredText, textOrNull } from '../../parts/action.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { obstacleOf, termsText } from './coupon-words.ts';

const t = texts.redemptions;

interface CouponsProps {
  readonly accountId: string;
  /** Null for the coupons of the whole account. */
  readonly subscriptionId: string | null;
}

const rebillField: Field = { name: 'rebill', kind: 'checkbox', help: t.rebillHelp };

/** The coupons of an account, or of one of its subscriptions. */
export function Coupons({ accountId, subscriptionId }: CouponsProps) {
  const load = async () => {
    if (!may('coupon:view')) return [];
    const { coupons } = api();
    return subscriptionId === null ? coupons.ofAccount(accountId) : coupons.ofSubscription(subscriptionId);
  };
  return (
    <ListSection
      name="coupons"
      load={load}
      columns={[
        ['code', ({ code }) => <a href={href('/coupons', code)}>{code}</a>],
        ['discount', termsText],
        ['until', untilText],
        ['', (redemption) => isOpen(redemption) && <Remove {...redemption} />],
      ]}
      actions={<Redeem accountId={accountId} subscriptionId={subscriptionId} />}
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
function Redeem({ accountId, subscriptionId }: CouponsProps) {
  const target = subscriptionId === null ? { accountId } : { subscriptionId };
  return (
    <Action
      name="redeemCoupon"
      needs="coupon:redeem"
      explanation={subscriptionId === null ? t.ofAccount : t.ofSubscription}
      fields={[{ name: 'code', isRequired: true }, rebillField]}
      preview={(values) => {
        const code = textOrNull(values, 'code');
        return code === null ? null : discountOf(code);
      }}
      run={(values) =>
        api().coupons.redeem({
          ...target,
          code: requiredText(values, 'code'),
          rebill: values.rebill === true,
        })
      }
    />
  );
}

async function discountOf(code: string) {
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

function Remove({ id, code }: Redemption) {
  return (
    <Action
      name="remove"
      needs="coupon:redeem"
      explanation={t.remove(code)}
      fields={[rebillField]}
      run={({ rebill }) => api().coupons.remove(id, { rebill: rebill === true })}
      isDangerous
    />
  );
}
