import { api } from '../../core/data.ts';
import { Action, type Field, numberOrNull, textOrNull, textsOf, type Values } from '../../parts/action.tsx';
import { previewOf } from '../../parts/preview.tsx';
import { dateField, dateOf, loadPlans, planField, type SubscriptionFacts } from './data.ts';
import { NewSubscription } from './new-subscription.tsx';

/** The changes of a subscription. Each shows what it costs or credits before it is made. */
export function SubscriptionActions(facts: SubscriptionFacts) {
  const { subscription, account, today } = facts;
  const { subscriptionId, state, productCategory, productName, bundleId, billingEnd, events } = subscription;
  const isEnded = state === 'CANCELLED' || state === 'EXPIRED';
  const changesLater = events.some(
    ({ eventType, effective }) => eventType === 'CHANGE' && effective.date > today,
  );
  const uncancel = (
    <Action
      name="undoCancellation"
      needs="entitlement:cancel"
      run={() => api().subscriptions.uncancel(subscriptionId)}
    />
  );
  if (isEnded) return billingEnd !== null && billingEnd.date > today && uncancel;
  return (
    <>
      <ChangePlan {...facts} />
      {changesLater && (
        <Action
          name="undoChangeAhead"
          needs="entitlement:change_plan"
          run={() => api().subscriptions.undoChangePlan(subscriptionId)}
        />
      )}
      <ChangeSeats {...facts} />
      {productCategory === 'BASE' && productName !== null && (
        <NewSubscription account={account} base={{ bundleId, productName }} />
      )}
      <BillCycleDay {...facts} />
      <PauseOrResume {...facts} />
      {billingEnd === null ? <Cancel {...facts} /> : uncancel}
    </>
  );
}

function ChangePlan({ subscription, account }: SubscriptionFacts) {
  const { subscriptionId, productCategory, bundleId } = subscription;
  const load = async () => {
    if (productCategory === 'STANDALONE') return [];
    if (productCategory === 'BASE') return loadPlans(account.id, null);
    const { subscriptions } = await api().bundles.get(bundleId);
    return loadPlans(
      account.id,
      subscriptions.find((each) => each.productCategory === 'BASE')?.productName ?? '',
    );
  };
  const changeOf = (values: Values) => ({
    ...textsOf(values, 'planName'),
    billingPolicy: policyOf(values),
    requestedDate: dateOf(values),
  });
  return (
    <Action
      name="changePlan"
      needs="entitlement:change_plan"
      isPrimary
      load={load}
      fields={(_, plans) => [planField(plans, account.currency), policyField, dateField]}
      preview={(values) =>
        textOrNull(values, 'planName') === null
          ? null
          : previewOf(account, { change: 'CHANGE_PLAN', subscriptionId, ...changeOf(values) })
      }
      run={(values) => api().subscriptions.changePlan(subscriptionId, changeOf(values))}
    />
  );
}

const policies = ['IMMEDIATE', 'END_OF_TERM'] as const;

const policyField: Field = { name: 'policy', kind: 'select', options: ['BY_CATALOG', ...policies] };

function policyOf({ policy }: Values) {
  return policies.find((each) => each === policy) ?? null;
}

function ChangeSeats({ subscription: { subscriptionId, quantity }, account }: SubscriptionFacts) {
  const changeOf = (values: Values) => ({
    quantity: numberOrNull(values, 'quantity'),
    effectiveFromDate: dateOf(values),
  });
  return (
    <Action
      name="changeSeats"
      needs="entitlement:create"
      initial={{ quantity: String(quantity) }}
      fields={[{ name: 'quantity', kind: 'number', isRequired: true }, dateField]}
      preview={(values) =>
        Number(values.quantity) > 0 && values.quantity !== String(quantity)
          ? previewOf(account, { change: 'CHANGE_QUANTITY', subscriptionId, ...changeOf(values) })
          : null
      }
      run={(values) => api().subscriptions.changeQuantity(subscriptionId, changeOf(values))}
    />
  );
}

function BillCycleDay({ subscription: { subscriptionId, billCycleDayLocal } }: SubscriptionFacts) {
  return (
    <Action
      name="billCycleDay"
      needs="entitlement:create"
      initial={{ billCycleDay: String(billCycleDayLocal ?? '') }}
      fields={[{ name: 'billCycleDay', kind: 'number', isRequired: true }, dateField]}
      run={(values) =>
        api().subscriptions.changeBillCycleDay(subscriptionId, {
          billCycleDayLocal: Number(values.billCycleDay),
          effectiveFromDate: dateOf(values),
        })
      }
    />
  );
}

function PauseOrResume({ subscription: { state, bundleId }, account }: SubscriptionFacts) {
  const isBlocked = state === 'BLOCKED';
  const change = isBlocked ? 'RESUME' : 'PAUSE';
  return (
    <Action
      name={isBlocked ? 'resume' : 'pause'}
      needs="entitlement:pause_resume"
      fields={[dateField]}
      preview={(values) => previewOf(account, { change, bundleId, requestedDate: dateOf(values) })}
      run={(values) => {
        const { resumeBundle, pauseBundle } = api().blocking;
        return (isBlocked ? resumeBundle : pauseBundle)(bundleId, { requestedDate: dateOf(values) });
      }}
    />
  );
}

function Cancel({ subscription: { subscriptionId }, account }: SubscriptionFacts) {
  const optionsOf = (values: Values) => {
    const policy = policyOf(values);
    const requestedDate = dateOf(values);
    if (requestedDate !== null) return { requestedDate, useRequestedDateForBilling: true };
    return { entitlementPolicy: policy, billingPolicy: policy };
  };
  return (
    <Action
      name="cancelSubscription"
      needs="entitlement:cancel"
      fields={[policyField, dateField]}
      preview={(values) => previewOf(account, { change: 'CANCEL', subscriptionId, ...optionsOf(values) })}
      run={(values) => api().subscriptions.cancel(subscriptionId, optionsOf(values))}
      isDangerous
    />
  );
}
