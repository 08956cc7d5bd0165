import { api, words } from '../../core/index.ts';
import { Action, textOf, type Values } from '../../parts/index.ts';
import { periodText, texts } from '../../texts.ts';

const t = texts.catalog;
const PERIODS = ['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'BIANNUAL', 'ANNUAL'];

const options = (names: readonly string[]) =>
  names.map((name): readonly [string, string] => [name, words(name)]);

/** Adds a plan with one price, with or without a free trial. */
export function NewPlan() {
  return (
    <Action
      label={t.newPlan}
      explanation={t.newPlanExplanation}
      initial={{ productCategory: 'BASE', billingPeriod: 'MONTHLY' }}
      fields={[
        { name: 'planId', label: t.planName, isRequired: true, placeholder: 'team-monthly' },
        { name: 'productName', label: t.product, isRequired: true },
        {
          name: 'productCategory',
          label: t.category,
          kind: 'select',
          options: options(['BASE', 'ADD_ON', 'STANDALONE']),
        },
        { name: 'amount', label: t.price, kind: 'amount', isRequired: true },
        { name: 'currency', label: texts.accounts.currency, isRequired: true, placeholder: 'EUR' },
        {
          name: 'billingPeriod',
          label: t.billingPeriod,
          kind: 'select',
          options: PERIODS.map((period) => [period, periodText(period)]),
        },
        { name: 'trialLength', label: t.trialDays, kind: 'number', help: t.trialHelp },
      ]}
      run={add}
      done={t.planAdded}
      isPrimary
    />
  );
}

function add(values: Values): Promise<void> {
  const trial = textOf(values, 'trialLength');
  return api().catalogs.addSimplePlan({
    planId: textOf(values, 'planId') ?? null,
    productName: textOf(values, 'productName') ?? null,
    productCategory: values.productCategory as 'BASE',
    amount: textOf(values, 'amount') ?? null,
    currency: textOf(values, 'currency')?.toUpperCase() ?? null,
    billingPeriod: values.billingPeriod as 'MONTHLY',
    ...(trial !== undefined && { trialLength: Number(trial), trialTimeUnit: 'DAYS' }),
  });
}
