import type { ComponentChildren } from 'preact';
import { api, may } from '../../core/index.ts';
import { Action, type Field, textOrNull, type Values } from '../../parts/index.ts';
import { ChangePreview } from '../../parts/preview.tsx';
import type { Subscription } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';
import type { Account } from '../accounts/account-form.ts';
import { NewSubscription } from './new-subscription.tsx';
import { type AvailablePlans, dateField, dateOf, planField } from './plan-options.ts';

const t = texts.subscription;

interface ActionProps {
  readonly subscription: Subscription;
  readonly account: Account;
  readonly today: string;
}

/** The changes of a subscription. Each shows what it costs or credits before it is made. */
export function SubscriptionActions(props: ActionProps) {
  const { subscription, account, today } = props;
  const { state, productCategory, productName, bundleId, billingEnd } = subscription;
  const isEnded = state === 'CANCELLED' || state === 'EXPIRED';
  const endsLater = billingEnd !== null && billingEnd.date > today;
  const changesLater = subscription.events.some(
    ({ eventType, effective }) => eventType === 'CHANGE' && effective.date > today,
  );
  if (isEnded) return <>{endsLater && may('entitlement:cancel') && <Uncancel {...props} />}</>;
  return (
    <>
      {may('entitlement:change_plan') && <ChangePlan {...props} />}
      {may('entitlement:change_plan') && changesLater && <UndoChange {...props} />}
      {may('entitlement:create') && <ChangeQuantity {...props} />}
      {may('entitlement:create') && productCategory === 'BASE' && productName !== null && (
        <NewSubscription account={account} base={{ bundleId, productName }} />
      )}
      {may('entitlement:create') && <BillCycleDay {...props} />}
      {may('entitlement:pause_resume') &&
        (state === 'BLOCKED' ? <Resume {...props} /> : <Pause {...props} />)}
      {may('entitlement:cancel') && (billingEnd === null ? <Cancel {...props} /> : <Uncancel {...props} />)}
    </>
  );
}

type PreviewRequest = Parameters<ReturnType<typeof api>['subscriptions']['preview']>[0];

/** Loads the effect of a change on invoices. A user who may not foresee invoices sees none. */
function previewOf(account: Account, request: PreviewRequest): Promise<ComponentChildren> {
  if (!may('invoice:dry_run')) return Promise.resolve(texts.account.mayNotForesee);
  return api()
    .subscriptions.preview(request)
    .then((preview) => <ChangePreview of={preview} currency={account.currency} />);
}

function ChangePlan({ subscription, account }: ActionProps) {
  const { subscriptionId, productCategory, bundleId } = subscription;
  const load = async (): Promise<AvailablePlans> => {
    if (productCategory === 'STANDALONE') return [];
    if (productCategory === 'BASE') return api().catalogs.availableBasePlans({ accountId: account.id });
    const { subscriptions } = await api().bundles.get(bundleId);
    const base = subscriptions.find((each) => each.productCategory === 'BASE')?.productName ?? '';
    return api().catalogs.availableAddOns({ accountId: account.id, baseProductName: base });
  };
  const changeOf = (values: Values) => ({
    planName: textOrNull(values, 'plan'),
    billingPolicy: policyOf(values),
    requestedDate: dateOf(values),
  });
  return (
    <Action
      label={t.changePlan}
      isPrimary
      explanation={t.changePlanExplanation}
      load={load}
      fields={(_, plans) => [planField(plans, account.currency), policyField, dateField]}
      preview={(values) =>
        textOrNull(values, 'plan') === null
          ? null
          : previewOf(account, { change: 'CHANGE_PLAN', subscriptionId, ...changeOf(values) })
      }
      run={(values) => api().subscriptions.changePlan(subscriptionId, changeOf(values))}
    />
  );
}

const policyField: Field = {
  name: 'policy',
  label: t.policy,
  kind: 'select',
  options: [
    ['', t.byCatalog],
    ['IMMEDIATE', t.immediate],
    ['END_OF_TERM', t.endOfTerm],
  ],
};

function policyOf({ policy }: Values): 'IMMEDIATE' | 'END_OF_TERM' | null {
  return policy === 'IMMEDIATE' || policy === 'END_OF_TERM' ? policy : null;
}

function UndoChange({ subscription }: ActionProps) {
  return (
    <Action
      label={t.undoChange}
      explanation={t.undoChangeExplanation}
      run={() => api().subscriptions.undoChangePlan(subscription.subscriptionId)}
    />
  );
}

function ChangeQuantity({ subscription, account }: ActionProps) {
  const { subscriptionId, quantity } = subscription;
  const changeOf = (values: Values) => ({
    quantity: Number(values.quantity) || null,
    effectiveFromDate: dateOf(values),
  });
  return (
    <Action
      label={t.changeQuantity}
      explanation={t.changeQuantityExplanation}
      initial={{ quantity: String(quantity) }}
      fields={[{ name: 'quantity', label: t.quantity, kind: 'number', isRequired: true }, dateField]}
      preview={(values) =>
        Number(values.quantity) > 0 && values.quantity !== String(quantity)
          ? previewOf(account, { change: 'CHANGE_QUANTITY', subscriptionId, ...changeOf(values) })
          : null
      }
      run={(values) => api().subscriptions.changeQuantity(subscriptionId, changeOf(values))}
    />
  );
}

function Cancel({ subscription, account }: ActionProps) {
  const { subscriptionId } = subscription;
  const optionsOf = (values: Values) => {
    const policy = policyOf(values);
    const requestedDate = dateOf(values);
    if (requestedDate !== null) return { requestedDate, useRequestedDateForBilling: true };
    return { entitlementPolicy: policy, billingPolicy: policy };
  };
  return (
    <Action
      label={t.cancel}
      explanation={t.cancelExplanation}
      fields={[policyField, dateField]}
      preview={(values) => previewOf(account, { change: 'CANCEL', subscriptionId, ...optionsOf(values) })}
      run={(values) => api().subscriptions.cancel(subscriptionId, optionsOf(values))}
      isDangerous
    />
  );
}

function Uncancel({ subscription }: ActionProps) {
  return (
    <Action
      label={t.uncancel}
      explanation={t.uncancelExplanation}
      run={() => api().subscriptions.uncancel(subscription.subscriptionId)}
    />
  );
}

function Pause({ subscription: { bundleId }, account }: ActionProps) {
  return (
    <Action
      label={t.pause}
      explanation={t.pauseExplanation}
      fields={[dateField]}
      preview={(values) => previewOf(account, { change: 'PAUSE', bundleId, requestedDate: dateOf(values) })}
      run={(values) => api().blocking.pauseBundle(bundleId, { requestedDate: dateOf(values) })}
    />
  );
}

function Resume({ subscription: { bundleId }, account }: ActionProps) {
  return (
    <Action
      label={t.resume}
      explanation={t.resumeExplanation}
      fields={[dateField]}
      preview={(values) => previewOf(account, { change: 'RESUME', bundleId, requestedDate: dateOf(values) })}
      run={(values) => api().blocking.resumeBundle(bundleId, { requestedDate: dateOf(values) })}
    />
  );
}

function BillCycleDay({ subscription: { subscriptionId, billCycleDayLocal } }: ActionProps) {
  return (
    <Action
      label={t.changeDay}
      explanation={t.changeDayExplanation}
      initial={{ day: String(billCycleDayLocal ?? '') }}
      fields={[{ name: 'day', label: t.billCycleDay, kind: 'number', isRequired: true }, dateField]}
      run={(values) =>
        api().subscriptions.changeBillCycleDay(subscriptionId, {
          billCycleDayLocal: Number(values.day),
          effectiveFromDate: dateOf(values),
        })
      }
    />
  );
}
