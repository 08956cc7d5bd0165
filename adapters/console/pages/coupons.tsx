import { api, type Coupon } from '../core/data.ts';
import { instant, label } from '../core/format.ts';
import {
  Action,
  type FieldOrName,
  numberOrNull,
  requiredText,
  textOrNull,
  type Values,
} from '../parts/action.tsx';
import { Badge, Page } from '../parts/layout.tsx';
import { List } from '../parts/table.tsx';
import { texts } from '../texts.ts';
import { obstacleOf, termsText } from './accounts/coupon-words.ts';

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
          ['name', ({ name }) => name, 'text'],
          ['discount', termsText],
          ['appliesTo', scopeText, 'text'],
          ['redeemed', redeemedText, 'number'],
          ['redeemBy', ({ redeemBy }) => instant(redeemBy)],
          ['state', stateOf],
          ['', (coupon) => <ChangeCoupon {...coupon} />],
        ]}
      />
    </Page>
  );
}

function scopeText({ plans, products, appliesTo }: Coupon): string {
  const names = [...(products ?? []), ...(plans ?? [])];
  return `${names.length === 0 ? t.allPlans : names.join(', ')} (${t.scopes[appliesTo]})`;
}

function redeemedText({ redeemedCount, maxRedemptions }: Coupon): string {
  return maxRedemptions === null ? String(redeemedCount) : t.ofMax(redeemedCount, maxRedemptions);
}

function stateOf(coupon: Coupon) {
  const obstacle = obstacleOf(coupon);
  return <Badge tone={obstacle === null ? 'good' : 'quiet'}>{obstacle ?? label('active')}</Badge>;
}

const limitFields: readonly FieldOrName[] = [
  { name: 'maxRedemptions', kind: 'number', help: t.emptyMeansUnlimited },
  { name: 'redeemBy', kind: 'date', help: t.redeemByHelp },
];

/** The limits that can also change later. */
function limitsOf(values: Values) {
  const redeemBy = textOrNull(values, 'redeemBy');
  return {
    maxRedemptions: numberOrNull(values, 'maxRedemptions'),
    redeemBy: redeemBy === null ? null : new Date(`${redeemBy}T23:59:59.999Z`),
  };
}

function newFields({ discount, duration }: Values): readonly FieldOrName[] {
  const isAmount = discount === 'amountOff';
  return [
    { name: 'code', isRequired: true, placeholder: 'SPRING' },
    { name: 'name', help: t.nameHelp },
    { name: 'discount', kind: 'select', options: [['percentOff', t.percentage], 'amountOff'] },
    { name: isAmount ? 'amountOff' : 'percentOff', kind: 'amount', isRequired: true },
    isAmount && { name: 'currency', isRequired: true },
    {
      name: 'duration',
      kind: 'select',
      options: [
        ['ONCE', t.once],
        ['periods', t.severalPeriods],
        ['months', t.severalMonths],
        ['FOREVER', t.forever],
      ],
    },
    (duration === 'periods' || duration === 'months') && {
      name: 'howMany',
      kind: 'number',
      isRequired: true,
    },
    { name: 'plans', help: t.plansHelp },
    ...limitFields,
  ];
}

function NewCoupon() {
  const create = (values: Values) => {
    const { duration } = values;
    const plans = textOrNull(values, 'plans')?.split(/[\s,]+/);
    const currency = requiredText(values, 'currency').toUpperCase();
    return api().coupons.create({
      code: requiredText(values, 'code'),
      name: textOrNull(values, 'name'),
      ...(values.discount === 'amountOff'
        ? { amountOff: { [currency]: requiredText(values, 'amountOff') } }
        : { percentOff: requiredText(values, 'percentOff') }),
      duration:
        duration === 'ONCE' || duration === 'FOREVER'
          ? duration
          : ({ [String(duration)]: numberOrNull(values, 'howMany') } as { periods: number }),
      ...(plans !== undefined && { plans }),
      ...limitsOf(values),
    });
  };
  return (
    <Action
      name="newCoupon"
      needs="coupon:manage"
      fields={newFields}
      initial={{ discount: 'percentOff', duration: 'ONCE' }}
      run={create}
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
      fields={['name', ...limitFields, { name: 'canBeRedeemed', kind: 'checkbox' }]}
      initial={{
        name,
        maxRedemptions: String(maxRedemptions ?? ''),
        redeemBy: redeemBy?.toISOString().slice(0, 10) ?? '',
        canBeRedeemed: isActive,
      }}
      run={(values) =>
        api().coupons.update(code, {
          name: textOrNull(values, 'name') ?? code,
          isActive: values.canBeRedeemed === true,
          ...limitsOf(values),
        })
      }
    />
  );
}
