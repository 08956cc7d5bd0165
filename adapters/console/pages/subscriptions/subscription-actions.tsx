import { type Account, api, type ResultOf, type Subscription } from '../../core/data.ts';
import { money } from '../../core/format.ts';
import { href, navigate } from '../../core/location.ts';
import { Action, type ActionProps } from '../../parts/action.tsx';
import type { Fields, ValuesOf } from '../../parts/form.tsx';
import { type PreviewRequest, previewOf } from '../../parts/preview.tsx';
import { texts } from '../../texts.ts';

const t = texts.subscription;

/** A subscription with what its page and its actions need. */
export type SubscriptionFacts = Awaited<ReturnType<typeof loadSubscription>>;

export async function loadSubscription(id: string) {
  const subscription = await api().subscriptions.get(id);
  const [account, overdue] = await Promise.all([
    api().accounts.get(subscription.accountId),
    api().overdue.explain(subscription.accountId),
  ]);
  return { subscription, account, today: overdue.date };
}

type ChangeProps<F extends Fields, M, T, D> = Omit<ActionProps<F, T, D>, 'preview' | 'run'> & {
  readonly account: Account;
  /** The change and its object, as a preview names them. */
  readonly of: Pick<PreviewRequest, 'change'> & Partial<Pick<Subscription, 'subscriptionId' | 'bundleId'>>;
  /** Returns the options of the change; null while the form is incomplete. Default: a change without options. */
  readonly options?: (values: ValuesOf<F>) => M | null;
  readonly run: (options: M) => Promise<T>;
};

/** An action on a subscription that shows its effect on invoices before it is made. */
function Change<const F extends Fields, M extends object, T, D = undefined>(props: ChangeProps<F, M, T, D>) {
  const { account, of, options = () => ({}) as M, run, ...action } = props;
  return (
    <Action
      {...action}
      preview={(values: ValuesOf<F>) => {
        const given = options(values);
        // The options are those of the operation, which the preview accepts with the name of the change.
        return given && previewOf(account, { ...of, ...given } as PreviewRequest);
      }}
      run={async (values: ValuesOf<F>) => {
        const given = options(values);
        if (given === null) throw new Error(t.incomplete);
        return run(given);
      }}
    />
  );
}

/** The changes of a subscription. Each shows what it costs or credits before it is made. */
export function SubscriptionActions({ subscription, account, today }: SubscriptionFacts) {
  const { subscriptionId, state, productCategory, productName, bundleId, billingEnd } = subscription;
  const { subscriptions, blocking } = api();
  const hasEnded = state === 'CANCELLED' || state === 'EXPIRED';
  const isPaused = state === 'BLOCKED';
  const uncancel = (
    <Change
      name="undoCancellation"
      needs="entitlement:cancel"
      account={account}
      of={{ change: 'UNCANCEL', subscriptionId }}
      run={() => subscriptions.uncancel(subscriptionId)}
    />
  );
  if (hasEnded) return billingEnd !== null && billingEnd.date > today && uncancel;
  return (
    <>
      <Change
        name="changePlan"
        needs="entitlement:change_plan"
        account={account}
        of={{ change: 'CHANGE_PLAN', subscriptionId }}
        load={() => loadOtherPlans(subscription)}
        fields={(plans) => ({
          planName: planField(plans, account.currency),
          policy: policyField,
          date: dateField,
        })}
        options={({ planName, policy, date }) =>
          planName ? { planName, billingPolicy: policyOf(policy), requestedDate: on(date) } : null
        }
        run={(options) => subscriptions.changePlan(subscriptionId, options)}
        isPrimary
      />
      <Change
        name="changeSeats"
        needs="entitlement:create"
        account={account}
        of={{ change: 'CHANGE_QUANTITY', subscriptionId }}
        initial={{ quantity: subscription.quantity }}
        fields={{ quantity: { kind: 'number', isRequired: true }, date: dateField }}
        options={({ quantity, date }) =>
          quantity ? { quantity: Number(quantity), effectiveFromDate: on(date) } : null
        }
        run={(options) => subscriptions.changeQuantity(subscriptionId, options)}
      />
      {productCategory === 'BASE' && productName !== null && (
        <NewSubscription account={account} base={{ bundleId, productName }} />
      )}
      <Change
        name={isPaused ? 'resume' : 'pause'}
        needs="entitlement:pause_resume"
        account={account}
        of={{ change: isPaused ? 'RESUME' : 'PAUSE', bundleId }}
        fields={{ date: dateField }}
        options={({ date }) => ({ requestedDate: on(date) })}
        run={(options) => (isPaused ? blocking.resumeBundle : blocking.pauseBundle)(bundleId, options)}
      />
      {billingEnd === null ? (
        <Change
          name="cancelSubscription"
          needs="entitlement:cancel"
          account={account}
          of={{ change: 'CANCEL', subscriptionId }}
          fields={{ policy: policyField, date: dateField }}
          options={({ policy, date }) =>
            date === null
              ? { entitlementPolicy: policyOf(policy), billingPolicy: policyOf(policy) }
              : { requestedDate: { date }, useRequestedDateForBilling: true }
          }
          run={(options) => subscriptions.cancel(subscriptionId, options)}
          isDangerous
        />
      ) : (
        uncancel
      )}
    </>
  );
}

interface NewSubscriptionProps {
  readonly account: Account;
  /** The base subscription of an add-on; null for a subscription with a bundle of its own. */
  readonly base: { readonly bundleId: string; readonly productName: string } | null;
}

/** Adds a subscription to an account, or an add-on to a base subscription. */
export function NewSubscription({ account, base }: NewSubscriptionProps) {
  return (
    <Change
      name={base === null ? 'addSubscription' : 'addAddOn'}
      needs="entitlement:create"
      account={account}
      of={{ change: 'CREATE' }}
      initial={{ quantity: 1 }}
      load={() => loadPlans(account.id, base?.productName ?? null)}
      fields={(plans) => ({
        planName: planField(plans, account.currency),
        quantity: 'number',
        couponCodes: 'text',
        externalKey: { help: texts.account.keyHelp },
        date: dateField,
      })}
      options={({ planName, quantity, couponCodes, externalKey, date }) =>
        planName
          ? {
              accountId: account.id,
              bundleId: base?.bundleId ?? null,
              planName,
              externalKey,
              quantity: quantity === null ? null : Number(quantity),
              coupons: couponCodes?.split(/[\s,]+/) ?? null,
              entitlementDate: on(date),
              billingDate: on(date),
            }
          : null
      }
      run={(options) => api().subscriptions.create(options, options)}
      after={({ subscriptionId }) => navigate(href('/subscriptions', subscriptionId))}
    />
  );
}

/** A field for a day on which a change takes effect. */
const dateField = { kind: 'date', help: t.dateHelp } as const;

/** Returns the requested day of a change; null if the user left the field empty. */
function on(date: string | null): { readonly date: string } | null {
  return date === null ? null : { date };
}

/** The field of a policy, with the value of the API for each choice. */
const policyField = { kind: 'select', options: ['BY_CATALOG', 'IMMEDIATE', 'END_OF_TERM'] } as const;

function policyOf(policy: (typeof policyField.options)[number]) {
  return policy === 'BY_CATALOG' ? null : policy;
}

type AvailablePlans = ResultOf<'catalogs', 'availableBasePlans'>;

/** Loads the plans for a base subscription of an account, or the add-ons for a base product. */
function loadPlans(accountId: string, baseProductName: string | null): Promise<AvailablePlans> {
  const { catalogs } = api();
  return baseProductName === null
    ? catalogs.availableBasePlans({ accountId })
    : catalogs.availableAddOns({ accountId, baseProductName });
}

/** Loads the plans to which a subscription can change. */
async function loadOtherPlans({
  accountId,
  productCategory,
  bundleId,
}: Subscription): Promise<AvailablePlans> {
  if (productCategory === 'STANDALONE') return [];
  if (productCategory === 'BASE') return loadPlans(accountId, null);
  const { subscriptions } = await api().bundles.get(bundleId);
  const base = subscriptions.find((each) => each.productCategory === 'BASE');
  return loadPlans(accountId, base?.productName ?? '');
}

/** A field that chooses a plan by its name and price. Without known plans, it takes the name of a plan. */
function planField(plans: AvailablePlans, currency: string | null) {
  if (plans.length === 0) return { isRequired: true, help: t.planHelp } as const;
  const options = plans.map(({ plan: { name, prettyName, finalPhase } }) => {
    const { recurring } = finalPhase;
    const price = recurring?.price?.prices.find((each) => each.currency === currency)?.amount;
    if (!recurring || !price) return [name, prettyName] as const;
    const priceText = texts.timeline.price(money(price.text, currency), recurring.billingPeriod);
    return [name, `${prettyName} · ${priceText}`] as const;
  });
  return { kind: 'select', isRequired: true, options: [['', t.choosePlan], ...options] } as const;
}
