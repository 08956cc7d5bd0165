import { api, instant, may } from '../../core/index.ts';
import { Action, Badge, type Field, Page, PagedTable, textOf, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { type Coupon, obstacleOf, termsText } from './coupon-words.ts';

const t = texts.coupons;

/** The coupons of the tenant. */
export function Coupons() {
  return (
    <Page title={t.title} actions={may('coupon:manage') && <NewCoupon />}>
      <PagedTable
        caption={t.title}
        load={(page) => api().coupons.page(page)}
        keyOf={({ code }) => code}
        columns={[
          { title: t.code, cell: ({ code }) => <code>{code}</code> },
          { title: t.name, cell: ({ name }) => name, isText: true },
          { title: t.discount, cell: termsText },
          { title: t.appliesTo, cell: scopeText, isText: true },
          { title: t.redeemed, cell: redeemedText, isNumber: true },
          { title: t.redeemBy, cell: ({ redeemBy }) => instant(redeemBy) },
          { title: t.state, cell: (coupon) => <CouponState coupon={coupon} /> },
          { title: '', cell: (coupon) => may('coupon:manage') && <ChangeCoupon coupon={coupon} /> },
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

function CouponState({ coupon }: { readonly coupon: Coupon }) {
  const obstacle = obstacleOf(coupon);
  return obstacle === null ? <Badge tone="good">{t.active}</Badge> : <Badge tone="quiet">{obstacle}</Badge>;
}

function newFields(values: Values): readonly Field[] {
  const isCounted = values.duration === 'periods' || values.duration === 'months';
  return [
    { name: 'code', label: t.code, isRequired: true, placeholder: 'SPRING' },
    { name: 'name', label: t.name, help: t.nameHelp },
    {
      name: 'kind',
      label: t.discount,
      kind: 'select',
      options: [
        ['percent', t.byPercent],
        ['amount', t.byAmount],
      ],
    },
    ...(values.kind === 'amount'
      ? [
          { name: 'size', label: t.amount, kind: 'amount', isRequired: true } as const,
          { name: 'currency', label: texts.accounts.currency, isRequired: true } as const,
        ]
      : [{ name: 'size', label: t.percentOff, kind: 'amount', isRequired: true } as const]),
    {
      name: 'duration',
      label: t.duration,
      kind: 'select',
      options: [
        ['ONCE', t.once],
        ['periods', t.severalPeriods],
        ['months', t.severalMonths],
        ['FOREVER', t.forever],
      ],
    },
    ...(isCounted ? [{ name: 'count', label: t.count, kind: 'number', isRequired: true } as const] : []),
    { name: 'plans', label: t.plans, help: t.plansHelp },
    { name: 'maxRedemptions', label: t.maxRedemptions, kind: 'number', help: t.emptyMeansUnlimited },
    { name: 'redeemBy', label: t.redeemBy, kind: 'date', help: t.redeemByHelp },
  ];
}

function NewCoupon() {
  const create = (values: Values) => {
    const size = textOf(values, 'size') ?? '';
    const count = Number(textOf(values, 'count'));
    const plans = textOf(values, 'plans')?.split(/[\s,]+/);
    const duration = String(values.duration);
    return api().coupons.create({
      code: textOf(values, 'code') ?? '',
      name: textOf(values, 'name') ?? null,
      ...(values.kind === 'amount'
        ? { amountOff: { [(textOf(values, 'currency') ?? '').toUpperCase()]: size } }
        : { percentOff: size }),
      duration:
        duration === 'ONCE' || duration === 'FOREVER'
          ? duration
          : ({ [duration]: count } as { periods: number }),
      ...(plans !== undefined && { plans }),
      ...limits(values),
    });
  };
  return (
    <Action
      label={t.create}
      explanation={t.createExplanation}
      fields={newFields}
      initial={{ kind: 'percent', duration: 'ONCE' }}
      run={create}
      done={t.created}
      isPrimary
    />
  );
}

/** The limits that can also change later. */
function limits(values: Values) {
  const max = textOf(values, 'maxRedemptions');
  const redeemBy = textOf(values, 'redeemBy');
  return {
    maxRedemptions: max === undefined ? null : Number(max),
    redeemBy: redeemBy === undefined ? null : new Date(`${redeemBy}T23:59:59.999Z`),
  };
}

function ChangeCoupon({ coupon }: { readonly coupon: Coupon }) {
  return (
    <Action
      label={t.change}
      explanation={t.changeExplanation}
      fields={[
        { name: 'name', label: t.name },
        { name: 'maxRedemptions', label: t.maxRedemptions, kind: 'number', help: t.emptyMeansUnlimited },
        { name: 'redeemBy', label: t.redeemBy, kind: 'date', help: t.redeemByHelp },
        { name: 'isActive', label: t.canBeRedeemed, kind: 'checkbox' },
      ]}
      initial={{
        name: coupon.name,
        maxRedemptions: String(coupon.maxRedemptions ?? ''),
        redeemBy: coupon.redeemBy?.toISOString().slice(0, 10) ?? '',
        isActive: coupon.isActive,
      }}
      run={(values) =>
        api().coupons.update(coupon.code, {
          name: textOf(values, 'name') ?? coupon.code,
          isActive: values.isActive === true,
          ...limits(values),
        })
      }
      done={t.changed}
    />
  );
}
