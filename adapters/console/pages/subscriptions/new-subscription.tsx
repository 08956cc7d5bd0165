import { api, href, navigate } from '../../core/index.ts';
import { Action, textOrNull, type Values } from '../../parts/index.ts';
import { ChangePreview } from '../../parts/preview.tsx';
import { texts } from '../../texts.ts';
import type { Account } from '../accounts/account-form.ts';
import { dateField, dateOf, planField } from './plan-options.ts';

const t = texts.subscription;

interface Base {
  readonly bundleId: string;
  readonly productName: string;
}

/** Adds a subscription to an account, or an add-on to a base subscription. */
export function NewSubscription(props: { readonly account: Account; readonly base?: Base }) {
  const { account, base } = props;
  const requestOf = (values: Values) => ({
    accountId: account.id,
    bundleId: base?.bundleId ?? null,
    planName: textOrNull(values, 'plan'),
    quantity: Number(values.quantity) || null,
    externalKey: textOrNull(values, 'externalKey'),
    coupons: textOrNull(values, 'coupons')?.split(/[\s,]+/) ?? null,
  });
  const datesOf = (values: Values) => ({ entitlementDate: dateOf(values), billingDate: dateOf(values) });
  return (
    <Action
      label={base === undefined ? t.add : t.addOn}
      explanation={base === undefined ? t.addExplanation : t.addOnExplanation}
      initial={{ quantity: '1' }}
      load={() =>
        base === undefined
          ? api().catalogs.availableBasePlans({ accountId: account.id })
          : api().catalogs.availableAddOns({ accountId: account.id, baseProductName: base.productName })
      }
      fields={(_, plans) => [
        planField(plans, account.currency),
        { name: 'quantity', label: t.quantity, kind: 'number' },
        { name: 'coupons', label: t.coupons },
        { name: 'externalKey', label: texts.accounts.key, help: texts.account.keyHelp },
        dateField,
      ]}
      preview={(values) =>
        textOrNull(values, 'plan') === null
          ? null
          : api()
              .subscriptions.preview({ change: 'CREATE', ...requestOf(values), ...datesOf(values) })
              .then((preview) => <ChangePreview of={preview} currency={account.currency} />)
      }
      run={(values) => api().subscriptions.create(requestOf(values), datesOf(values))}
      after={(created) =>
        navigate(href('/subscriptions', (created as { subscriptionId: string }).subscriptionId))
      }
    />
  );
}
