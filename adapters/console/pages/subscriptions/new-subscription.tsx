import { type Account, api } from '../../core/data.ts';
import { href, navigate } from '../../core/location.ts';
import { Action, numberOrNull, textOrNull, textsOf, type Values } from '../../parts/action.tsx';
import { previewOf } from '../../parts/preview.tsx';
import { texts } from '../../texts.ts';
import { dateField, dateOf, loadPlans, planField } from './data.ts';

interface NewSubscriptionProps {
  readonly account: Account;
  /** The base subscription of an add-on; null for a subscription with a bundle of its own. */
  readonly base: { readonly bundleId: string; readonly productName: string } | null;
}

/** Adds a subscription to an account, or an add-on to a base subscription. */
export function NewSubscription({ account, base }: NewSubscriptionProps) {
  const requestOf = (values: Values) => ({
    accountId: account.id,
    bundleId: base?.bundleId ?? null,
    ...textsOf(values, 'planName', 'externalKey'),
    quantity: numberOrNull(values, 'quantity'),
    coupons: textOrNull(values, 'couponCodes')?.split(/[\s,]+/) ?? null,
  });
  const datesOf = (values: Values) => ({ entitlementDate: dateOf(values), billingDate: dateOf(values) });
  return (
    <Action
      name={base === null ? 'addSubscription' : 'addAddOn'}
      needs="entitlement:create"
      initial={{ quantity: '1' }}
      load={() => loadPlans(account.id, base?.productName ?? null)}
      fields={(_, plans) => [
        planField(plans, account.currency),
        { name: 'quantity', kind: 'number' },
        'couponCodes',
        { name: 'externalKey', help: texts.account.keyHelp },
        dateField,
      ]}
      preview={(values) =>
        textOrNull(values, 'planName') === null
          ? null
          : previewOf(account, { change: 'CREATE', ...requestOf(values), ...datesOf(values) })
      }
      run={(values) => api().subscriptions.create(requestOf(values), datesOf(values))}
      after={({ subscriptionId }) => navigate(href('/subscriptions', subscriptionId))}
    />
  );
}
