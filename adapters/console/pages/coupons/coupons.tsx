import { api, type Coupon } from '../../core/data.ts';
import { label } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import type { ValuesOf } from '../../parts/form.tsx';
import { Badge, Page } from '../../parts/layout.tsx';
import { List } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { obstacleOf, scopeText, termsText } from './redemptions.tsx';

const t = texts.coupons;

/** The coupons of the tenant. */
export function Coupons() {
  return (
    <Page name="coupons" actions={<NewCoupon />}>
      <List
        name="coupons"
        load={(page) => api().coupons.page(page)}
        columns={[
          ['code', ({ code }) => <code>{code}</code>],
          ['name', 'name', 'text'],
          ['discount', termsText],
          ['appliesTo', scopeText, 'text'],
          ['redeemed', redeemedText, 'number'],
          'redeemBy',
          ['state', stateOf],
          ['', ChangeCoupon],
        ]}
      />
    </Page>
  );
}

function redeemedText({ redeemedCount, maxRedemptions }: Coupon): string {
  return maxRedemptions === null ? String(redeemedCount) : t.ofMax(redeemedCount, maxRedemptions);
}

function stateOf(coupon: Coupon) {
  const obstacle = obstacleOf(coupon);
  return <Badge tone={obstacle === null ? 'good' : 'quiet'}>{obstacle ?? label('active')}</Badge>;
}

/** The limits, which can also change later. */
const limitFields = {
  maxRedemptions: { kind: 'number', help: t.emptyMeansUnlimited },
  redeemBy: { kind: 'date', help: t.redeemByHelp },
} as const;

function limitsOf({ maxRedemptions, redeemBy }: ValuesOf<typeof limitFields>) {
  return {
    maxRedemptions: maxRedemptions === null ? null : Number(maxRedemptions),
    redeemBy: redeemBy === null ? null : new Date(`${redeemBy}T23:59:59.999Z`),
  };
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
        percentOff: discount !== 'amount' && { kind: 'amount', isRequired: true },
        amountOff: discount === 'amount' && { kind: 'amount', isRequired: true },
        currency: discount === 'amount' && 'required',
        duration: { kind: 'select', options: durations },
        howMany: (duration === 'periods' || duration === 'months') && { kind: 'number', isRequired: true },
        plans: { help: t.plansHelp },
        ...limitFields,
      })}
      run={({ code, name, duration, howMany, plans, ...values }) => {
        const { percentOff, amountOff, currency } = values;
        return api().coupons.create({
          code,
          name,
          ...(percentOff !== undefined && { percentOff }),
          ...(amountOff !== undefined && { amountOff: { [currency?.toUpperCase() ?? '']: amountOff } }),
          duration:
            duration === 'ONCE' || duration === 'FOREVER'
              ? duration
              : ({ [duration]: Number(howMany) } as { periods: number }),
          ...(plans !== null && { plans: plans.split(/[\s,]+/) }),
          ...limitsOf(values),
        });
      }}
      isPrimary
    />
  );
}

function ChangeCoupon({ code, name, maxRedemptions, redeemBy, isActive }: Coupon) {
  return (
    <Action
      name="change"
      needs="coupon:manage"
      explanation={t.changeExplanation}
      fields={{ name: 'text', ...limitFields, canBeRedeemed: 'checkbox' }}
      initial={{
        name,
        maxRedemptions,
        redeemBy: redeemBy?.toISOString().slice(0, 10),
        canBeRedeemed: isActive,
      }}
      run={({ canBeRedeemed, ...values }) =>
        api().coupons.update(code, {
          name: values.name ?? code,
          isActive: canBeRedeemed,
          ...limitsOf(values),
        })
      }
    />
  );
}
